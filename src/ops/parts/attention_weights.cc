// Scores as exact sums with the bounds of their fp32 forms; the relative error of exp(score - max) follows from those.
#include "ops/parts/attention_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/parts/softmax_bound.h"

namespace warpfuzz {
namespace {

constexpr double u = Arith::u, kInf = std::numeric_limits<double>::infinity();
constexpr double kScoreOverflowShare = 0.6;  // of the largest float: beyond it some form of a score may overflow

double largest(std::span<const float> finite) {
  float m = 0;
  for (const float v : finite) m = std::max(m, std::fabs(v));
  return m;
}

}  // namespace

void AttentionWeights::prepare(const RefContext& c, const Arith& a, const AttentionShape& s) {
  context_ = &c, arith_ = &a, shape_ = s;
  rounding_ = input_rounding(a);
  tensor_cores_ = a.in == DType::f32 ? rounding_.u_in > 0 : a.dialects.tc;
  scale_ = 1 / std::sqrt(static_cast<double>(s.d));
  scale_in_fp32_ = static_cast<float>(scale_);
  argument_floor_ = a.flush_results ? 2 * kFloatMinNormal : 0;

  const SumArms arms(static_cast<double>(s.d), a.sum);
  form_ = {.scale = scale_, .first = arms.n * (a.sum.u / u), .second = arms.second * (a.sum.u / u), .kap = arms.kap};
  form_.drift = needs_drift(arms.n, a.sum);
  two_tiers = form_.drift || tensor_cores_;
  // A kernel may multiply q by the scale first: other products, other roundings. (A power of two changes none.)
  int exponent;
  other_products_ = form_.drift && std::frexp(scale_, &exponent) != 0.5;
  form_.other_unit = other_products_ ? 1 / scale_ : 0;
  form_.sum_share = 3 * u + 2 * rounding_.u_in + rounding_.u_in * rounding_.u_in;
  form_.absolute = arms.tail, form_.relative = 2 * u;
  form_.largest_sum = kScoreOverflowShare * kFloatMax, form_.largest_value = kInf;
  if (a.dialects.s_cast && a.in != DType::f32) {
    form_.relative += 1.05 * info(a.in).unit_roundoff;
    form_.absolute += half_min_subnormal(a.in);
    if (a.in == DType::f16) form_.largest_value = info(a.in).max;
  }
}

void AttentionWeights::head(std::span<const float> q, std::span<const float> k) {
  // q * scale may be subnormal where q is not.
  const bool flushes = arith_->flush_inputs || rounding_.u_in > 0;
  const float limit = rounding_.first_special();
  const auto least_query = flushes ? static_cast<float>(kFloatMinNormal / scale_) : 0.0f;
  const auto least_key = flushes ? static_cast<float>(kFloatMinNormal) : 0.0f;
  q_.assign(q, shape_.m), k_.assign(k, shape_.n);
  if (!all_ordinary(q, least_query, limit)) look_at(q_, least_query);
  least_key_ = least_key;
  panels_.assign_transposed(k, shape_.n, shape_.d, {least_key, limit});
  keys_settled_ = false;
  largest_key_ = 0;
  if (shape_.causal) {
    settle_keys();
    largest_key_ = largest(k_.finite);
  }
}

// False where some keys are special: then the panels are of other values than before.
bool AttentionWeights::settle_keys() {
  keys_settled_ = true;
  if (panels_.finish()) return true;
  look_at(k_, least_key_);
  panels_.assign_transposed(k_.finite, shape_.n, shape_.d);
  return false;
}

AttentionRow AttentionWeights::row(std::size_t i) {
  const std::size_t keys = shape_.keys(i);
  AttentionRow row;
  sum_products(i, keys);
  if (!keys_settled_ && !settle_keys()) sum_products(i, keys);
  score_row(form_, sums_, keys, scores_);
  if (tensor_cores_ || (q_.traits[i] | k_.all_traits) & kSmall) add_special_errors(i, keys);
  if (settle_special(i, keys, row)) return row;

  weigh_row(scores_, keys, two_tiers, argument_floor_, weights);
  const SumBound sum = sum_bound(keys, [&](std::size_t j) { return weights.t[j]; }, arith_->sum);
  row.rescaling = 4 * u * rescales(std::span<const double>(scores_.score.data(), keys));
  row.accumulation = sum.tight / weights.sum;
  row.rel_l = (weights.error + sum.tight) / weights.sum + row.rescaling;
  row.rel_l_rig = (weights.error_rig + sum.rigorous) / weights.sum + row.rescaling;
  return row;
}

void AttentionWeights::look_at(Operand& operand, double least) const {
  operand.replaced.assign(operand.values.begin(), operand.values.end());
  operand.finite = operand.replaced;
  for (std::size_t i = 0; i < operand.traits.size(); ++i) {
    std::uint8_t& traits = operand.traits[i];
    for (std::size_t e = i * shape_.d; e < (i + 1) * shape_.d; ++e) {
      const double magnitude = std::fabs(operand.values[e]);
      if (!(magnitude <= kFloatMax)) traits |= kNonFinite, operand.replaced[e] = 0;
      else
        traits |=
            (magnitude < least && magnitude > 0 ? kSmall : 0) | (magnitude >= rounding_.overflow ? kMayRoundToInf : 0);
    }
    operand.all_traits |= traits;
  }
}

void AttentionWeights::sum_products(std::size_t i, std::size_t keys) {
  const std::span<const float> q = q_.finite.subspan(i * shape_.d, shape_.d);
  q_wide_.assign(q.begin(), q.end());
  ProductRow row{.a = q_wide_, .drift = form_.drift};
  if (other_products_) {
    q_scaled_.assign(q.begin(), q.end());
    for (float& x : q_scaled_) x *= scale_in_fp32_;
    row.other = q_scaled_;
  }
  sums_.run(row, panels_, keys);
}

// What tensor cores and operands below the smallest normal number add to the bounds of the scores.
void AttentionWeights::add_special_errors(std::size_t i, std::size_t keys) {
  if (!form_.drift) scores_.e_rig = scores_.e;
  for (std::size_t j = 0; j < keys; ++j) {
    double tight = 0, rigorous = 0;
    if (tensor_cores_) tight = tensor_core_excess(i, j, false), rigorous = tensor_core_excess(i, j, true);
    const double small = (q_.traits[i] | k_.traits[j]) & kSmall ? small_operands(i, j) : 0;
    scores_.e[j] += (tight + small) * scale_;
    scores_.e_rig[j] += (rigorous + small) * scale_;
  }
}

// How far the bound of a sum on tensor cores is above that of a plain one, the scale before or after the sum.
double AttentionWeights::tensor_core_excess(std::size_t i, std::size_t j, bool rigorous) const {
  const std::size_t d = shape_.d;
  const SumArms arms(static_cast<double>(d), arith_->sum);
  double drift = form_.drift ? sums_.drift[j] : 0;
  if (other_products_) drift = std::max(drift, sums_.other_drift[j] / scale_);
  const double plain = rigorous ? arms.rigorous(sums_.abs_sum[j]) : arms.tight(sums_.abs_sum[j], drift);
  double bound = plain;
  const auto on_tensor_cores = [&](auto query, double scale) {
    SumBound b;
    b.tight = b.rigorous = plain * scale;
    b = tensor_core_bound(
        d, query, [&](std::size_t e) { return double{k_.finite[j * d + e]}; },
        tensor_core_format(arith_->in, rounding_.u_in > 0), arith_->sum, b);
    bound = std::max(bound, (rigorous ? b.rigorous : b.tight) / scale);
  };
  on_tensor_cores([&](std::size_t e) { return double{q_.finite[i * d + e]}; }, 1);
  on_tensor_cores([&](std::size_t e) { return double{q_.finite[i * d + e] * scale_in_fp32_}; }, scale_);
  return bound - plain;
}

// sum |q k| over products with an operand that may be flushed, or its error from rounding to tf32.
double AttentionWeights::small_operands(std::size_t i, std::size_t j) const {
  double sum = 0;
  for (std::size_t e = 0; e < shape_.d; ++e) {
    const double x = q_.finite[i * shape_.d + e], y = k_.finite[j * shape_.d + e];
    if (arith_->flushes(x) || arith_->flushes(y) || arith_->flushes(x * scale_)) sum += std::fabs(x * y);
    if (rounding_.u_in > 0) sum += rounding_.cast(x) * std::fabs(y) + rounding_.cast(y) * std::fabs(x);
  }
  return sum;
}

bool AttentionWeights::overflows(std::size_t j) const {
  return sums_.abs_sum[j] > form_.largest_sum ||
         std::fabs(sums_.value[j]) + scores_.e[j] / scale_ > form_.largest_value;
}

// Rows with scores that are not finite, or that some correct form cannot hold; true when the row is settled.
bool AttentionWeights::settle_special(std::size_t i, std::size_t keys, AttentionRow& row) {
  const auto unspecified = [&](Reason why) { return row.state = AttentionRow::unspecified, row.reason = why, true; };
  const bool plain = !tensor_cores_ && (q_.traits[i] | k_.all_traits) == 0;
  if (plain) {
    if (scores_.overflow) return unspecified(Reason::overflow);
    if (scores_.ill) return unspecified(Reason::ill_conditioned);
    row.nan_ok = masked_may_be_nan(i, keys);
    return false;
  }
  bool nan = false, overflow = false, rounding = false, ill = false;
  std::size_t finite = 0;
  scores_.max = -kInf;
  for (std::size_t j = 0; j < keys; ++j) {
    const std::uint8_t traits = q_.traits[i] | k_.traits[j];
    rounding |= traits & kMayRoundToInf;
    double& s = scores_.score[j];
    if (traits & kNonFinite) {
      double sum = 0;
      for (std::size_t e = 0; e < shape_.d; ++e)
        sum += double{q_.values[i * shape_.d + e]} * k_.values[j * shape_.d + e];
      nan |= !(sum < 0);  // NaN; or +Inf, which is NaN after the maximum is subtracted
      s = -kInf;
      row.gaps = true;
      continue;
    }
    ++finite;
    scores_.max = std::max(scores_.max, s);
    overflow |= overflows(j);
    ill |= 4 * u * (std::fabs(s) + scores_.e[j]) > kLargestArgument;
  }
  if (rounding) return unspecified(Reason::input_rounding);
  if (overflow) return unspecified(Reason::overflow);
  if (nan) return row.state = AttentionRow::nan, true;
  if (finite == 0) return row.state = AttentionRow::nothing, true;
  if (ill) return unspecified(Reason::ill_conditioned);
  row.nan_ok = row.gaps || masked_may_be_nan(i, keys);
  return false;
}

// Where masks are added to the scores, NaN, Inf and overflow behind them come through.
bool AttentionWeights::masked_may_be_nan(std::size_t i, std::size_t keys) const {
  if (arith_->dialects.mask_select || keys == shape_.n) return false;
  constexpr std::uint8_t kSpecial = kNonFinite | kMayRoundToInf;
  if (q_.traits[i] & kSpecial) return true;
  const double limit = kScoreOverflowShare * kFloatMax;
  const std::span<const float> q = q_.values.subspan(i * shape_.d, shape_.d);
  const bool may_overflow = static_cast<double>(shape_.d) * largest(q) * largest_key_ > limit;
  if (!may_overflow && !(k_.all_traits & kSpecial)) return false;
  for (std::size_t j = keys; j < shape_.n; ++j) {
    if (k_.traits[j] & kSpecial) return true;
    if (!may_overflow) continue;
    double sum = 0;
    for (std::size_t e = 0; e < shape_.d; ++e) sum += std::fabs(double{q[e]} * k_.values[j * shape_.d + e]);
    if (sum > limit) return true;
  }
  return false;
}

AttentionWeights::Parts AttentionWeights::parts(std::span<const double> weight) const {
  Parts sum;
  for (std::size_t j = 0; j < weight.size(); ++j) {
    const double score = scores_.score[j], e = scores_.e[j];
    if (score == -kInf) continue;
    const double argument = argument_error(score, scores_.max, argument_floor_);
    const double whole = expm1_bound(e + argument), share = e > 0 ? e / (e + argument) : 0;
    sum.scores += weight[j] * whole * share;
    sum.argument += weight[j] * whole * (1 - share);
  }
  return sum;
}

}  // namespace warpfuzz
