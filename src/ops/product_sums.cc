// Vectorised over columns with the compiler's vector types (SSE2 is enough); every lane is one element's own sequence
// of operations, so that the results do not depend on the width.
#include "ops/product_sums.h"

#include <cstdint>

namespace warpfuzz {
namespace {

using Double4 = double __attribute__((vector_size(32)));
using Float4 = float __attribute__((vector_size(16)));
using Bits4 = std::int64_t __attribute__((vector_size(32)));
constexpr std::size_t kLanes = 4;

// Column panels of b in fp64: panel p holds columns 4p..4p+3 of every k, contiguous, zero behind the last column.
std::vector<double> panels_of(std::span<const float> b, std::size_t n, std::size_t k) {
  const std::size_t panels = (n + kLanes - 1) / kLanes;
  std::vector<double> out(panels * k * kLanes);
  for (std::size_t q = 0; q < k; ++q)
    for (std::size_t j = 0; j < n; ++j) out[((j / kLanes) * k + q) * kLanes + j % kLanes] = b[q * n + j];
  return out;
}

#define WARPFUZZ_ABS(v) ((Double4)((Bits4)(v)&kMagnitude))
#define WARPFUZZ_MAX(a, b) ((a) > (b) ? (a) : (b))
constexpr Bits4 kMagnitude = {0x7fffffffffffffff, 0x7fffffffffffffff, 0x7fffffffffffffff, 0x7fffffffffffffff};

struct Lanes {
  double value[kLanes], abs_sum[kLanes], drift[kLanes];
};

template <bool WithDrift>
void dot_panel(const double* a, const double* panel, std::size_t k, Lanes& out) {
  Double4 value = {}, abs_sum = {}, drift = {}, exact = {}, exact_back = {};
  Float4 sum = {}, sum_back = {};
  const auto load = [panel](std::size_t q, Double4& v) { __builtin_memcpy(&v, panel + q * kLanes, sizeof v); };
  for (std::size_t q = 0; q < k; ++q) {
    Double4 column;
    load(q, column);
    const Double4 p = column * a[q];
    value += p;
    abs_sum += WARPFUZZ_ABS(p);
    if constexpr (WithDrift) {
      const Float4 pf = __builtin_convertvector(p, Float4);
      sum += pf;
      exact += __builtin_convertvector(pf, Double4);
      const Double4 d = __builtin_convertvector(sum, Double4) - exact;
      drift = WARPFUZZ_MAX(WARPFUZZ_ABS(d), drift);

      load(k - 1 - q, column);
      const Float4 pf_back = __builtin_convertvector(column * a[k - 1 - q], Float4);
      sum_back += pf_back;
      exact_back += __builtin_convertvector(pf_back, Double4);
      const Double4 d_back = __builtin_convertvector(sum_back, Double4) - exact_back;
      drift = WARPFUZZ_MAX(WARPFUZZ_ABS(d_back), drift);
    }
  }
  __builtin_memcpy(out.value, &value, sizeof value);
  __builtin_memcpy(out.abs_sum, &abs_sum, sizeof abs_sum);
  __builtin_memcpy(out.drift, &drift, sizeof drift);
}

}  // namespace

ProductSums product_sums(std::span<const float> a, std::span<const float> b, std::size_t m, std::size_t n,
                         std::size_t k, bool with_drift) {
  ProductSums out;
  for (auto* v : {&out.value, &out.abs_sum, &out.drift}) v->assign(m * n, 0);
  const std::vector<double> wide_a(a.begin(), a.end()), panels = panels_of(b, n, k);
  Lanes lanes;
  for (std::size_t j = 0; j < n; j += kLanes) {
    const double* panel = panels.data() + j * k;
    const std::size_t columns = n - j < kLanes ? n - j : kLanes;
    for (std::size_t i = 0; i < m; ++i) {
      if (with_drift)
        dot_panel<true>(wide_a.data() + i * k, panel, k, lanes);
      else
        dot_panel<false>(wide_a.data() + i * k, panel, k, lanes);
      for (std::size_t l = 0; l < columns; ++l) {
        out.value[i * n + j + l] = lanes.value[l];
        out.abs_sum[i * n + j + l] = lanes.abs_sum[l];
        out.drift[i * n + j + l] = lanes.drift[l];
      }
    }
  }
  return out;
}

}  // namespace warpfuzz
