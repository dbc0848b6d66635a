#include "fake_target.h"

#include <cstring>

#include "warpfuzz/definition.h"

// The engine asks the binary for its target; these tests pass targets explicitly and only need one to be there.
namespace {
const warpfuzz::TargetDefinition& definition() {
  static const warpfuzz::TargetDefinition d{"identity", warpfuzz::test::identity_target(0, 0).spec,
                                            [](const warpfuzz::Launch&) {}};
  return d;
}
const warpfuzz::TargetRegistration registration(__FILE__, __LINE__, definition);
}  // namespace

namespace warpfuzz::test {

Target identity_target(double e, double e_rig) {
  TargetSpec spec = TargetSpec::custom("identity");
  spec.dtypes({f32})
      .dim("n", 64)
      .input("x", {"n"})
      .output("y", {"n"})
      .reference([e, e_rig](const RefContext& c, std::vector<Reference>& refs) {
        Reference& ref = refs[1];
        ref.resize(c.in[0].size());
        for (std::size_t i = 0; i < c.in[0].size(); i++) {
          ref.r[i] = c.in[0][i];
          ref.e[i] = e;
          ref.e_rig[i] = e_rig;
        }
      });
  return {"identity", spec, [](const Launch&) {}};
}

Target counted(Target t, int& calls) {
  t.spec.reference([once = t.spec.op().reference, &calls](const RefContext& c, std::vector<Reference>& refs) {
    ++calls;
    once(c, refs);
  });
  return t;
}

TestCase make_case(const Target& t, std::uint32_t n, Fill fill, int calls) {
  TestCase c = decode(t.schema(), {});
  c.dims[0] = n;
  c.tensors[0].fill = fill_byte(fill);
  c.tensors[0].seed = 7;
  c.calls = static_cast<std::uint8_t>(calls);
  repair(t.schema(), c);
  return c;
}

RunOutput FakeBackend::run(const RunInput& input, const Launcher&) {
  runs++;
  schedules.push_back(input.schedule);
  RunOutput out;
  if (status) out.status = status(input);
  if (out.status.fault != FaultClass::none) return out;
  for (std::size_t call = 0; call < input.calls.size(); call++) {
    const std::vector<float> y =
        kernel_(input.calls[call].values[0], {input.schedule, input.poison_variant, static_cast<int>(call)});
    CallOutput result;
    result.tensors.resize(2);
    result.tensors[1].resize(y.size() * sizeof(float));
    std::memcpy(result.tensors[1].data(), y.data(), result.tensors[1].size());
    out.calls.push_back(std::move(result));
  }
  return out;
}

}  // namespace warpfuzz::test
