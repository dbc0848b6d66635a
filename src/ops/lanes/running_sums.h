// RunningSum (numeric/sum_bound.h) in every lane. The error of an addition is exact whichever way it is found, so each
// instruction set takes the operations that it has the most room for; all give the same bits where no sum overflows.
#pragma once
#include <immintrin.h>

#include "ops/lanes/lanes.h"

namespace warpfuzz {

struct RunningSums {
  Floats sum = {}, lost = {}, drift = {};
};

// 1, of which the compiler does not know that it leaves what it multiplies as it is.
WARPFUZZ_INLINE Floats factor_one() {
  float one = 1;
  asm("" : "+x"(one));
  return Floats{} + one;
}

// A comparison tells which operand is the larger: what did not go into the sum is of the smaller one.
WARPFUZZ_INLINE void add_term(PlainLanes, RunningSums& s, const Floats& x, const Floats&) {
  const Floats next = s.sum + x;
  const Bits32 larger = WARPFUZZ_ABS32(x) > WARPFUZZ_ABS32(s.sum);
  const Floats hi = larger ? x : s.sum, lo = larger ? s.sum : x;
  s.lost += lo - (next - hi);
  s.sum = next;
  const Floats size = WARPFUZZ_ABS32(s.lost);
  s.drift = size > s.drift ? size : s.drift;
}

// One instruction for the larger magnitude of two. Units for products do some of the additions, of which there are more
// than the units for sums can do: a fused product by 1 rounds as a sum does.
WARPFUZZ_AVX512 inline void add_term(Avx512Lanes, RunningSums& s, const Floats& x, const Floats& one) {
  constexpr int kLarger = 7, kLargerSize = 11;
  const auto factor = (__m256)one;
  const __m256 next = (__m256)(s.sum + x), hi = _mm256_range_ps((__m256)s.sum, (__m256)x, kLarger);
  const auto lo = (__m256)((Bits32)s.sum ^ (Bits32)x ^ (Bits32)hi);
  const __m256 error = _mm256_fmsub_ps(lo, factor, _mm256_fmsub_ps(next, factor, hi));
  s.lost = (Floats)_mm256_fmadd_ps(error, factor, (__m256)s.lost);
  s.sum = (Floats)next;
  s.drift = (Floats)_mm256_range_ps((__m256)s.lost, (__m256)s.drift, kLargerSize);
}

}  // namespace warpfuzz
