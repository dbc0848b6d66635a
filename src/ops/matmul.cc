// Matrix product: c[M, N] = a[M, K] * b[K, N].
//
// Special values, in this order: what the dialect's input rounding may turn into Inf; a flushable subnormal that meets
// Inf (it may count as 0: unspecified); NaN, 0*Inf and Inf - Inf among an element's products (NaN required); overflow.
//
// An element whose sum no order rounds is compared bit for bit: E = 0 (numeric/sum_bound.h).
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/families.h"
#include "ops/lanes/input_rounding.h"
#include "ops/lanes/product_sums.h"
#include "ops/registry.h"

namespace warpfuzz {
namespace {

enum OperandTrait : std::uint8_t { kHasNonFinite = 1, kHasSubnormal = 2, kMayRoundToInf = 4 };

class Matmul {
 public:
  Matmul(const Arith& arith, std::span<const float> a, std::span<const float> b, std::size_t m, std::size_t n,
         std::size_t k)
      : arith_(arith),
        rounding_(input_rounding(arith)),
        a_(a),
        b_(b),
        m_(m),
        n_(n),
        k_(k),
        rows_(m),
        columns_(n),
        row_grids_(m),
        column_grids_(n),
        least_operand_(info(arith.in).min_normal) {
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t q = 0; q < k; ++q) look_at(a[i * k + q], rows_[i], row_grids_[i]);
    for (std::size_t q = 0; q < k; ++q)
      for (std::size_t j = 0; j < n; ++j) look_at(b[q * n + j], columns_[j], column_grids_[j]);
    exact_sums_ = !reduced_precision() && !arith.dialects.compensated;
    tensor_cores_ = arith.in == DType::f32 ? rounding_.u_in > 0 : arith.dialects.tc;
  }

  void run(Reference& ref) const {
    const bool scalar_sums = arith_.sum.acc != DType::f32;
    ProductPanels panels;
    panels.assign(b_, n_, k_);
    ProductSums sums;
    std::vector<double> a;
    const bool drift = needs_drift(static_cast<double>(k_), arith_.sum);
    const std::vector<double> flushed = flushed_products();
    for (std::size_t i = 0; i < m_; ++i) {
      a.assign(a_.begin() + i * k_, a_.begin() + (i + 1) * k_);
      if (!scalar_sums) sums.run({.a = a, .drift = drift}, panels, n_);
      for (std::size_t j = 0; j < n_; ++j) {
        const std::size_t at = i * n_ + j;
        const std::uint8_t traits = rows_[i] | columns_[j];
        if (traits & kHasNonFinite) {
          special(ref, i, j);
        } else if (traits & kMayRoundToInf) {
          unspecified(ref, at, Reason::input_rounding);
        } else {
          SumBound s;
          if (scalar_sums)
            s = sum_bound(k_, [&](std::size_t q) { return product(i, j, q); }, arith_.sum, quantum(i, j));
          else {
            s.value = sums.value[j], s.abs_sum = sums.abs_sum[j], s.drift = sums.drift[j];
            set_arms(s, static_cast<double>(k_), arith_.sum, quantum(i, j));
          }
          finite(ref, i, j, s, flushed.empty() ? 0 : flushed[at]);
        }
      }
    }
  }

  // The parts of one finite element's allowance.
  void explain(const Reference& ref, Explanation& e) const {
    const std::size_t i = e.element / n_, j = e.element % n_;
    if (ref.flags[e.element] || ((rows_[i] | columns_[j]) & kHasNonFinite)) return;
    SumBound s = sum_bound(k_, [&](std::size_t q) { return product(i, j, q); }, arith_.sum, quantum(i, j));
    if (s.exact) return;
    if (tensor_cores_) s = on_tensor_cores(i, j, s);
    const double underflow = static_cast<double>(k_) * arith_.sum.eta;
    const std::vector<double> flushed = flushed_products();
    e.set({{"accumulation", s.tight - underflow},
           {"rounding of the inputs", rounding_error(i, j, s.abs_sum)},
           {"16-bit reduction", reduction_error(s.abs_sum)},
           {arith_.flush_results ? "FTZ" : "underflow", underflow + (flushed.empty() ? 0 : flushed[e.element])}});
  }

 private:
  double product(std::size_t i, std::size_t j, std::size_t q) const {
    return static_cast<double>(a_[i * k_ + q]) * b_[q * n_ + j];
  }
  std::uint8_t traits(double x) const {
    const double m = std::fabs(x);
    if (!(m <= std::numeric_limits<double>::max())) return kHasNonFinite;
    std::uint8_t t = arith_.flushes(x) ? kHasSubnormal : 0;
    if (m >= rounding_.overflow) t |= kMayRoundToInf;
    return t;
  }
  void look_at(float x, std::uint8_t& traits_so_far, OperandGrid& grid) const {
    traits_so_far |= traits(x);
    if (x != 0 && std::fabs(x) < least_operand_) grid.never();
    else grid.add(x);
  }
  // What all products of an element are multiples of; 0 where nothing of the kind may be used.
  double quantum(std::size_t i, std::size_t j) const {
    const OperandGrid &a = row_grids_[i], &b = column_grids_[j];
    const bool usable = exact_sums_ && (rounding_.u_in == 0 || (a.short_digits && b.short_digits));
    return usable ? product_quantum(a, b) : 0;
  }
  static void unspecified(Reference& ref, std::size_t at, Reason why) { ref.flags[at] = kAny, ref.reason[at] = why; }

  SumBound on_tensor_cores(std::size_t i, std::size_t j, const SumBound& plain) const {
    return tensor_core_bound(
        k_, [&](std::size_t q) { return static_cast<double>(a_[i * k_ + q]); },
        [&](std::size_t q) { return static_cast<double>(b_[q * n_ + j]); },
        tensor_core_format(arith_.in, rounding_.u_in > 0), arith_.sum, plain);
  }
  double rounding_error(std::size_t i, std::size_t j, double abs_sum) const {
    if (rounding_.u_in == 0) return 0;
    double e = (2 * rounding_.u_in + rounding_.u_in * rounding_.u_in) * abs_sum;
    for (std::size_t q = 0; q < k_; ++q) {
      const double x = a_[i * k_ + q], y = b_[q * n_ + j];
      e += rounding_.cast(x) * std::fabs(y) + rounding_.cast(y) * std::fabs(x);
    }
    return e;
  }
  bool reduced_precision() const { return arith_.dialects.rpr && arith_.out != DType::f32; }
  double reduction_error(double abs_sum) const {
    if (!reduced_precision()) return 0;
    return 1.05 * info(arith_.out).unit_roundoff * abs_sum + static_cast<double>(k_) * half_min_subnormal(arith_.out);
  }
  bool reduction_overflows(double abs_sum) const {
    return reduced_precision() && arith_.out == DType::f16 && abs_sum > 65504;
  }

  void finite(Reference& ref, std::size_t i, std::size_t j, SumBound s, double flushed) const {
    const std::size_t at = i * n_ + j;
    if (s.overflow || reduction_overflows(s.abs_sum)) return unspecified(ref, at, Reason::overflow);
    if (tensor_cores_ && !s.exact) s = on_tensor_cores(i, j, s);
    double other = flushed;
    if (rounding_.u_in > 0 && !s.exact) other += rounding_error(i, j, s.abs_sum);
    if (reduced_precision()) other += reduction_error(s.abs_sum);
    ref.r[at] = s.value;
    ref.e[at] = s.tight + other;
    ref.e_rig[at] = s.rigorous + other;
  }

  // Some operand of the element is NaN or Inf.
  void special(Reference& ref, std::size_t i, std::size_t j) const {
    const std::size_t at = i * n_ + j;
    double sum = 0, finite_sum = 0;
    bool nan = false, flush_meets_inf = false, rounding = false;
    for (std::size_t q = 0; q < k_; ++q) {
      const double x = a_[i * k_ + q], y = b_[q * n_ + j], p = x * y;
      sum += p;
      nan |= p != p;
      if (std::isfinite(p)) finite_sum += std::fabs(p);
      else flush_meets_inf |= (arith_.flushes(x) || arith_.flushes(y)) && p == p;
      if (rounding_.u_in > 0)
        for (const double v : {std::fabs(x), std::fabs(y)})
          rounding |= (v != 0 && v < kFloatMinNormal) || (v >= rounding_.overflow && std::isfinite(v));
    }
    if (rounding && !std::isfinite(sum)) return unspecified(ref, at, Reason::input_rounding);
    if (flush_meets_inf) return unspecified(ref, at, Reason::flush_meets_inf);
    if (nan) {
      ref.flags[at] = kNanRequired;
      return;
    }
    if (finite_sum > kOverflowShare * arith_.sum.max || reduction_overflows(finite_sum))
      return unspecified(ref, at, Reason::overflow);
    if (std::isnan(sum)) ref.flags[at] = kNanRequired;  // Inf - Inf
    else {
      ref.r[at] = sum;
      if (arith_.dialects.compensated) ref.flags[at] = kNanOk;
    }
  }

  // sum |a*b| over products with a flushable operand; empty when there is none.
  std::vector<double> flushed_products() const {
    const auto any = [](const std::vector<std::uint8_t>& v) {
      return std::any_of(v.begin(), v.end(), [](auto t) { return t & kHasSubnormal; });
    };
    if (!any(rows_) && !any(columns_)) return {};
    std::vector<double> out(m_ * n_);
    for (std::size_t i = 0; i < m_; ++i)
      for (std::size_t q = 0; q < k_; ++q) {
        const double x = a_[i * k_ + q], abs_x = std::fabs(x);
        const float* row = b_.data() + q * n_;
        double* to = out.data() + i * n_;
        if (!(abs_x <= kFloatMax)) continue;  // its elements are special ones
        if (arith_.flushes(x))
          for (std::size_t j = 0; j < n_; ++j) to[j] += abs_x * std::fabs(row[j]);
        else
          for (std::size_t j = 0; j < n_; ++j)
            to[j] += std::fabs(row[j]) < kFloatMinNormal ? abs_x * std::fabs(row[j]) : 0;
      }
    return out;
  }

  const Arith& arith_;
  InputRounding rounding_;
  bool tensor_cores_;
  std::span<const float> a_, b_;
  std::size_t m_, n_, k_;
  std::vector<std::uint8_t> rows_, columns_;  // OperandTrait of each row of a and column of b
  std::vector<OperandGrid> row_grids_, column_grids_;
  double least_operand_;
  bool exact_sums_ = false;
};

void matmul_reference(const RefContext& c, std::vector<Reference>& refs) {
  const auto tensor = [&](const char* name) { return c.schema.tensor_index(name); };
  const int out = tensor("c");
  const std::size_t m = c.dim("M"), n = c.dim("N"), k = c.dim("K");
  const Arith arith(c);
  refs[out].resize(m * n);
  const Matmul matmul(arith, c.in[tensor("a")], c.in[tensor("b")], m, n, k);
  matmul.run(refs[out]);
  if (c.explain && c.explain->wants(out, 0, m * n)) matmul.explain(refs[out], *c.explain);
}

}  // namespace

namespace ops {
Op matmul_op() {
  Op op;
  op.schema.dtypes = float_dtypes();
  op.schema.dims = {dim_spec("M", 257), dim_spec("N", 257), dim_spec("K", 1025)};
  op.schema.tensors = {in_tensor("a", {0, 2}), in_tensor("b", {2, 1}), out_tensor("c", {0, 1})};
  op.schema.work = [](const Dims& d) { return std::uint64_t{d[0]} * d[1] * d[2]; };
  op.schema.max_work = 4 * 65 * 65 * 65;  // about 6 ms on the CPU executor
  op.schema.max_elements = 3 * 257 * 257;
  op.reference = matmul_reference;
  return op;
}
}  // namespace ops

}  // namespace warpfuzz
