// The accept rule: Q_t(r - E) <= y <= Q_t(r + E) for every element, special values by rule, two tiers.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ops/op.h"
#include "oracle/statistics.h"
#include "oracle/verdict.h"

namespace warpfuzz {

// Interval of one element after the rules of docs/oracle.md; tier 0: E, tier 1: E_rig. ftz: row.ftz without the dialect
// ftz=never; an fp16 output is never flushed. NaN, NaN where NaN is required; everything where nothing is.
struct Interval {
  double lo, hi;
};
Interval allowed(const Reference& ref, std::size_t i, DType out, const ToleranceRow& row, bool ftz, int tier);
bool accepts(const Reference& ref, std::size_t i, double y, DType out, const ToleranceRow& row, bool ftz, int tier);

struct JudgeInput {
  const Schema& schema;
  const TestCase& test_case;
  const ToleranceRow& row;
  const Dialects& dialects;
  std::span<const Reference> refs;                  // per tensor
  std::span<const std::vector<std::byte>> outputs;  // per tensor: raw bits, row-major (CallOutput::tensors)
  std::function<std::uint64_t(DType)> poison;       // the output poison of this run
  std::span<const std::uint32_t> tiles;             // of this execution, for location and shape class
  ErrorStats* stats = nullptr;                      // when set: this run is added
  bool describe = true;  // false: class and counts alone, no worst element, kind, location or shape class
};
Verdict judge(const JudgeInput& in);

// A suspect that the permutations confirmed: a finding of class value.
void confirm_suspect(Verdict& v);

// Tier two: the values of each input tensor permuted (index tensors are not), permutation `round` (0..7) seeded by the
// case bytes.
std::vector<std::vector<float>> permuted_inputs(const Schema& s, const TestCase& c,
                                                std::span<const std::vector<float>> in, std::uint64_t case_hash,
                                                int round);
inline constexpr int kPermutationRounds = 8, kPermutationQuorum = 4;

// The table, compiled in from src/oracle/tolerances.toml. A missing row falls back to [default.<dtype>].
const ToleranceRow& tolerance_row(std::string_view op, DType out, const Dialects& d);
int tolerance_table_version();

}  // namespace warpfuzz
