// Vectorised over columns with the compiler's vector types (SSE2 is enough, AVX2 is used where it is there); every lane
// is one element's own sequence of operations, so that the results do not depend on the width.
#include "ops/product_sums.h"

namespace warpfuzz {
namespace {

using Double4 = double __attribute__((vector_size(32)));
using Float4 = float __attribute__((vector_size(16)));
using Bits4 = std::int64_t __attribute__((vector_size(32)));
constexpr std::size_t kLanes = 4;

#define WARPFUZZ_INLINE __attribute__((always_inline)) inline
#define WARPFUZZ_ABS(v) ((Double4)((Bits4)(v)&kMagnitude))
#define WARPFUZZ_MAX(a, b) ((a) > (b) ? (a) : (b))
constexpr Bits4 kMagnitude = {0x7fffffffffffffff, 0x7fffffffffffffff, 0x7fffffffffffffff, 0x7fffffffffffffff};

template <Sums What>
WARPFUZZ_INLINE void dot_panel(const double* a, const double* panel, std::size_t k, std::size_t columns, double* value,
                               double* abs_sum, double* drift) {
  Double4 sums = {}, abs_sums = {}, drifts = {}, exact = {}, exact_back = {}, column;
  Float4 sum = {}, sum_back = {};
  for (std::size_t q = 0; q < k; ++q) {
    __builtin_memcpy(&column, panel + q * kLanes, sizeof column);
    const Double4 p = column * a[q];
    if constexpr (What != Sums::drift) {
      sums += p;
      abs_sums += WARPFUZZ_ABS(p);
    }
    if constexpr (What != Sums::exact) {
      const Float4 pf = __builtin_convertvector(p, Float4);
      sum += pf;
      exact += __builtin_convertvector(pf, Double4);
      const Double4 d = __builtin_convertvector(sum, Double4) - exact;
      drifts = WARPFUZZ_MAX(WARPFUZZ_ABS(d), drifts);

      __builtin_memcpy(&column, panel + (k - 1 - q) * kLanes, sizeof column);
      const Float4 pf_back = __builtin_convertvector(column * a[k - 1 - q], Float4);
      sum_back += pf_back;
      exact_back += __builtin_convertvector(pf_back, Double4);
      const Double4 d_back = __builtin_convertvector(sum_back, Double4) - exact_back;
      drifts = WARPFUZZ_MAX(WARPFUZZ_ABS(d_back), drifts);
    }
  }
  const std::size_t bytes = columns * sizeof(double);
  if constexpr (What != Sums::drift) {
    __builtin_memcpy(value, &sums, bytes);
    __builtin_memcpy(abs_sum, &abs_sums, bytes);
  }
  if constexpr (What != Sums::exact) __builtin_memcpy(drift, &drifts, bytes);
}

template <Sums What>
WARPFUZZ_INLINE void all_panels(std::span<const double> a, std::size_t m, const ProductPanels& b,
                                const RowLimits& limits, ProductSums& out) {
  for (std::size_t j = 0; j < b.n; j += kLanes) {
    const double* panel = b.values.data() + j * b.k;
    const std::size_t columns = b.n - j < kLanes ? b.n - j : kLanes;
    for (std::size_t i = 0; i < m; ++i) {
      if (!limits.columns.empty() && limits.columns[i] <= j) continue;
      const std::size_t terms = limits.terms.empty() ? b.k : limits.terms[i], at = i * b.n + j;
      dot_panel<What>(a.data() + i * b.k, panel, terms, columns, out.value.data() + at, out.abs_sum.data() + at,
                      out.drift.data() + at);
    }
  }
}

// No FMA among the features: a fused product would be another result.
template <Sums What>
__attribute__((target("avx2"))) void all_panels_avx2(std::span<const double> a, std::size_t m, const ProductPanels& b,
                                                     const RowLimits& limits, ProductSums& out) {
  all_panels<What>(a, m, b, limits, out);
}
template <Sums What>
void run(std::span<const double> a, std::size_t m, const ProductPanels& b, const RowLimits& limits, ProductSums& out) {
  static const bool avx2 = __builtin_cpu_supports("avx2");
  avx2 ? all_panels_avx2<What>(a, m, b, limits, out) : all_panels<What>(a, m, b, limits, out);
}

}  // namespace

void ProductPanels::assign(std::span<const float> b, std::size_t columns, std::size_t terms) {
  n = columns, k = terms;
  values.assign((n + kLanes - 1) / kLanes * k * kLanes, 0);
  for (std::size_t q = 0; q < k; ++q)
    for (std::size_t j = 0; j < n; ++j) values[((j / kLanes) * k + q) * kLanes + j % kLanes] = b[q * n + j];
}
void ProductPanels::assign_transposed(std::span<const float> b, std::size_t columns, std::size_t terms) {
  n = columns, k = terms;
  values.assign((n + kLanes - 1) / kLanes * k * kLanes, 0);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t q = 0; q < k; ++q) values[((j / kLanes) * k + q) * kLanes + j % kLanes] = b[j * k + q];
}

void product_sums(std::span<const double> a, std::size_t m, const ProductPanels& b, Sums what, const RowLimits& limits,
                  ProductSums& out) {
  for (auto* v : {&out.value, &out.abs_sum, &out.drift}) v->resize(m * b.n);
  switch (what) {
    case Sums::exact:
      return run<Sums::exact>(a, m, b, limits, out);
    case Sums::drift:
      return run<Sums::drift>(a, m, b, limits, out);
    case Sums::all:
      return run<Sums::all>(a, m, b, limits, out);
  }
}

ProductSums product_sums(std::span<const float> a, std::span<const float> b, std::size_t m, std::size_t n,
                         std::size_t k, bool with_drift) {
  ProductSums out;
  ProductPanels panels;
  panels.assign(b, n, k);
  const std::vector<double> wide(a.begin(), a.end());
  product_sums(wide, m, panels, with_drift ? Sums::all : Sums::exact, {}, out);
  return out;
}

}  // namespace warpfuzz
