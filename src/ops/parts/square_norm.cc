// One row of rmsnorm and l2norm: the error of the squares' sum goes through the root, then the products.
//
// Every order of the product x*scale*gamma is covered; casting to the 16-bit dtype before the weight is a dialect.
#include "ops/parts/square_norm.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/lanes/arith.h"
#include "ops/lanes/row_view.h"

namespace warpfuzz {
namespace {

constexpr double u = Arith::u, kInf = std::numeric_limits<double>::infinity();

struct SquareNormRow {
  const Arith& arith;
  double eps;
  bool mean;
  EpsPlacement placement;

  double scale(double squares) const {
    switch (placement) {
      case EpsPlacement::floor: return 1 / std::max(std::sqrt(squares), eps);
      case EpsPlacement::added: return 1 / (std::sqrt(squares) + eps);
      default: return 1 / std::sqrt(squares + eps);
    }
  }

  // NaN and Inf rows; true when the row is settled. The scale of an Inf row is 0, so the rest is 0, or NaN where the
  // square overflows to NaN on the way.
  bool special(std::span<const float> x, const float* gamma, RowOut& out) const {
    bool nan = false, inf = false;
    for (const float v : x) {
      nan |= v != v;
      inf |= std::isinf(v);
    }
    if (nan) nan_row(x, gamma, out);
    else if (inf)
      for (std::size_t i = 0; i < x.size(); ++i)
        out.flag(i, std::isinf(x[i]) || (gamma && !std::isfinite(gamma[i])) ? kNanRequired : kNanOk | kZeroOk);
    return nan || inf;
  }
  // NaN everywhere; but max(NaN, eps) may ignore the NaN (fmaxf does), which leaves x / eps.
  void nan_row(std::span<const float> x, const float* gamma, RowOut& out) const {
    out.flag_all(kNanRequired);
    if (placement != EpsPlacement::floor || arith.dialects.nan_propagate || gamma || !(eps > 0)) return;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] != x[i]) continue;
      out.flag(i, kNanOk);
      out.r[i] = x[i] / eps;
      if (std::isfinite(x[i]))
        out.e[i] = out.e_rig[i] = 7 * u * std::fabs(out.r[i]) + arith.eta * (2 + 1 / eps + std::fabs(x[i]));
    }
  }

  struct Tier {
    double hi, scale_error;
  };
  Tier tier(double squares, double sum_error, double count, double exact) const {
    const double ev = sum_error / count + 3 * u * squares + (arith.flush_results ? kFloatMinNormal : 0x1p-149);
    const double lo = scale(squares + ev), hi = scale(std::max(0.0, squares - ev));
    return {hi, std::max(hi - exact, exact - lo) + 4 * u * hi};
  }

  void run(std::span<const float> x, const float* gamma, RowOut out, Explanation* explain,
           std::size_t explained) const {
    if (special(x, gamma, out)) return;
    const std::size_t n = x.size();
    const double count = mean ? static_cast<double>(n) : 1;
    const SumBound s = sum_bound(n, [&](std::size_t i) { return static_cast<double>(x[i]) * x[i]; }, arith.sum);
    if (s.overflow) return out.flag_all(kAny, Reason::overflow);
    const double squares = s.value / count, exact = scale(squares);
    const Tier tight = tier(squares, s.tight, count, exact), rigorous = tier(squares, s.rigorous, count, exact);
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
      const double r = v * exact * g, abs_r = std::fabs(r);
      if (!(abs_x * abs_g <= Arith::overflow && abs_g * tight.hi <= Arith::overflow && abs_r <= 0.999 * kFloatMax)) {
        out.flag(i, kAny, Reason::overflow);
        continue;
      }
      const double cast_error = cast_u * abs_r + cast_eta * abs_g;
      const auto bound = [&](const Tier& t) {
        return abs_x * abs_g * t.scale_error + 3 * u * abs_r +
               (arith.flushed(v) * abs_g + arith.flushed(g) * abs_x) * t.hi + arith.eta * (1 + t.hi + abs_g + abs_x) +
               cast_error;
      };
      out.r[i] = r;
      out.e[i] = bound(tight);
      out.e_rig[i] = std::max(out.e[i], bound(rigorous));
      if (explain && i == explained)
        explain->set({{"accumulation", abs_x * abs_g * (tight.scale_error - 4 * u * tight.hi)},
                      {placement == EpsPlacement::inside_root ? "rsqrt" : "root", abs_x * abs_g * 4 * u * tight.hi},
                      {"products", 3 * u * abs_r},
                      {"cast before the weight", cast_error},
                      {arith.flush_results ? "FTZ" : "underflow",
                       (arith.flushed(v) * abs_g + arith.flushed(g) * abs_x) * tight.hi +
                           arith.eta * (1 + tight.hi + abs_g + abs_x)}});
    }
  }
};

}  // namespace

void square_norm_reference(const RefContext& c, std::vector<Reference>& refs, bool mean, EpsPlacement eps) {
  const int x = c.schema.tensor_index("x"), g = c.schema.tensor_index("gamma"), y = c.schema.tensor_index("y");
  const float* gamma = g < 0 || c.in[g].empty() ? nullptr : c.in[g].data();
  const RowView view{c.dim("rows"), c.dim("cols"), 1};
  const Arith arith(c);
  refs[y].resize(view.elements());
  const SquareNormRow norm{arith, static_cast<float>(c.scalar("eps")), mean, eps};
  for_each_row(view, c.in[x], refs[y], [&](std::size_t row, std::span<const float> in, RowOut out) {
    const bool explained = c.explain && c.explain->wants(y, row * view.n, view.n);
    norm.run(in, gamma, out, explained ? c.explain : nullptr, explained ? c.explain->element - row * view.n : 0);
  });
}

}  // namespace warpfuzz
