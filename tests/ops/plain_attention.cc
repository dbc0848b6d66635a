#include "plain_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/lanes/arith.h"
#include "ops/lanes/input_rounding.h"
#include "ops/parts/softmax_bound.h"

namespace warpfuzz::test {
namespace {

constexpr double u = Arith::u, kInf = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<float>::max();

bool finite(double x) { return std::fabs(x) <= kLargest; }

struct Plain {
  const Problem& p;
  const RefContext context;
  const Arith arith;
  const InputRounding rounding;
  const Dialects& dialects;
  const bool tensor_cores, sixteen;
  const std::size_t m, n, d;
  const double scale;
  const float scale_fp32;
  std::size_t head = 0, i = 0;
  // One row.
  std::size_t keys = 0;
  std::vector<double> score, e, e_rig, t, rel, rel_rig;
  double max = 0, l = 0, rel_l = 0, rel_l_rig = 0, rescaling = 0;
  bool loose = false, loose_rig = false, nan_ok = false;

  explicit Plain(const Problem& problem)
      : p(problem),
        context{p.schema(), p.test_case, p.in, p.row, p.spec.dialects(), p.in_type(), p.out_type()},
        arith(context),
        rounding(input_rounding(arith)),
        dialects(p.spec.dialects()),
        tensor_cores(arith.in == DType::f32 ? rounding.u_in > 0 : dialects.tc),
        sixteen(arith.in != DType::f32),
        m(p.dim("M")),
        n(p.dim("N")),
        d(p.dim("D")),
        scale(1 / std::sqrt(static_cast<double>(d))),
        scale_fp32(static_cast<float>(scale)) {}

  double q(std::size_t c) const { return p["q"][(head * m + i) * d + c]; }
  double k(std::size_t j, std::size_t c) const { return p["k"][(head * n + j) * d + c]; }
  double v(std::size_t j, std::size_t c) const { return p["v"][(head * n + j) * d + c]; }
  bool causal() const { return p.test_case.flags & 1; }

  template <class A, class B>
  SumBound on_tensor_cores(std::size_t terms, A a, B b, double plain_tight, double plain_rigorous) const {
    SumBound plain;
    plain.tight = plain_tight, plain.rigorous = plain_rigorous;
    return tensor_core_bound(terms, a, b, tensor_core_format(arith.in, rounding.u_in > 0), arith.sum, plain);
  }

  struct Score {
    double value, e, e_rig, abs_sum;
  };
  Score score_of(std::size_t j) const {
    const auto scaled = [&](std::size_t c) { return double{static_cast<float>(q(c)) * scale_fp32}; };
    SumBound sum = sum_bound(d, [&](std::size_t c) { return q(c) * k(j, c); }, arith.sum);
    int exponent;
    if (std::frexp(scale, &exponent) != 0.5) {
      const SumBound other = sum_bound(d, [&](std::size_t c) { return scaled(c) * k(j, c); }, arith.sum);
      sum.drift = std::max(sum.drift, other.drift / scale);
      set_arms(sum, static_cast<double>(d), arith.sum);
    }
    double tight = sum.tight, rigorous = sum.rigorous, other = 3 * u * sum.abs_sum;
    if (tensor_cores) {
      const auto key = [&](std::size_t c) { return k(j, c); };
      const SumBound after = on_tensor_cores(d, [&](std::size_t c) { return q(c); }, key, tight, rigorous);
      const SumBound before = on_tensor_cores(d, scaled, key, sum.tight * scale, sum.rigorous * scale);
      tight = std::max({tight, after.tight, before.tight / scale});
      rigorous = std::max({rigorous, after.rigorous, before.rigorous / scale});
    }
    for (std::size_t c = 0; c < d; ++c) {
      const double x = q(c), y = k(j, c);
      if (arith.flushes(x) || arith.flushes(y) || arith.flushes(x * scale)) other += std::fabs(x * y);
      if (rounding.u_in > 0) other += rounding.cast(x) * std::fabs(y) + rounding.cast(y) * std::fabs(x);
    }
    other += (2 * rounding.u_in + rounding.u_in * rounding.u_in) * sum.abs_sum;
    double relative = 2 * u;
    if (dialects.s_cast && sixteen) {
      relative += 1.05 * info(arith.in).unit_roundoff;
      other += half_min_subnormal(arith.in);
    }
    const double value = sum.value * scale;
    return {value, (tight + other) * scale + relative * std::fabs(value),
            (rigorous + other) * scale + relative * std::fabs(value), sum.abs_sum};
  }

  // Settles rows that have no weights: flags and reason, or 0.
  int special_row(Reason& why) {
    bool nan = false, overflow = false, ill = false, rounds_to_inf = false, gaps = false, any = false;
    score.assign(keys, -kInf), e.assign(keys, 0), e_rig.assign(keys, 0);
    for (std::size_t j = 0; j < keys; ++j) {
      double plain = 0;
      bool all_finite = true;
      for (std::size_t c = 0; c < d; ++c) {
        plain += q(c) * k(j, c);
        all_finite &= finite(q(c)) && finite(k(j, c));
        for (const double x : {std::fabs(q(c)), std::fabs(k(j, c))})
          rounds_to_inf |= x >= rounding.overflow && finite(x);
      }
      if (!all_finite) {
        gaps = true, nan |= !(plain < 0);
        continue;
      }
      any = true;
      const Score s = score_of(j);
      score[j] = s.value, e[j] = s.e, e_rig[j] = s.e_rig;
      overflow |= s.abs_sum > 0.6 * kLargest;
      if (dialects.s_cast && arith.in == DType::f16) overflow |= std::fabs(s.value / scale) + s.e / scale > 65504;
      ill |= 4 * u * (std::fabs(s.value) + s.e) > 60;
    }
    nan_ok = gaps;
    if (rounds_to_inf) return why = Reason::input_rounding, kAny;
    if (overflow) return why = Reason::overflow, kAny;
    if (nan) return kNanRequired;
    if (!any) return kNanOk | kZeroOk;
    if (ill) return why = Reason::ill_conditioned, kAny;
    if (!dialects.mask_select)
      for (std::size_t j = keys; j < n; ++j) {
        double sum = 0;
        for (std::size_t c = 0; c < d; ++c) {
          sum += std::fabs(q(c) * k(j, c));
          for (const double x : {q(c), k(j, c), v(j, c)}) nan_ok |= !(std::fabs(x) < rounding.first_special());
        }
        nan_ok |= !(sum <= 0.6 * kLargest);
      }
    return 0;
  }

  void weigh() {
    const double floor = arith.flush_results ? 2 * kFloatMinNormal : 0;
    t.assign(keys, 0), rel.assign(keys, 0), rel_rig.assign(keys, 0);
    max = *std::max_element(score.begin(), score.end());
    l = 0, loose = loose_rig = false;
    double weighted = 0, weighted_rig = 0;
    for (std::size_t j = 0; j < keys; ++j) {
      if (score[j] == -kInf) continue;
      const double argument = 2.25 * u * (std::fabs(score[j]) + std::fabs(max)) + floor;
      // Where exp leaves the normal numbers a weight is 0, as in every format of a kernel: it is neither cast nor rounded.
      t[j] = score[j] - max < -708 ? 0 : std::exp(score[j] - max);
      rel[j] = expm1_bound(e[j] + argument) + 3 * u, rel_rig[j] = expm1_bound(e_rig[j] + argument) + 3 * u;
      loose |= rel[j] > 0.25 && score[j] - max + e[j] + argument > -745;
      loose_rig |= rel_rig[j] > 0.25 && score[j] - max + e_rig[j] + argument > -745;
      l += t[j], weighted += t[j] * rel[j], weighted_rig += t[j] * rel_rig[j];
    }
    const SumBound sum = sum_bound(keys, [&](std::size_t j) { return t[j]; }, arith.sum);
    rescaling = 4 * u * rescales(std::span<const double>(score));
    rel_l = (weighted + sum.tight) / l + rescaling, rel_l_rig = (weighted_rig + sum.rigorous) / l + rescaling;
  }

  double bound(std::size_t c, bool rigorous) const {
    const auto terms = static_cast<double>(keys);
    double value = 0, abs_sum = 0, values = 0, errors = 0, least = kInf, most = -kInf, flushed = 0, rounded = 0;
    for (std::size_t j = 0; j < keys; ++j) {
      if (score[j] == -kInf) continue;
      const double x = v(j, c), size = std::fabs(x);
      value += t[j] * x / l, abs_sum += t[j] * size / l, values += size;
      errors += t[j] * (rigorous ? rel_rig : rel)[j] * size / l;
      least = std::min(least, x), most = std::max(most, x);
      if (arith.flushes(x)) flushed += t[j] / l * size;
      rounded += rounding.cast(x) * std::min(1.0, 1.3 * t[j] / l) + rounding.cast(t[j] / l) * size;
    }
    const double largest = std::max(std::fabs(least), std::fabs(most)), row_error = rigorous ? rel_l_rig : rel_l;
    const bool known = row_error <= 0.25;
    const double weight = known ? abs_sum : largest;
    double total = std::max({most - value, value - least, 0.0});
    if (known && !(rigorous ? loose_rig : loose)) total = std::min(total, errors + 1.2 * abs_sum * row_error);

    // The sum over keys: of t v, and of (t / l) v in fp32.
    const auto x = [&](std::size_t j) { return finite(v(j, c)) ? v(j, c) : 0; };
    const auto p32 = [&](std::size_t j) { return double{static_cast<float>(t[j] / l)}; };
    const auto drift = [&](auto weight_of) {
      return sum_bound(keys, [&](std::size_t j) { return static_cast<float>(weight_of(j)) * x(j); }, arith.sum).drift;
    };
    SumBound sum;
    sum.abs_sum = abs_sum * l;
    if (needs_drift(static_cast<double>(n), arith.sum))
      sum.drift = std::max(drift([&](std::size_t j) { return t[j]; }), drift(p32) * l);
    set_arms(sum, terms, arith.sum);
    double accumulation = rigorous ? sum.rigorous : sum.tight;
    const double tail = terms * arith.sum.eta;
    if (tensor_cores) {
      const SumBound a = on_tensor_cores(keys, [&](std::size_t j) { return t[j]; }, x, accumulation, accumulation);
      const SumBound b = on_tensor_cores(keys, p32, x, accumulation, accumulation);
      accumulation = rigorous ? std::max(a.rigorous, b.rigorous * l) : std::max(a.tight, b.tight * l);
      total += accumulation / l;
    } else {
      total += (accumulation - tail) / l + tail;
    }
    if (!known) total += (rigorous ? terms : arith.sum.lam * std::sqrt(terms)) * u * largest;
    total += (4 * u + rescaling) * weight;
    if (dialects.p_cast && sixteen)
      total += 1.05 * info(arith.in).unit_roundoff * weight + half_min_subnormal(arith.in) * values;
    if (dialects.rpr && arith.out != DType::f32)
      total += 1.05 * info(arith.out).unit_roundoff * weight + terms * half_min_subnormal(arith.out);
    if (rounding.u_in > 0) total += 2 * rounding.u_in * (1 + rounding.u_in) * weight + rounded;
    return total + flushed + (arith.flush_results ? arith.eta * (terms + 1 + values) : 0x1p-147 * (1 + values));
  }

  void element(Reference& ref, std::size_t c) const {
    const std::size_t at = (head * m + i) * d + c;
    bool nan = false, plus = false, minus = false, rounds_to_inf = false;
    double values = 0, sum = 0;
    for (std::size_t j = 0; j < keys; ++j) {
      if (score[j] == -kInf) continue;
      const double x = v(j, c);
      nan |= std::isnan(x), plus |= x == kInf, minus |= x == -kInf;
      rounds_to_inf |= std::fabs(x) >= rounding.overflow && finite(x);
      values += finite(x) ? std::fabs(x) : 0, sum += t[j] * x;
    }
    const auto flag = [&](int f, Reason why = Reason::none) {
      ref.flags[at] = static_cast<std::uint8_t>(f), ref.reason[at] = why;
    };
    if (nan || (plus && minus)) return flag(kNanRequired);
    if (rounds_to_inf) return flag(kAny, Reason::input_rounding);
    if (plus || minus) return flag(kNanOk), void(ref.r[at] = plus ? kInf : -kInf);
    const bool half_sums = dialects.rpr && arith.out == DType::f16;
    if (values > Arith::overflow || (half_sums && values > 65504)) return flag(kAny, Reason::overflow);
    flag(nan_ok ? kNanOk : 0);
    ref.r[at] = sum / l;
    ref.e[at] = bound(c, false);
    ref.e_rig[at] = std::max(ref.e[at], bound(c, true));
  }

  Reference run() {
    Reference ref;
    ref.resize(p.dim("B") * m * d);
    for (head = 0; head < p.dim("B"); ++head)
      for (i = 0; i < m; ++i) {
        keys = causal() ? std::min(i + 1, n) : n;
        Reason why = Reason::none;
        const int settled = special_row(why);
        if (!settled) weigh();
        for (std::size_t c = 0; c < d; ++c) {
          const std::size_t at = (head * m + i) * d + c;
          if (settled) ref.flags[at] = static_cast<std::uint8_t>(settled), ref.reason[at] = why;
          else element(ref, c);
        }
      }
    return ref;
  }
};

}  // namespace

Reference plain_attention(const Problem& p) { return Plain(p).run(); }

}  // namespace warpfuzz::test
