// Scores as exact sums with the bounds of their fp32 forms; the relative error of exp(score - max) follows from those.
#include "ops/attention_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/softmax_bound.h"

namespace warpfuzz {
namespace {

constexpr double u = Arith::u, kInf = std::numeric_limits<double>::infinity();
constexpr double kScoreOverflowShare = 0.6;  // of the largest float: beyond it some form of a score may overflow
constexpr double kLargestArgument = 60;      // of 4u|score|: beyond it the prescaled exp2 form rounds into nonsense

}  // namespace

void AttentionWeights::prepare(const RefContext& c, const Arith& a, const AttentionShape& s) {
  context_ = &c, arith_ = &a, shape_ = s;
  rounding_ = input_rounding(a);
  tensor_cores_ = a.in == DType::f32 ? rounding_.u_in > 0 : a.dialects.tc;
  scale_ = 1 / std::sqrt(static_cast<double>(s.d));
  scale_in_fp32_ = static_cast<float>(scale_);
  argument_floor_ = a.flush_results ? 2 * kFloatMinNormal : 0;
  keys.resize(s.m);
  for (std::size_t i = 0; i < s.m; ++i) keys[i] = static_cast<std::uint32_t>(s.keys(i));
}

void AttentionWeights::run(std::span<const float> q, std::span<const float> k) {
  q_ = q, k_ = k;
  // q * scale may be subnormal where q is not.
  look_at(q, shape_.m, kFloatMinNormal / scale_, q_traits_, q_finite_);
  look_at(k, shape_.n, kFloatMinNormal, k_traits_, k_finite_);
  sum_products();

  const std::size_t mn = shape_.m * shape_.n;
  rows.assign(shape_.m, {});
  terms.assign(shape_.m, 0);
  for (auto* v : {&t, &p, &t_rel, &t_rel_rig}) v->resize(mn);
  scores_.resize(mn);
  values_.resize(shape_.n);
  sum_tight_.resize(shape_.m), max_of_row_.resize(shape_.m);
  const SumArms arms(static_cast<double>(shape_.d), arith_->sum);
  for (std::size_t i = 0; i < shape_.m; ++i) {
    for (std::size_t j = 0; j < keys[i]; ++j) scores_[i * shape_.n + j] = score(i, j, arms);
    if (settle_special(i)) continue;
    terms[i] = keys[i];
    weigh(i);
  }
}

// Traits of each row of x, and its values with 0 for what is not finite.
void AttentionWeights::look_at(std::span<const float> x, std::size_t rows, double small,
                               std::vector<std::uint8_t>& traits, std::vector<float>& finite) const {
  traits.assign(rows, 0);
  finite.assign(x.begin(), x.end());
  const bool flushes = arith_->flush_inputs || rounding_.u_in > 0;
  const float least = flushes ? static_cast<float>(small) : 0.0f, limit = rounding_.first_special();
  for (std::size_t i = 0; i < rows; ++i) {
    if (all_ordinary(x.subspan(i * shape_.d, shape_.d), least, limit)) continue;
    for (std::size_t e = i * shape_.d; e < (i + 1) * shape_.d; ++e) {
      const double magnitude = std::fabs(x[e]);
      if (!(magnitude <= kFloatMax))
        traits[i] |= kNonFinite, finite[e] = 0;
      else
        traits[i] |= (flushes && magnitude < small && magnitude > 0 ? kSmall : 0) |
                     (magnitude >= rounding_.overflow ? kMayRoundToInf : 0);
    }
  }
}

void AttentionWeights::sum_products() {
  panels_.assign_transposed(k_finite_, shape_.n, shape_.d);
  q_wide_.assign(q_finite_.begin(), q_finite_.end());
  const bool drift = two_tiers = needs_drift(static_cast<double>(shape_.d), arith_->sum);
  const RowLimits limits{.columns = keys};
  product_sums(q_wide_, shape_.m, panels_, drift ? Sums::all : Sums::exact, limits, plain_);
  int exponent;
  if (!drift || std::frexp(scale_, &exponent) == 0.5) return;
  // A kernel may multiply q by the scale first: other products, other roundings. (A power of two changes none.)
  q_scaled_.resize(q_finite_.size());
  for (std::size_t e = 0; e < q_scaled_.size(); ++e) q_scaled_[e] = q_finite_[e] * scale_in_fp32_;
  product_sums(q_scaled_, shape_.m, panels_, Sums::drift, limits, scaled_);
  for (std::size_t i = 0; i < shape_.m; ++i)
    for (std::size_t at = i * shape_.n; at < i * shape_.n + keys[i]; ++at)
      plain_.drift[at] = std::max(plain_.drift[at], scaled_.drift[at] / scale_);
}

// sum |q k| over products with an operand that may be flushed, or its error from rounding to tf32.
double AttentionWeights::small_operands(std::size_t i, std::size_t j) const {
  double sum = 0;
  for (std::size_t e = 0; e < shape_.d; ++e) {
    const double x = q_finite_[i * shape_.d + e], y = k_finite_[j * shape_.d + e];
    if (arith_->flushes(x) || arith_->flushes(y) || arith_->flushes(x * scale_)) sum += std::fabs(x * y);
    if (rounding_.u_in > 0) sum += rounding_.cast(x) * std::fabs(y) + rounding_.cast(y) * std::fabs(x);
  }
  return sum;
}

// The score of two finite vectors.
AttentionWeights::Score AttentionWeights::score(std::size_t i, std::size_t j, const SumArms& arms) const {
  const std::size_t at = i * shape_.n + j, d = shape_.d;
  const double sum = plain_.abs_sum[at];
  double tight = arms.tight(sum, plain_.drift[at]), rigorous = arms.rigorous(sum);
  if (tensor_cores_) {
    SumBound plain;
    plain.tight = tight, plain.rigorous = rigorous;
    const auto on_tensor_cores = [&](auto query, double scale) {
      const SumBound b = tensor_core_bound(
          d, query, [&](std::size_t e) { return double{k_finite_[j * d + e]}; },
          tensor_core_format(arith_->in, rounding_.u_in > 0), arith_->sum, plain);
      tight = std::max(tight, b.tight / scale), rigorous = std::max(rigorous, b.rigorous / scale);
    };
    on_tensor_cores([&](std::size_t e) { return double{q_finite_[i * d + e]}; }, 1);
    plain.tight *= scale_, plain.rigorous *= scale_;
    on_tensor_cores([&](std::size_t e) { return double{q_finite_[i * d + e] * scale_in_fp32_}; }, scale_);
  }
  double other = 3 * u * sum;
  if ((q_traits_[i] | k_traits_[j]) & kSmall) other += small_operands(i, j);
  if (rounding_.u_in > 0) other += (2 * rounding_.u_in + rounding_.u_in * rounding_.u_in) * sum;
  Score s;
  s.value = plain_.value[at] * scale_;
  double relative = 2 * u;
  if (arith_->dialects.s_cast && arith_->in != DType::f32) {
    relative += 1.05 * info(arith_->in).unit_roundoff;
    other += half_min_subnormal(arith_->in);
  }
  s.e = (tight + other) * scale_ + relative * std::fabs(s.value);
  s.e_rig = (rigorous + other) * scale_ + relative * std::fabs(s.value);
  return s;
}

bool AttentionWeights::overflows(std::size_t i, std::size_t j) const {
  const std::size_t at = i * shape_.n + j;
  if (plain_.abs_sum[at] > kScoreOverflowShare * kFloatMax) return true;
  return arith_->dialects.s_cast && arith_->in == DType::f16 &&
         std::fabs(plain_.value[at]) + scores_[at].e / scale_ > 65504;
}

// Rows with scores that are not finite, or that some correct form cannot hold; true when the row is settled.
bool AttentionWeights::settle_special(std::size_t i) {
  AttentionRow& row = rows[i];
  const auto unspecified = [&](Reason why) { return row.state = AttentionRow::unspecified, row.reason = why, true; };
  bool nan = false, overflow = false, rounding = false, ill = false;
  std::size_t finite = 0;
  for (std::size_t j = 0; j < keys[i]; ++j) {
    const std::uint8_t traits = q_traits_[i] | k_traits_[j];
    rounding |= traits & kMayRoundToInf;
    Score& s = scores_[i * shape_.n + j];
    if (traits & kNonFinite) {
      double sum = 0;
      for (std::size_t e = 0; e < shape_.d; ++e) sum += double{q_[i * shape_.d + e]} * k_[j * shape_.d + e];
      nan |= !(sum < 0);  // NaN; or +Inf, which is NaN after the maximum is subtracted
      s.value = -kInf;
      row.gaps = true;
      continue;
    }
    ++finite;
    overflow |= overflows(i, j);
    ill |= 4 * u * (std::fabs(s.value) + s.e) > kLargestArgument;
  }
  if (rounding) return unspecified(Reason::input_rounding);
  if (overflow) return unspecified(Reason::overflow);
  if (nan) return row.state = AttentionRow::nan, true;
  if (finite == 0) return row.state = AttentionRow::nothing, true;
  if (ill) return unspecified(Reason::ill_conditioned);
  row.nan_ok = row.gaps || masked_may_be_nan(i);
  return false;
}

// Where masks are added to the scores, NaN, Inf and overflow behind them come through.
bool AttentionWeights::masked_may_be_nan(std::size_t i) const {
  if (arith_->dialects.mask_select || keys[i] == shape_.n) return false;
  constexpr std::uint8_t kSpecial = kNonFinite | kMayRoundToInf;
  if (q_traits_[i] & kSpecial) return true;
  const auto largest = [](std::span<const float> x) {
    float m = 0;
    for (const float v : x) m = std::max(m, std::fabs(v));
    return double{m};
  };
  const double limit = kScoreOverflowShare * kFloatMax;
  const bool may_overflow = static_cast<double>(shape_.d) * largest(q_.subspan(i * shape_.d, shape_.d)) *
                                largest(std::span<const float>(k_finite_).subspan(keys[i] * shape_.d)) >
                            limit;
  for (std::size_t j = keys[i]; j < shape_.n; ++j) {
    if (k_traits_[j] & kSpecial) return true;
    if (!may_overflow) continue;
    double sum = 0;
    for (std::size_t e = 0; e < shape_.d; ++e) sum += std::fabs(double{q_[i * shape_.d + e]} * k_[j * shape_.d + e]);
    if (sum > limit) return true;
  }
  return false;
}

void AttentionWeights::weigh(std::size_t i) {
  AttentionRow& row = rows[i];
  const std::size_t first = i * shape_.n, count = keys[i];
  const Score* s = scores_.data() + first;
  max_ = -kInf;
  for (std::size_t j = 0; j < count; ++j) max_ = std::max(max_, values_[j] = s[j].value);
  max_of_row_[i] = max_;
  double weighted = 0, weighted_rig = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const double x = s[j].value;
    if (x == -kInf) {
      t[first + j] = t_rel[first + j] = t_rel_rig[first + j] = 0;
      continue;
    }
    const double e = x == max_ ? 1 : std::exp(x - max_), argument = argument_error(x);
    const double rel = expm1_bound(s[j].e + argument) + 3 * u,
                 rel_rig = two_tiers ? expm1_bound(s[j].e_rig + argument) + 3 * u : rel;
    t[first + j] = e, t_rel[first + j] = e * rel, t_rel_rig[first + j] = e * rel_rig;
    row.loose |= rel > 0.25 && e > 0;
    row.loose_rig |= rel_rig > 0.25 && e > 0;
    row.l += e, weighted += e * rel, weighted_rig += e * rel_rig;
  }
  const SumBound sum = sum_bound(
      count, [&](std::size_t j) { return t[first + j]; }, arith_->sum);
  sum_tight_[i] = sum.tight;
  row.rescaling = 4 * u * rescales(std::span<const double>(values_.data(), count));
  row.rel_l = (weighted + sum.tight) / row.l + row.rescaling;
  row.rel_l_rig = (weighted_rig + sum.rigorous) / row.l + row.rescaling;
  const double over_l = 1 / row.l;
  for (std::size_t j = 0; j < count; ++j) p[first + j] = static_cast<float>(t[first + j] * over_l);
}

AttentionWeights::Parts AttentionWeights::parts(std::size_t i, std::span<const double> weight) const {
  Parts sum;
  for (std::size_t j = 0; j < keys[i]; ++j) {
    const Score& s = scores_[i * shape_.n + j];
    if (s.value == -kInf) continue;
    const double argument = 2.25 * u * (std::fabs(s.value) + std::fabs(max_of_row_[i])) + argument_floor_;
    const double whole = expm1_bound(s.e + argument), share = s.e > 0 ? s.e / (s.e + argument) : 0;
    sum.scores += weight[j] * whole * share;
    sum.argument += weight[j] * whole * (1 - share);
  }
  return sum;
}

}  // namespace warpfuzz
