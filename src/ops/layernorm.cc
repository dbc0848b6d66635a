// Layernorm over the last dim: y = (x - mean) / sqrt(var + eps) * gamma + beta, var without Bessel's correction.
//
// The bound covers two-pass and Welford variance, lanes and merges, division by sqrt or product with rsqrt, and the
// fused form x*a + b with a = rstd*gamma. E[x^2] - E[x]^2 is a dialect (var=naive), never accepted undeclared.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/families.h"
#include "ops/lanes/arith.h"
#include "ops/lanes/row_view.h"
#include "ops/registry.h"

namespace warpfuzz {
namespace {

constexpr double u = Arith::u, kInf = std::numeric_limits<double>::infinity();

// How far an fp32 forward Welford drifts from an exact one; M2 is n times the variance.
struct WelfordDrift {
  double mean = 0, m2 = 0;
};
WelfordDrift welford_drift(std::span<const float> x) {
  WelfordDrift d;
  float m = 0, m2 = 0;
  double wm = 0, w2 = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float delta = x[i] - m, count = static_cast<float>(i + 1);
    m += delta / count;
    m2 += delta * (x[i] - m);
    const double exact_delta = x[i] - wm;
    wm += exact_delta / static_cast<double>(i + 1);
    w2 += exact_delta * (x[i] - wm);
    d.mean = std::max(d.mean, std::fabs(m - wm));
    const double off = std::fabs(m2 - w2);
    d.m2 = off <= d.m2 ? d.m2 : off;  // a NaN stays
  }
  return d;
}

// What one tier knows of a row: error of the mean, range of rstd.
struct Tier {
  double mean_error = 0, hi = 0, rstd_error = 0;
};

struct LayernormRow {
  const Arith& arith;
  double eps, kap, eta;
  std::vector<double> deviation, term;

  LayernormRow(const Arith& a, double eps_value, std::size_t n)
      : arith(a),
        eps(eps_value),
        kap(a.sum.kap),
        eta(a.flush_results ? 3 * kFloatMinNormal : 0x1p-147),
        deviation(n),
        term(n) {}

  void run(std::span<const float> x, const float* gamma, const float* beta, RowOut out, Explanation* explain,
           std::size_t explained) {
    const std::size_t n = x.size();
    const double count = static_cast<double>(n);
    bool nan = false, inf = false;
    double flushed = 0;
    for (const float v : x) {
      nan |= v != v;
      inf |= std::isinf(v);
      flushed += arith.flushed(v);
    }
    const bool naive = arith.dialects.naive_variance;
    if (nan || inf) return out.flag_all(naive && !nan ? kNonFinite : kNanRequired);

    const SumBound s = sum_bound(n, [&](std::size_t i) { return static_cast<double>(x[i]); }, arith.sum);
    const double mean = s.value / count, abs_mean = std::fabs(mean);
    double reach = 0, m2 = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double d = deviation[i] = x[i] - mean, r = std::fabs(x[i]) + abs_mean;
      term[i] = d * d;
      reach += r * r;
    }
    if (s.overflow || !(reach <= Arith::overflow)) return out.flag_all(kAny, Reason::overflow);
    const SumBound v = sum_bound(n, [&](std::size_t i) { return term[i]; }, arith.sum);
    const WelfordDrift drift = welford_drift(x);
    if (v.overflow || !std::isfinite(drift.m2)) return out.flag_all(kAny, Reason::overflow);

    const double var = v.value / count;
    SumBound square;
    if (naive) {
      square = sum_bound(n, [&](std::size_t i) { return static_cast<double>(x[i]) * x[i]; }, arith.sum);
      m2 = var + mean * mean;
    }
    const double rstd = 1 / std::sqrt(var + eps);
    const auto tier = [&](double sum_error, double variance_error, double square_error) {
      Tier t;
      t.mean_error =
          std::max(sum_error / count + 2 * u * abs_mean + flushed / count, std::min(kap * drift.mean, 1e300));
      double ev = variance_error / count + 5 * u * var + 1.01 * t.mean_error * t.mean_error + kap * drift.m2 / count;
      if (arith.flush_results) ev += kFloatMinNormal;
      if (naive)
        ev += square_error / count + 3 * u * m2 + 2 * abs_mean * t.mean_error + t.mean_error * t.mean_error +
              3 * u * mean * mean;
      const double lo = 1 / std::sqrt(var + ev + eps), least = std::max(0.0, var - ev) + eps;
      t.hi = least > 0 ? 1 / std::sqrt(least) : kInf;
      t.rstd_error = std::max(t.hi - rstd, rstd - lo) + 4 * u * t.hi;
      return t;
    };
    const Tier tight = tier(s.tight, v.tight, square.tight), rigorous = tier(s.rigorous, v.rigorous, square.rigorous);
    if (tight.hi == kInf) return out.flag_all(kAny, Reason::ill_conditioned);

    const double cap = naive ? kInf : 2 * std::sqrt(count) + 1;
    for (std::size_t i = 0; i < n; ++i) {
      const double g = gamma ? gamma[i] : 1, b = beta ? beta[i] : 0, abs_g = std::fabs(g), d = std::fabs(deviation[i]);
      if (!(abs_g < kInf && std::fabs(b) < kInf)) {
        const bool weight_nan = g != g || b != b;
        out.flag(i, weight_nan ? kNanRequired : kAny, weight_nan ? Reason::none : Reason::infinite_weight);
        continue;
      }
      const double abs_x = std::fabs(x[i]), range = abs_x + abs_mean, y = deviation[i] * rstd;
      if (!(abs_g * range * tight.hi + std::fabs(b) <= Arith::overflow && abs_g * tight.hi <= Arith::overflow &&
            abs_g * (d + tight.mean_error) <= Arith::overflow)) {
        out.flag(i, kAny, Reason::overflow);
        continue;
      }
      const auto bound = [&](const Tier& t) {
        const double ed = t.mean_error + arith.flushed(x[i]) + u * d + (arith.flush_results ? 2 * kFloatMinNormal : 0);
        const double e0 = std::min(ed * t.hi + d * t.rstd_error, cap) + 3 * u * range * t.hi;
        return abs_g * e0 * (1 + u) + arith.flushed(g) * (std::fabs(y) + e0) + arith.flushed(b) +
               u * (3 * std::fabs(y * g) + 2 * std::fabs(b)) + eta * (1 + t.hi + abs_g + range);
      };
      out.r[i] = y * g + b;
      out.e[i] = bound(tight);
      out.e_rig[i] = std::max(out.e[i], bound(rigorous));
      if (explain && i == explained)
        explain->set({{"accumulation of the mean", abs_g * tight.hi * tight.mean_error},
                      {"accumulation of the variance", abs_g * d * (tight.rstd_error - 4 * u * tight.hi)},
                      {"rsqrt", abs_g * d * 4 * u * tight.hi},
                      {"fused scale and shift", abs_g * 3 * u * range * tight.hi},
                      {"affine", u * (abs_g * d * tight.hi + 3 * std::fabs(y * g) + 2 * std::fabs(b))},
                      {arith.flush_results ? "FTZ" : "underflow",
                       abs_g * arith.flushed(x[i]) * tight.hi + arith.flushed(g) * std::fabs(y) + arith.flushed(b) +
                           eta * (1 + tight.hi + abs_g + range)}});
    }
  }
};

void layernorm_reference(const RefContext& c, std::vector<Reference>& refs) {
  const auto tensor = [&](const char* name) { return c.schema.tensor_index(name); };
  const int x = tensor("x"), y = tensor("y");
  const auto optional = [&](const char* name) {
    return c.in[tensor(name)].empty() ? nullptr : c.in[tensor(name)].data();
  };
  const float *gamma = optional("gamma"), *beta = optional("beta");
  const RowView view{c.dim("rows"), c.dim("cols"), 1};
  const Arith arith(c);
  refs[y].resize(view.elements());
  LayernormRow norm(arith, static_cast<float>(c.scalar("eps")), view.n);
  for_each_row(view, c.in[x], refs[y], [&](std::size_t row, std::span<const float> in, RowOut out) {
    const bool explained = c.explain && c.explain->wants(y, row * view.n, view.n);
    norm.run(in, gamma, beta, out, explained ? c.explain : nullptr, explained ? c.explain->element - row * view.n : 0);
  });
}

}  // namespace

namespace ops {
Op layernorm_op() {
  Op op;
  op.schema.dims = {row_dim(), column_dim()};
  op.schema.tensors = {in_tensor("x", {0, 1}), in_tensor("gamma", {1}, true), in_tensor("beta", {1}, true),
                       out_tensor("y", {0, 1})};
  op.schema.scalars = {{"eps", {1e-5, 1e-6, 1e-12, 1e-3}}};
  finish_row_schema(op.schema);
  op.reference = layernorm_reference;
  return op;
}
}  // namespace ops

}  // namespace warpfuzz
