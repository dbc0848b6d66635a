// Vectorised over columns with the compiler's vector types (SSE2 is enough, AVX2 is used where it is there); every lane
// is one element's own sequence of operations, so that the results do not depend on the width.
#include "ops/product_sums.h"

#include <cstring>

namespace warpfuzz {
namespace {

constexpr std::size_t kLanes = 8;
using Doubles = double __attribute__((vector_size(kLanes * 8)));
using Floats = float __attribute__((vector_size(kLanes * 4)));
using Bits64 = std::int64_t __attribute__((vector_size(kLanes * 8)));
using Bits32 = std::int32_t __attribute__((vector_size(kLanes * 4)));

#define WARPFUZZ_INLINE __attribute__((always_inline)) inline
#define WARPFUZZ_ABS64(v) ((Doubles)((Bits64)(v)&0x7fffffffffffffff))
#define WARPFUZZ_ABS32(v) ((Floats)((Bits32)(v)&0x7fffffff))

// RunningSum (numeric/sum_bound.h) in every lane.
struct RunningSums {
  Floats sum = {}, lost = {}, drift = {};
  WARPFUZZ_INLINE void add(const Floats& x) {
    const Floats next = sum + x, added = next - sum;
    lost += (sum - (next - added)) + (x - added);
    sum = next;
    const Floats size = WARPFUZZ_ABS32(lost);
    drift = size > drift ? size : drift;
  }
};

template <Sums What>
WARPFUZZ_INLINE void dot_panel(const double* a, const float* panel, std::size_t k, std::size_t columns, double* value,
                               double* abs_sum, double* drift) {
  constexpr bool kExact = What == Sums::exact || What == Sums::all, kDrift = What == Sums::drift || What == Sums::all;
  Doubles sums = {}, abs_sums = {};
  RunningSums forward, backward;
  Floats column;
  for (std::size_t q = 0; q < k; ++q) {
    __builtin_memcpy(&column, panel + q * kLanes, sizeof column);
    if constexpr (What != Sums::drift) {
      const Doubles p = __builtin_convertvector(column, Doubles) * a[q];
      if constexpr (kExact) sums += p;
      abs_sums += WARPFUZZ_ABS64(p);
    }
    if constexpr (kDrift) {
      forward.add(column * static_cast<float>(a[q]));
      __builtin_memcpy(&column, panel + (k - 1 - q) * kLanes, sizeof column);
      backward.add(column * static_cast<float>(a[k - 1 - q]));
    }
  }
  const std::size_t bytes = columns * sizeof(double);
  if constexpr (kExact) __builtin_memcpy(value, &sums, bytes);
  if constexpr (What != Sums::drift) __builtin_memcpy(abs_sum, &abs_sums, bytes);
  if constexpr (kDrift) {
    const Doubles drifts =
        __builtin_convertvector(forward.drift > backward.drift ? forward.drift : backward.drift, Doubles);
    __builtin_memcpy(drift, &drifts, bytes);
  }
}

template <Sums What>
WARPFUZZ_INLINE void all_panels(std::span<const double> a, std::size_t m, const ProductPanels& b,
                                const RowLimits& limits, ProductSums& out) {
  for (std::size_t j = 0; j < b.n; j += kLanes) {
    const float* panel = b.values.data() + j * b.k;
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
  values.resize((n + kLanes - 1) / kLanes * k * kLanes);
  float* to = values.data();
  for (std::size_t j = 0; j < n; j += kLanes) {
    const std::size_t count = n - j < kLanes ? n - j : kLanes;
    for (std::size_t q = 0; q < k; ++q, to += kLanes) {
      std::memcpy(to, b.data() + q * n + j, count * sizeof(float));
      std::memset(to + count, 0, (kLanes - count) * sizeof(float));
    }
  }
}
void ProductPanels::assign_transposed(std::span<const float> b, std::size_t columns, std::size_t terms) {
  n = columns, k = terms;
  values.resize((n + kLanes - 1) / kLanes * k * kLanes);
  for (std::size_t j = 0; j < n; j += kLanes) {
    float* to = values.data() + j * k;
    const std::size_t count = n - j < kLanes ? n - j : kLanes;
    if (count < kLanes) std::memset(to, 0, k * kLanes * sizeof(float));
    for (std::size_t l = 0; l < count; ++l)
      for (std::size_t q = 0; q < k; ++q) to[q * kLanes + l] = b[(j + l) * k + q];
  }
}

void product_sums(std::span<const double> a, std::size_t m, const ProductPanels& b, Sums what, const RowLimits& limits,
                  ProductSums& out) {
  for (auto* v : {&out.value, &out.abs_sum, &out.drift}) v->resize(m * b.n);
  switch (what) {
    case Sums::absolute:
      return run<Sums::absolute>(a, m, b, limits, out);
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
