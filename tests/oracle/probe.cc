#include "probe.h"

namespace warpfuzz::test {
namespace {

TargetSpec probe_spec(std::initializer_list<const char*> dialects) {
  TargetSpec s = TargetSpec::custom("probe").dim("rows", 1024).dim("cols", 32768).output("y", {"rows", "cols"});
  s.caps(1u << 26, 1u << 26).reference([](const RefContext&, std::vector<Reference>&) {});
  for (const char* d : dialects) s.dialect(d);
  return all_dtypes(std::move(s));
}

}  // namespace

Probe::Probe(std::uint32_t rows, std::uint32_t cols, DType t, std::initializer_list<const char*> dialects)
    : problem(probe_spec(dialects), {{"rows", rows}, {"cols", cols}}, t, t), refs(1) {
  refs[0].resize(std::size_t{rows} * cols);
  refs[0].r.assign(refs[0].r.size(), 1);
}
Verdict Probe::judge(const Values& y, std::vector<std::uint32_t> tiles) const {
  return judge(stored(problem.out_type(), y), std::move(tiles));
}
Verdict Probe::judge(std::vector<std::byte> bytes, std::vector<std::uint32_t> tiles) const {
  return judge_bytes(problem, std::move(bytes), &refs, std::move(tiles));
}

}  // namespace warpfuzz::test
