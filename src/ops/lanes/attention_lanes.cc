#include "ops/lanes/attention_lanes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/lanes/arith.h"
#include "ops/parts/softmax_bound.h"

namespace warpfuzz {
namespace {

constexpr double u = Arith::u, kInf = std::numeric_limits<double>::infinity();
constexpr double kExpError = 3 * u + 0x1p-51;  // of exp in fp32, and of the reference's own
constexpr double kArgumentShare = 2.25 * u;
// exp of less is 0 in any format: such a weight does not count.
constexpr double kLeastExponent = -745;

constexpr Bits64 kLaneNumbers = {0, 1, 2, 3, 4, 5, 6, 7};

template <bool Drift, bool Other>
WARPFUZZ_INLINE void score_lanes(const ScoreForm& f, const ProductSums& sums, std::size_t keys, ScoreRow& row) {
  const ScoreForm form = f;
  const double *values = sums.value.data(), *abs_sums = sums.abs_sum.data(), *drifts = sums.drift.data(),
               *others = sums.other_drift.data();
  double *score = row.score.data(), *e = row.e.data(), *e_rig = row.e_rig.data();
  const Doubles minus_inf = Doubles{} - kInf;
  Doubles max = minus_inf;
  Bits64 overflow = {}, ill = {};
  for (std::size_t j = 0; j < keys; j += kLanes) {
    Doubles value, abs_sum;
    load(value, values + j), load(abs_sum, abs_sums + j);
    const Bits64 seen = kLaneNumbers < static_cast<std::int64_t>(keys - j);
    const Doubles u_s = abs_sum * u, other = abs_sum * form.sum_share + form.absolute;
    const Doubles rigorous = u_s * form.first;
    Doubles tight = rigorous;
    if constexpr (Drift) {
      Doubles drift;
      load(drift, drifts + j);
      if constexpr (Other) {
        Doubles second;
        load(second, others + j);
        second *= form.other_unit;
        drift = second > drift ? second : drift;
      }
      const Doubles second = u_s * form.second + drift * form.kap;
      tight = second < tight ? second : tight;
    }
    const Doubles s = value * form.scale, size = WARPFUZZ_ABS64(s), relative = size * form.relative;
    const Doubles bound = (tight + other) * form.scale + relative;
    overflow |= seen & ((abs_sum > form.largest_sum) |
                        (WARPFUZZ_ABS64(value) * form.scale + bound > form.largest_value * form.scale));
    ill |= seen & ((size + bound) * (4 * u) > kLargestArgument);
    const Doubles visible = seen ? s : minus_inf;
    max = visible > max ? visible : max;
    store(score + j, visible);
    store(e + j, bound);
    if constexpr (Drift) store(e_rig + j, (rigorous + other) * form.scale + relative);
  }
  row.overflow = any_lane(overflow), row.ill = any_lane(ill);
  row.max = -kInf;
  for (std::size_t l = 0; l < kLanes; ++l) row.max = std::max(row.max, max[l]);
}

// Whether the weight counts at all, and the upper bound of expm1 of a for a <= 1/4.
#define WARPFUZZ_SMALL_EXPM1(a) ((a) * (1.0 + (a) * (0.5 + (a) * 0.25)))

// False where some bound of an argument is above 1/4: then the row's errors are wrong.
template <bool TwoTiers>
WARPFUZZ_INLINE void weigh_lanes(const ScoreRow& scores, std::size_t keys, double argument_floor, WeightRow& row,
                                 bool& small) {
  const double *score = scores.score.data(), *e = scores.e.data(), *e_rig = scores.e_rig.data();
  double *ts = row.t.data(), *t_rel = row.t_rel.data(), *t_rel_rig = row.t_rel_rig.data();
  const double max = scores.max, constant = std::fabs(max) * kArgumentShare + argument_floor;
  Doubles sum = {}, error = {}, error_rig = {};
  Bits64 loose = {}, loose_rig = {}, large = {};
  for (std::size_t j = 0; j < keys; j += kLanes) {
    Doubles s, t, bound;
    load(s, score + j), load(bound, e + j);
    const Doubles exponent = s - max, argument = WARPFUZZ_ABS64(s) * kArgumentShare + constant;
    exp_of_lanes(exponent, t);
    const Bits64 counts = t > 0.0;
    const auto tier = [&](const Doubles& score_bound, Doubles& total, Bits64& is_loose, double* to)
                          __attribute__((always_inline)) {
                            const Doubles a = score_bound + argument, rel = WARPFUZZ_SMALL_EXPM1(a) + kExpError;
                            const Bits64 may_count = exponent + a > kLeastExponent;
                            is_loose |= may_count & (rel > 0.25);
                            large |= may_count & (a >= 0.25);
                            const Doubles product = WARPFUZZ_KEEP64(counts, t * rel);
                            total += product;
                            store(to + j, product);
                          };
    tier(bound, error, loose, t_rel);
    if constexpr (TwoTiers) {
      load(bound, e_rig + j);
      tier(bound, error_rig, loose_rig, t_rel_rig);
    }
    sum += t;
    store(ts + j, t);
  }
  row.sum = sum_of_lanes(sum), row.error = sum_of_lanes(error);
  row.error_rig = TwoTiers ? sum_of_lanes(error_rig) : row.error;
  row.loose = any_lane(loose), row.loose_rig = TwoTiers ? any_lane(loose_rig) : row.loose;
  small = !any_lane(large);
}

// The errors once more, with expm1 where its series does not do.
double large_errors(const ScoreRow& scores, std::size_t keys, const std::vector<double>& e, double argument_floor,
                    const std::vector<double>& t, std::vector<double>& t_rel) {
  double sum = 0;
  for (std::size_t j = 0; j < keys; ++j) {
    if (t[j] == 0) continue;
    const double argument = argument_error(scores.score[j], scores.max, argument_floor);
    sum += t_rel[j] = t[j] * (expm1_bound(e[j] + argument) + kExpError);
  }
  return sum;
}

WARPFUZZ_INLINE void normalise_lanes(const double* t, double over_sum, std::size_t keys, float* p) {
  for (std::size_t j = 0; j < keys; j += kLanes) {
    Doubles v;
    load(v, t + j);
    store(p + j, __builtin_convertvector(v * over_sum, Floats));
  }
}

}  // namespace

double argument_error(double score, double max, double argument_floor) {
  return std::fabs(score) * kArgumentShare + (std::fabs(max) * kArgumentShare + argument_floor);
}

void score_row(const ScoreForm& form, const ProductSums& sums, std::size_t keys, ScoreRow& row) {
  for (auto* v : {&row.score, &row.e, &row.e_rig}) v->resize(whole_lanes(keys));
  using Row = void (*)(const ScoreForm&, const ProductSums&, std::size_t, ScoreRow&);
  const auto run = []<bool Drift, bool Other>() -> Row {
    return [](const ScoreForm& f, const ProductSums& s, std::size_t n, ScoreRow& r) {
      call_widest<score_lanes<Drift, Other>, const ScoreForm&, const ProductSums&, std::size_t, ScoreRow&>(f, s, n, r);
    };
  };
  const Row plain = run.operator()<false, false>(), drift = run.operator()<true, false>(),
            both = run.operator()<true, true>();
  (!form.drift ? plain : form.other_unit > 0 ? both : drift)(form, sums, keys, row);
}

void weigh_row(const ScoreRow& scores, std::size_t keys, bool two_tiers, double argument_floor, WeightRow& row) {
  for (auto* v : {&row.t, &row.t_rel, &row.t_rel_rig}) v->resize(whole_lanes(keys));
  row.p.resize(whole_lanes(keys));
  bool small = true;
  if (two_tiers)
    call_widest<weigh_lanes<true>, const ScoreRow&, std::size_t, double, WeightRow&, bool&>(scores, keys,
                                                                                            argument_floor, row, small);
  else
    call_widest<weigh_lanes<false>, const ScoreRow&, std::size_t, double, WeightRow&, bool&>(
        scores, keys, argument_floor, row, small);
  if (!small) {
    row.error_rig = row.error = large_errors(scores, keys, scores.e, argument_floor, row.t, row.t_rel);
    if (two_tiers) row.error_rig = large_errors(scores, keys, scores.e_rig, argument_floor, row.t, row.t_rel_rig);
  }
  call_widest<normalise_lanes, const double*, double, std::size_t, float*>(row.t.data(), 1 / row.sum, keys,
                                                                           row.p.data());
}

}  // namespace warpfuzz
