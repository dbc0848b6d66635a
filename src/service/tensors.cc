// The command `tensors`: everything about one case that a program without WarpFuzz needs to run and judge it.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "numeric/round.h"
#include "pipeline/load_case.h"
#include "pipeline/reference.h"
#include "pipeline/tensors/case_tensors.h"
#include "pipeline/tensors/recorded_case.h"
#include "service/commands.h"

namespace warpfuzz {
namespace {

// Beside the bits of ElementFlag, for targets that declare strict_zero: the sign that a zero must have.
constexpr std::uint8_t kPlusZero = 64, kMinusZero = 128;

Bytes bytes_of(std::span<const std::byte> raw) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(raw.data());
  return {begin, begin + raw.size()};
}

// What each element of one output may be, as raw bits of its dtype, and the rules beside the interval.
struct AllowedBits {
  std::vector<std::byte> lo, hi, reference;
  Bytes rules;
};

class Expectation {
 public:
  Expectation(const Target& target, const TestCase& c)
      : target_(target), row_(row_of(target, c)), ftz_(row_.ftz && !target.spec.dialects().no_ftz) {}

  AllowedBits of(const Reference& ref, DType t, int tier) const {
    const std::size_t n = ref.r.size(), size = dtype_size(t);
    AllowedBits a{std::vector<std::byte>(n * size), std::vector<std::byte>(n * size),
                  std::vector<std::byte>(n * sizeof(double)), Bytes(n)};
    std::memcpy(a.reference.data(), ref.r.data(), a.reference.size());
    const bool strict_zero = target_.spec.dialects().strict_zero;
    for (std::size_t i = 0; i < n; i++) {
      const bool any = ref.flags[i] & (kAny | kNonFinite);
      const Interval in = any && !info(t).floating ? Interval{0, 0} : allowed(ref, i, t, row_, ftz_, tier);
      store_element(t, &a.lo[i * size], in.lo);
      store_element(t, &a.hi[i * size], in.hi);
      a.rules[i] = ref.flags[i];
      if (strict_zero && ref.flags[i] == 0 && ref.r[i] == 0)
        a.rules[i] = std::signbit(ref.r[i]) ? kMinusZero : kPlusZero;
    }
    return a;
  }

 private:
  const Target& target_;
  const ToleranceRow& row_;
  bool ftz_;
};

bool is_output(Role r) { return r == Role::out || r == Role::inout; }

CaseTensor describe_tensor(const Schema& s, const TestCase& c, int k) {
  const TensorSpec& spec = s.tensors[static_cast<std::size_t>(k)];
  const TensorLayout l = tensor_layout(s, c, k);
  CaseTensor out{spec.name,
                 spec.role,
                 l.dtype,
                 l.present,
                 {l.shape.begin(), l.shape.end()},
                 {l.strides.begin(), l.strides.end()},
                 l.offset,
                 l.storage_elements,
                 l.elements,
                 {},
                 {}};
  const PoisonKind kind = spec.role == Role::workspace ? PoisonKind::workspace : PoisonKind::output;
  for (int variant = 0; variant < 2; ++variant)
    for (const auto& [bytes, of] : {std::pair(&out.poison, kind), std::pair(&out.padding, PoisonKind::padding)}) {
      const auto bits = poison_bits(l.dtype, of, variant);
      (*bytes)[static_cast<std::size_t>(variant)] =
          bytes_of({reinterpret_cast<const std::byte*>(&bits), dtype_size(l.dtype)});
    }
  return out;
}

TensorCall describe_call(const Target& target, const TestCase& c, const Expectation& expectation, const CallInput& in,
                         const std::vector<Reference>& refs, const CallOutput* got, int tier) {
  const Schema& s = target.schema();
  TensorCall call;
  for (std::size_t k = 0; k < s.tensors.size(); ++k) {
    const DType t = tensor_dtype(s, c, static_cast<int>(k));
    const Role role = s.tensors[k].role;
    if (!c.tensors[k].present) continue;
    if (role == Role::in || role == Role::inout) call.inputs.push_back({k, bytes_of(bits_of_values(t, in.values[k]))});
    if (!is_output(role)) continue;
    const AllowedBits a = expectation.of(refs[k], t, tier);
    TensorOutput out{k, bytes_of(a.lo), bytes_of(a.hi), a.rules, bytes_of(a.reference), {}};
    if (got && k < got->tensors.size()) out.got = bytes_of(got->tensors[k]);
    call.outputs.push_back(std::move(out));
  }
  return call;
}

// Those that judged; of calls that were not run, or not reached by the judge, the reference is asked here.
std::vector<std::vector<Reference>> references_of(const Target& target, const TestCase& c,
                                                  const std::vector<CallInput>& inputs,
                                                  std::optional<CaseEvidence>& evidence) {
  std::vector<std::vector<Reference>> all;
  for (std::size_t call = 0; call < inputs.size(); ++call) {
    const bool judged = evidence && !evidence->references[call].empty();
    all.push_back(judged ? std::move(evidence->references[call]) : run_reference(target, c, inputs[call]));
  }
  return all;
}

CaseTensors tensors(Serving& serving, const TensorsRequest& q) {
  const Target& target = serving.target;
  const Schema& s = target.schema();
  LoadedCase loaded;
  if (q.path) loaded = load_case(target, *q.path).value();
  else if (q.bytes) loaded.bytes = *q.bytes;
  else throw std::runtime_error("expected the field `bytes` or `path`");
  const TestCase c = decode(s, loaded.bytes);
  std::vector<CallInput> inputs;
  CaseTensors out;
  if (loaded.finding) inputs = inputs_of(target, c, *loaded.finding, out.note);
  if (inputs.empty()) fill_inputs(s, c, inputs);

  CaseResult r;
  if (q.run.value_or(true)) {
    r = serving.run(loaded.bytes, &inputs);
    out.result = result_of(serving, r);
  }
  const std::vector<std::vector<Reference>> refs = references_of(target, c, inputs, r.evidence);
  // The bound that holds for every order of summation; the tight one where the finding lies between the two.
  const int tier = r.fault == FaultClass::value && r.evidence->tight ? 0 : 1;
  const Expectation expectation(target, c);

  const DTypeCombo& combo = s.dtypes[c.dtype];
  out.op = s.op;
  out.text = to_text(s, c);
  out.summary = summary(s, c);
  out.bytes = encode(s, c);
  out.dtype = combo.name;
  out.in_dtype = combo.in;
  out.out_dtype = combo.out;
  out.bound = tier ? BoundTier::every_order : BoundTier::tight;
  out.expect = loaded.expect;
  for (std::size_t i = 0; i < s.dims.size(); ++i) out.dims.push_back({s.dims[i].name, c.dims[i]});
  for (std::size_t i = 0; i < s.scalars.size(); ++i)
    out.scalars.push_back({s.scalars[i].name, c.scalar(s, static_cast<int>(i))});
  for (std::size_t i = 0; i < s.flags.size(); ++i) out.flags.push_back({s.flags[i].name, c.flag(static_cast<int>(i))});
  for (std::size_t k = 0; k < s.tensors.size(); ++k) out.tensors.push_back(describe_tensor(s, c, static_cast<int>(k)));
  for (std::size_t call = 0; call < inputs.size(); ++call)
    out.calls.push_back(describe_call(target, c, expectation, inputs[call], refs[call],
                                      call < r.outputs.size() ? &r.outputs[call] : nullptr, tier));
  return out;
}

constexpr NamedCommand kCommands[] = {command<tensors>()};

}  // namespace

std::span<const NamedCommand> tensor_commands() { return kCommands; }

}  // namespace warpfuzz
