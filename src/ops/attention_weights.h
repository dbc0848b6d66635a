// First half of attention's reference: the scores of each query with their bounds, and the weights that softmax makes
// of them.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ops/input_rounding.h"
#include "ops/product_sums.h"

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
  bool nan_ok = false;                     // what is masked, or has a score of -Inf, may come through as NaN
  bool gaps = false;                       // some scores are -Inf: these keys count as masked
  bool loose = false, loose_rig = false;   // a weight that counts has an error above 1/4
  double l = 0, rel_l = 0, rel_l_rig = 0;  // sum of t = exp(score - max) and its relative errors
  double rescaling = 0;                    // error of rescaling at each new maximum
};

// Reused from head to head and from case to case: memory is not given back.
class AttentionWeights {
 public:
  void prepare(const RefContext& c, const Arith& a, const AttentionShape& s);
  void run(std::span<const float> q, std::span<const float> k);  // one head: [m, d], [n, d]

  std::vector<AttentionRow> rows;
  std::vector<std::uint32_t> keys, terms;  // of each row; terms: 0 where the row is not weighted
  bool two_tiers = true;                   // whether t_rel_rig differs from t_rel
  // [m, n], up to a row's terms: t, its value after a division in fp32, t times its relative error.
  std::vector<double> t, p, t_rel, t_rel_rig;

  bool is_gap(std::size_t i, std::size_t j) const {
    return rows[i].gaps && scores_[i * shape_.n + j].value < -kFloatMax;
  }

  // Of one weighted row, for reports: sum over keys of weight[j] * the part of t's error that this names.
  struct Parts {
    double scores = 0, argument = 0;
  };
  Parts parts(std::size_t i, std::span<const double> weight) const;
  double accumulation(std::size_t i) const { return sum_tight_[i] / rows[i].l; }

 private:
  enum Trait : std::uint8_t { kNonFinite = 1, kSmall = 2, kMayRoundToInf = 4 };
  struct Score {
    double value = 0, e = 0, e_rig = 0;
  };
  void look_at(std::span<const float> x, std::size_t rows, double small, std::vector<std::uint8_t>& traits,
               std::vector<float>& finite) const;
  void sum_products();
  bool settle_special(std::size_t i);
  Score score(std::size_t i, std::size_t j, const SumArms& arms) const;
  void weigh(std::size_t i);
  double small_operands(std::size_t i, std::size_t j) const;
  bool masked_may_be_nan(std::size_t i) const;
  bool overflows(std::size_t i, std::size_t j) const;
  double argument_error(double s) const { return 2.25 * Arith::u * (std::fabs(s) + std::fabs(max_)) + argument_floor_; }

  const RefContext* context_ = nullptr;
  const Arith* arith_ = nullptr;
  AttentionShape shape_;
  InputRounding rounding_;
  double scale_ = 1, argument_floor_ = 0, max_ = 0;
  float scale_in_fp32_ = 1;
  bool tensor_cores_ = false;
  std::span<const float> q_, k_;
  std::vector<std::uint8_t> q_traits_, k_traits_;
  std::vector<float> q_finite_, k_finite_;
  std::vector<double> q_wide_, q_scaled_;
  ProductPanels panels_;
  ProductSums plain_, scaled_;
  std::vector<Score> scores_;  // [m, n]
  std::vector<double> values_, sum_tight_, max_of_row_;
};

}  // namespace warpfuzz
