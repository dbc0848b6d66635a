// What fp16 and bf16 share: the intrinsics that NVIDIA's headers define for device code alone. Values are computed in fp64 and
// rounded once to the result's type; a fused multiply-add rounds its exact value once.
#pragma once
#include "warpfuzz_cuda/atomics.h"
#include "warpfuzz_cuda/cast.h"
#include "warpfuzz_cuda/sync.h"

namespace warpfuzz::cpu {

WARPFUZZ_FN __half half_apply(HalfFunction f, __half x) {
  return reinterpret_bits<__half>(f16_apply(f, reinterpret_bits<std::uint16_t>(x)));
}
WARPFUZZ_FN __nv_bfloat16 half_apply(HalfFunction f, __nv_bfloat16 x) {
  return reinterpret_bits<__nv_bfloat16>(bf16_apply(f, reinterpret_bits<std::uint16_t>(x)));
}
WARPFUZZ_FN __half half_fma(__half a, __half b, __half c) {
  return reinterpret_bits<__half>(f16_fma(reinterpret_bits<std::uint16_t>(a), reinterpret_bits<std::uint16_t>(b),
                                          reinterpret_bits<std::uint16_t>(c)));
}
WARPFUZZ_FN __nv_bfloat16 half_fma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return reinterpret_bits<__nv_bfloat16>(bf16_fma(
      reinterpret_bits<std::uint16_t>(a), reinterpret_bits<std::uint16_t>(b), reinterpret_bits<std::uint16_t>(c)));
}
template <class H>
WARPFUZZ_FN bool half_negative(H x) {
  return (reinterpret_bits<std::uint16_t>(x) & 0x8000) != 0;
}
template <class H>
WARPFUZZ_FN H half_negate(H x) {
  return reinterpret_bits<H>(std::uint16_t(reinterpret_bits<std::uint16_t>(x) ^ 0x8000));
}
// Negative to +0; NaN stays NaN (the canonical one).
template <class H>
WARPFUZZ_FN H half_relu(H x, H nan) {
  return __hisnan(x) ? nan : half_negative(x) ? reinterpret_bits<H>(std::uint16_t(0)) : x;
}
// [0, 1]; NaN to +0.
template <class H>
WARPFUZZ_FN H half_saturate(H x, H one) {
  return __hisnan(x) || half_negative(x) ? reinterpret_bits<H>(std::uint16_t(0)) : __hgt(x, one) ? one : x;
}

}  // namespace warpfuzz::cpu

#define WARPFUZZ_HALF_MATH(H, H2, name)                                               \
  WARPFUZZ_FALLBACK_FN H h##name(const H a) {                                         \
    return ::warpfuzz::cpu::half_apply(::warpfuzz::cpu::HalfFunction::name, a);       \
  }                                                                                   \
  WARPFUZZ_FALLBACK_FN H2 h2##name(const H2 a) {                                      \
    return H2{::warpfuzz::cpu::half_apply(::warpfuzz::cpu::HalfFunction::name, a.x),  \
              ::warpfuzz::cpu::half_apply(::warpfuzz::cpu::HalfFunction::name, a.y)}; \
  }

// nan and one: bit patterns of the canonical NaN and of 1.
#define WARPFUZZ_HALF_FAMILY(H, H2, nan, one)                                                                   \
  WARPFUZZ_HALF_MATH(H, H2, exp)                                                                                \
  WARPFUZZ_HALF_MATH(H, H2, exp2)                                                                               \
  WARPFUZZ_HALF_MATH(H, H2, exp10)                                                                              \
  WARPFUZZ_HALF_MATH(H, H2, log)                                                                                \
  WARPFUZZ_HALF_MATH(H, H2, log2)                                                                               \
  WARPFUZZ_HALF_MATH(H, H2, log10)                                                                              \
  WARPFUZZ_HALF_MATH(H, H2, sqrt)                                                                               \
  WARPFUZZ_HALF_MATH(H, H2, rsqrt)                                                                              \
  WARPFUZZ_HALF_MATH(H, H2, rcp)                                                                                \
  WARPFUZZ_HALF_MATH(H, H2, sin)                                                                                \
  WARPFUZZ_HALF_MATH(H, H2, cos)                                                                                \
  WARPFUZZ_HALF_MATH(H, H2, tanh)                                                                               \
  WARPFUZZ_HALF_MATH(H, H2, ceil)                                                                               \
  WARPFUZZ_HALF_MATH(H, H2, floor)                                                                              \
  WARPFUZZ_HALF_MATH(H, H2, rint)                                                                               \
  WARPFUZZ_HALF_MATH(H, H2, trunc)                                                                              \
  WARPFUZZ_FALLBACK_FN H htanh_approx(const H a) {                                                              \
    return ::warpfuzz::cpu::half_apply(::warpfuzz::cpu::HalfFunction::tanh, a);                                 \
  }                                                                                                             \
  WARPFUZZ_FALLBACK_FN H2 h2tanh_approx(const H2 a) { return H2{htanh_approx(a.x), htanh_approx(a.y)}; }        \
  WARPFUZZ_FALLBACK_FN H __hfma(const H a, const H b, const H c) { return ::warpfuzz::cpu::half_fma(a, b, c); } \
  WARPFUZZ_FALLBACK_FN H __hfma_relu(const H a, const H b, const H c) {                                         \
    return ::warpfuzz::cpu::half_relu(::warpfuzz::cpu::half_fma(a, b, c),                                       \
                                      ::warpfuzz::cpu::reinterpret_bits<H>(std::uint16_t(nan)));                \
  }                                                                                                             \
  WARPFUZZ_FALLBACK_FN H __hfma_sat(const H a, const H b, const H c) {                                          \
    return ::warpfuzz::cpu::half_saturate(::warpfuzz::cpu::half_fma(a, b, c),                                   \
                                          ::warpfuzz::cpu::reinterpret_bits<H>(std::uint16_t(one)));            \
  }                                                                                                             \
  WARPFUZZ_FALLBACK_FN H2 __hfma2(const H2 a, const H2 b, const H2 c) {                                         \
    return H2{__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};                                                    \
  }                                                                                                             \
  WARPFUZZ_FALLBACK_FN H2 __hfma2_relu(const H2 a, const H2 b, const H2 c) {                                    \
    return H2{__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)};                                          \
  }                                                                                                             \
  WARPFUZZ_FALLBACK_FN H2 __hfma2_sat(const H2 a, const H2 b, const H2 c) {                                     \
    return H2{__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};                                            \
  }                                                                                                             \
  /* Complex: (a.x + i a.y) (b.x + i b.y) + c, in four fused steps. */                                          \
  WARPFUZZ_FALLBACK_FN H2 __hcmadd(const H2 a, const H2 b, const H2 c) {                                        \
    const H re = __hfma(a.x, b.x, c.x), im = __hfma(a.x, b.y, c.y);                                             \
    return H2{__hfma(::warpfuzz::cpu::half_negate(a.y), b.y, re), __hfma(a.y, b.x, im)};                        \
  }                                                                                                             \
  WARPFUZZ_SHUFFLES(WARPFUZZ_FALLBACK_FN, H)                                                                    \
  WARPFUZZ_SHUFFLES(WARPFUZZ_FALLBACK_FN, H2)                                                                   \
  WARPFUZZ_ATOMIC(WARPFUZZ_FALLBACK_FN, atomicAdd, H, true, __hadd(old, value))                                 \
  WARPFUZZ_ATOMIC(WARPFUZZ_FALLBACK_FN, atomicAdd, H2, true, (H2{__hadd(old.x, value.x), __hadd(old.y, value.y)}))

#define WARPFUZZ_HALF_TO(H, from, to, I, suffix, mode)                                \
  WARPFUZZ_FALLBACK_FN I __##from##2##to##_##suffix(const H h) {                      \
    return ::warpfuzz::cpu::to_integer<I, ::warpfuzz::cpu::Rounding::mode>(float(h)); \
  }
#define WARPFUZZ_HALF_TO_INTEGERS(H, from)                              \
  WARPFUZZ_MODES(WARPFUZZ_HALF_TO, H, from, int, int)                   \
  WARPFUZZ_MODES(WARPFUZZ_HALF_TO, H, from, uint, unsigned int)         \
  WARPFUZZ_MODES(WARPFUZZ_HALF_TO, H, from, short, short int)           \
  WARPFUZZ_MODES(WARPFUZZ_HALF_TO, H, from, ushort, unsigned short int) \
  WARPFUZZ_MODES(WARPFUZZ_HALF_TO, H, from, ll, long long int)          \
  WARPFUZZ_MODES(WARPFUZZ_HALF_TO, H, from, ull, unsigned long long int)
