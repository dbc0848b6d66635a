// First half of attention's reference: the scores of each query with their bounds, and the weights that softmax makes
// of them. One row after the other, so that what a row needs stays in the cache.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ops/lanes/attention_lanes.h"
#include "ops/lanes/input_rounding.h"

namespace warpfuzz {

struct AttentionShape {
  std::size_t m = 0, n = 0, d = 0;
  bool causal = false;
  // How many keys row i sees: with a causal mask those up to its own number, as if both began at the same position.
  std::size_t keys(std::size_t i) const { return causal && i + 1 < n ? i + 1 : n; }
};

struct AttentionRow {
  enum State : std::uint8_t { weighted, nan, nothing, unspecified };  // nothing: every score is -Inf
  State state = weighted;
  Reason reason = Reason::none;
  bool nan_ok = false;              // what is masked, or has a score of -Inf, may come through as NaN
  bool gaps = false;                // some scores are -Inf: these keys count as masked
  double rel_l = 0, rel_l_rig = 0;  // relative errors of the sum of the weights
  double rescaling = 0;             // error of rescaling at each new maximum
  double accumulation = 0;          // the part of rel_l that summing the weights has
};

// Reused from head to head and from case to case: memory is not given back.
class AttentionWeights {
 public:
  void prepare(const RefContext& c, const Arith& a, const AttentionShape& s);
  void head(std::span<const float> q, std::span<const float> k);  // [m, d], [n, d]
  AttentionRow row(std::size_t i);                                // what is below is of this row, where it is weighted

  // Up to the keys that the row sees.
  WeightRow weights;
  bool two_tiers = true;  // whether the errors of the tiers differ
  bool is_gap(std::size_t j) const { return scores_.score[j] < -kFloatMax; }

  // For reports: sum over keys of weight[j] * the part of t's error that this names.
  struct Parts {
    double scores = 0, argument = 0;
  };
  Parts parts(std::span<const double> weight) const;

 private:
  enum Trait : std::uint8_t { kNonFinite = 1, kSmall = 2, kMayRoundToInf = 4 };
  // One of q and k: with 0 for what is not finite, and what is special about each of its rows.
  struct Operand {
    std::span<const float> values, finite;
    std::vector<std::uint8_t> traits;
    std::uint8_t all_traits = 0;
    std::vector<float> replaced;
    void assign(std::span<const float> x, std::size_t rows) {
      values = finite = x;
      traits.assign(rows, 0);
      all_traits = 0;
    }
  };
  void look_at(Operand& operand, double least) const;
  bool settle_keys();
  void sum_products(std::size_t i, std::size_t keys);
  void add_special_errors(std::size_t i, std::size_t keys);
  bool settle_special(std::size_t i, std::size_t keys, AttentionRow& row);
  double tensor_core_excess(std::size_t i, std::size_t j, bool rigorous) const;
  double small_operands(std::size_t i, std::size_t j) const;
  bool masked_may_be_nan(std::size_t i, std::size_t keys) const;
  bool overflows(std::size_t j) const;

  const RefContext* context_ = nullptr;
  const Arith* arith_ = nullptr;
  AttentionShape shape_;
  InputRounding rounding_;
  double scale_ = 1, argument_floor_ = 0, largest_key_ = 0, least_key_ = 0;
  float scale_in_fp32_ = 1;
  bool tensor_cores_ = false, other_products_ = false;
  bool keys_settled_ = false;  // whether it is known which keys are special: from the first row on
  ScoreForm form_;
  Operand q_, k_;
  std::vector<double> q_wide_;
  std::vector<float> q_scaled_;
  ProductPanels panels_;
  ProductSums sums_;
  ScoreRow scores_;
};

}  // namespace warpfuzz
