// RMSnorm over the last dim: y = x / sqrt(mean(x^2) + eps) * gamma.
//
// Every order of the product x*rstd*gamma is covered; casting to the 16-bit dtype before the weight is a dialect.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/arith.h"
#include "ops/families.h"
#include "ops/row_view.h"

namespace warpfuzz {
namespace {

constexpr double u = Arith::u, kInf = std::numeric_limits<double>::infinity();

struct RmsnormRow {
  const Arith& arith;
  double eps;

  // NaN and Inf rows; true when the row is settled. 1/rms of an Inf row is 0, so the rest is 0, or NaN where the
  // square overflows to NaN on the way.
  static bool special(std::span<const float> x, const float* gamma, RowOut& out) {
    bool nan = false, inf = false;
    for (const float v : x) {
      nan |= v != v;
      inf |= std::isinf(v);
    }
    if (nan)
      out.flag_all(kNanRequired);
    else if (inf)
      for (std::size_t i = 0; i < x.size(); ++i)
        out.flag(i, std::isinf(x[i]) || (gamma && !std::isfinite(gamma[i])) ? kNanRequired : kNanOk | kZeroOk);
    return nan || inf;
  }

  struct Tier {
    double hi, rstd_error;
  };
  Tier tier(double mean_square, double sum_error, double count, double rstd) const {
    const double ev = sum_error / count + 3 * u * mean_square + (arith.flush_results ? kFloatMinNormal : 0x1p-149);
    const double lo = 1 / std::sqrt(mean_square + ev + eps), least = std::max(0.0, mean_square - ev) + eps;
    const double hi = least > 0 ? 1 / std::sqrt(least) : kInf;
    return {hi, std::max(hi - rstd, rstd - lo) + 4 * u * hi};
  }

  void run(std::span<const float> x, const float* gamma, RowOut out, Explanation* explain,
           std::size_t explained) const {
    if (special(x, gamma, out)) return;
    const std::size_t n = x.size();
    const double count = static_cast<double>(n);
    const SumBound s = sum_bound(
        n, [&](std::size_t i) { return static_cast<double>(x[i]) * x[i]; }, arith.sum);
    if (s.overflow) return out.flag_all(kAny, Reason::overflow);
    const double mean_square = s.value / count, rstd = 1 / std::sqrt(mean_square + eps);
    const Tier tight = tier(mean_square, s.tight, count, rstd), rigorous = tier(mean_square, s.rigorous, count, rstd);
    if (tight.hi == kInf) return out.flag_all(kAny, Reason::ill_conditioned);

    const bool cast = arith.dialects.cast_before_weight && arith.in != DType::f32;
    const double cast_u = cast ? 1.01 * info(arith.in).unit_roundoff : 0,
                 cast_eta = cast ? half_min_subnormal(arith.in) : 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double g = gamma ? gamma[i] : 1, v = x[i], abs_g = std::fabs(g), abs_x = std::fabs(v);
      if (!(abs_g < kInf)) {
        const bool nan = g != g || v == 0;  // 0 * Inf
        out.flag(i, nan ? kNanRequired : kAny, nan ? Reason::none : Reason::infinite_weight);
        continue;
      }
      const double r = v * rstd * g, abs_r = std::fabs(r);
      if (!(abs_x * abs_g <= Arith::overflow && abs_g * tight.hi <= Arith::overflow && abs_r <= 0.999 * kFloatMax)) {
        out.flag(i, kAny, Reason::overflow);
        continue;
      }
      const double cast_error = cast_u * abs_r + cast_eta * abs_g;
      const auto bound = [&](const Tier& t) {
        return abs_x * abs_g * t.rstd_error + 3 * u * abs_r +
               (arith.flushed(v) * abs_g + arith.flushed(g) * abs_x) * t.hi + arith.eta * (1 + t.hi + abs_g + abs_x) +
               cast_error;
      };
      out.r[i] = r;
      out.e[i] = bound(tight);
      out.e_rig[i] = std::max(out.e[i], bound(rigorous));
      if (explain && i == explained)
        explain->set({{"accumulation", abs_x * abs_g * (tight.rstd_error - 4 * u * tight.hi)},
                      {"rsqrt", abs_x * abs_g * 4 * u * tight.hi},
                      {"products", 3 * u * abs_r},
                      {"cast before the weight", cast_error},
                      {arith.flush_results ? "FTZ" : "underflow",
                       (arith.flushed(v) * abs_g + arith.flushed(g) * abs_x) * tight.hi +
                           arith.eta * (1 + tight.hi + abs_g + abs_x)}});
    }
  }
};

void rmsnorm_reference(const RefContext& c, std::vector<Reference>& refs) {
  const int x = c.schema.tensor_index("x"), g = c.schema.tensor_index("gamma"), y = c.schema.tensor_index("y");
  const float* gamma = c.in[g].empty() ? nullptr : c.in[g].data();
  const RowView view{c.dim("rows"), c.dim("cols"), 1};
  const Arith arith(c);
  refs[y].resize(view.elements());
  const RmsnormRow norm{arith, static_cast<float>(c.scalar("eps"))};
  for_each_row(view, c.in[x], refs[y], [&](std::size_t row, std::span<const float> in, RowOut out) {
    const bool explained = c.explain && c.explain->wants(y, row * view.n, view.n);
    norm.run(in, gamma, out, explained ? c.explain : nullptr, explained ? c.explain->element - row * view.n : 0);
  });
}

}  // namespace

namespace ops {
Op rmsnorm_op() {
  Op op;
  op.summary = "rmsnorm over the last dim: x[rows, cols], optional gamma[cols], scalar eps -> y";
  op.schema.op = "rmsnorm";
  op.schema.dims = {row_dim(), column_dim()};
  op.schema.tensors = {in_tensor("x", {0, 1}), in_tensor("gamma", {1}, true), out_tensor("y", {0, 1})};
  op.schema.scalars = {{"eps", {1e-5, 1e-6, 1e-12, 1e-3}}};
  finish_row_schema(op.schema);
  op.reference = rmsnorm_reference;
  return op;
}
}  // namespace ops

}  // namespace warpfuzz
