// Softmax over the last dim: y = exp(x - max) / sum exp(x - max).
//
// The bound covers the usual fp32 forms: subtract the maximum; exp2 of x*log2(e) - m*log2(e); online (one rescale at
// each new maximum); any order of the sum. Terms are relative errors of t = exp(x - m) and of their sum l.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/families.h"
#include "ops/lanes/arith.h"
#include "ops/lanes/row_view.h"
#include "ops/parts/softmax_bound.h"
#include "ops/registry.h"

namespace warpfuzz {
namespace {

constexpr double u = Arith::u;

struct SoftmaxRow {
  const Arith& arith;
  std::vector<double> t, rel;  // exp(x - max) and its relative error

  explicit SoftmaxRow(const Arith& a, std::size_t n) : arith(a), t(n), rel(n) {}

  // +Inf, NaN and -Inf rows; true when the row is settled.
  static bool special(std::span<const float> x, float max, bool nan, RowOut& out) {
    if (nan) return out.flag_all(kNanRequired), true;
    if (max == std::numeric_limits<float>::infinity()) {
      for (std::size_t i = 0; i < x.size(); ++i) out.flag(i, x[i] == max ? kNanRequired : kNanOk | kZeroOk);
      return true;
    }
    if (max == -std::numeric_limits<float>::infinity()) return out.flag_all(kNanOk | kZeroOk), true;
    return false;
  }

  void run(std::span<const float> x, RowOut out, Explanation* explain, std::size_t explained) {
    const std::size_t n = x.size();
    float max = -std::numeric_limits<float>::infinity(), largest = 0;
    bool nan = false;
    for (const float v : x) {
      nan |= v != v;
      max = v > max ? v : max;
      const float a = std::fabs(v);
      largest = a > largest && a <= std::numeric_limits<float>::max() ? a : largest;
    }
    if (special(x, max, nan, out)) return;
    // Beyond |x| = 2.5e8 the prescaled exp2 form rounds its argument by more than its range.
    if (4 * u * largest > 60) return out.flag_all(kAny, Reason::ill_conditioned);

    const double m = max, abs_m = std::fabs(m), argument_floor = arith.flush_results ? 2 * kFloatMinNormal : 0;
    double l = 0, weighted = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double v = x[i];
      if (v == -std::numeric_limits<double>::infinity()) {
        t[i] = rel[i] = 0;
        continue;
      }
      t[i] = v == m ? 1 : std::exp(v - m);
      rel[i] = expm1_bound(2.25 * u * (std::fabs(v) + abs_m) + argument_floor) + 3 * u;
      l += t[i];
      weighted += t[i] * rel[i];
    }
    const SumBound sum = sum_bound(n, [this](std::size_t i) { return t[i]; }, arith.sum);
    const double rescaling = 4 * rescales(x) * u;
    const double rel_l = (weighted + sum.tight) / l + rescaling, rel_l_rig = (weighted + sum.rigorous) / l + rescaling;
    if (sum.overflow) return out.flag_all(kAny, Reason::overflow);
    const double over_l = 1 / l;
    for (std::size_t i = 0; i < n; ++i) {
      const double p = t[i] * over_l;
      out.r[i] = p;
      if (t[i] == 0 && rel[i] == 0) continue;  // -Inf: exactly 0
      out.e[i] = bound(p, rel[i], rel_l) + arith.eta;
      out.e_rig[i] = std::max(out.e[i], bound(p, rel[i], rel_l_rig) + arith.eta);
    }
    if (explain) explain_element(out, explained, sum.tight / l, weighted / l, rescaling, rel_l, *explain);
  }

  static double bound(double p, double rel_i, double rel_l) {
    if (rel_i < 0.25 && rel_l < 0.25) return p * (rel_i + rel_l + 3 * u) * 1.2;
    return std::max(p, 1 - p) + u;
  }

  void explain_element(const RowOut& out, std::size_t i, double accumulation, double terms, double rescaling,
                       double rel_l, Explanation& e) const {
    const double p = out.r[i];
    if (rel[i] >= 0.25 || rel_l >= 0.25)
      return e.set({{"argument rounding (result only known to lie in 0..1)", out.e[i]}});
    e.set({{"accumulation", 1.2 * p * accumulation},
           {"exp", 1.2 * p * 6 * u},
           {"argument rounding", 1.2 * p * (rel[i] - 3 * u + terms - 3 * u)},
           {"online rescaling", 1.2 * p * rescaling},
           {"division", 1.2 * p * 3 * u},
           {arith.flush_results ? "FTZ" : "underflow", arith.eta}});
  }
};

void softmax_reference(const RefContext& c, std::vector<Reference>& refs) {
  const int x = c.schema.tensor_index("x"), y = c.schema.tensor_index("y");
  const RowView view{c.dim("rows"), c.dim("cols"), 1};
  const Arith arith(c);
  refs[y].resize(view.elements());
  SoftmaxRow softmax(arith, view.n);
  for_each_row(view, c.in[x], refs[y], [&](std::size_t row, std::span<const float> in, RowOut out) {
    const bool explained = c.explain && c.explain->wants(y, row * view.n, view.n);
    softmax.run(in, out, explained ? c.explain : nullptr, explained ? c.explain->element - row * view.n : 0);
  });
}

}  // namespace

namespace ops {
Op softmax_op() {
  Op op;
  op.schema.dims = {row_dim(), column_dim()};
  op.schema.tensors = {in_tensor("x", {0, 1}), out_tensor("y", {0, 1})};
  finish_row_schema(op.schema);
  op.reference = softmax_reference;
  return op;
}
}  // namespace ops

}  // namespace warpfuzz
