// Arithmetic with a stated rounding, and the fast approximations. The former round correctly in every mode. The latter are
// computed with the C library and so are more exact than hardware, with hardware's ranges and special cases where those are
// documented: __fdividef with a huge divisor, __powf of a negative base.
#pragma once
#include "warpfuzz_cuda/cast.h"

#define WARPFUZZ_ROUNDED2(name, T, op, suffix, mode) \
  WARPFUZZ_FN T name##suffix(T a, T b) { return ::warpfuzz::cpu::op(::warpfuzz::cpu::Rounding::mode, a, b); }
#define WARPFUZZ_ROUNDED1(name, T, op, suffix, mode) \
  WARPFUZZ_FN T name##suffix(T a) { return ::warpfuzz::cpu::op(::warpfuzz::cpu::Rounding::mode, a); }
#define WARPFUZZ_ROUNDED3(name, T, op, suffix, mode) \
  WARPFUZZ_FN T name##suffix(T a, T b, T c) { return ::warpfuzz::cpu::op(::warpfuzz::cpu::Rounding::mode, a, b, c); }
#define WARPFUZZ_RECIPROCAL(name, T, op, suffix, mode) \
  WARPFUZZ_FN T name##suffix(T a) { return ::warpfuzz::cpu::op(::warpfuzz::cpu::Rounding::mode, T(1), a); }
#define WARPFUZZ_DIRECTED(X, ...) X(__VA_ARGS__, rz, zero) X(__VA_ARGS__, ru, up) X(__VA_ARGS__, rd, down)
WARPFUZZ_DIRECTED(WARPFUZZ_ROUNDED2, __fadd_, float, add_rounded)
WARPFUZZ_DIRECTED(WARPFUZZ_ROUNDED2, __fsub_, float, sub_rounded)
WARPFUZZ_DIRECTED(WARPFUZZ_ROUNDED2, __fmul_, float, mul_rounded)
WARPFUZZ_DIRECTED(WARPFUZZ_ROUNDED2, __fdiv_, float, div_rounded)
WARPFUZZ_DIRECTED(WARPFUZZ_ROUNDED1, __fsqrt_, float, sqrt_rounded)
WARPFUZZ_DIRECTED(WARPFUZZ_ROUNDED3, __fmaf_, float, fma_rounded)
WARPFUZZ_DIRECTED(WARPFUZZ_ROUNDED3, __fmaf_ieee_, float, fma_rounded)
WARPFUZZ_DIRECTED(WARPFUZZ_RECIPROCAL, __frcp_, float, div_rounded)
WARPFUZZ_DIRECTED(WARPFUZZ_ROUNDED2, __dadd_, double, add_rounded)
WARPFUZZ_DIRECTED(WARPFUZZ_ROUNDED2, __dsub_, double, sub_rounded)
WARPFUZZ_DIRECTED(WARPFUZZ_ROUNDED2, __dmul_, double, mul_rounded)
WARPFUZZ_DIRECTED(WARPFUZZ_ROUNDED2, __ddiv_, double, div_rounded)
WARPFUZZ_DIRECTED(WARPFUZZ_ROUNDED1, __dsqrt_, double, sqrt_rounded)
WARPFUZZ_DIRECTED(WARPFUZZ_ROUNDED3, __fma_, double, fma_rounded)
WARPFUZZ_DIRECTED(WARPFUZZ_RECIPROCAL, __drcp_, double, div_rounded)

// Nearest even is the processor's own mode. (Kernels are compiled with -ffp-contract=off: no product is fused by itself.)
WARPFUZZ_FN float __fadd_rn(float a, float b) { return a + b; }
WARPFUZZ_FN float __fsub_rn(float a, float b) { return a - b; }
WARPFUZZ_FN float __fmul_rn(float a, float b) { return a * b; }
WARPFUZZ_FN float __fdiv_rn(float a, float b) { return a / b; }
WARPFUZZ_FN float __frcp_rn(float a) { return 1.0f / a; }
WARPFUZZ_FN float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
WARPFUZZ_FN float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WARPFUZZ_FN float __fmaf_ieee_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WARPFUZZ_FN float __frsqrt_rn(float a) { return ::warpfuzz::cpu::rsqrt_nearest(a); }
WARPFUZZ_FN double __dadd_rn(double a, double b) { return a + b; }
WARPFUZZ_FN double __dsub_rn(double a, double b) { return a - b; }
WARPFUZZ_FN double __dmul_rn(double a, double b) { return a * b; }
WARPFUZZ_FN double __ddiv_rn(double a, double b) { return a / b; }
WARPFUZZ_FN double __drcp_rn(double a) { return 1.0 / a; }
WARPFUZZ_FN double __dsqrt_rn(double a) { return __builtin_sqrt(a); }
WARPFUZZ_FN double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
// Two fp32 lanes at once (sm_100 spells them so; no difference here).
#define WARPFUZZ_FLOAT2(name2, name, suffix) \
  WARPFUZZ_FN float2 name2##suffix(float2 a, float2 b) { return {name##suffix(a.x, b.x), name##suffix(a.y, b.y)}; }
#define WARPFUZZ_FLOAT2_ALL(suffix)                                          \
  WARPFUZZ_FLOAT2(__fadd2_, __fadd_, suffix)                                 \
  WARPFUZZ_FLOAT2(__fmul2_, __fmul_, suffix)                                 \
  WARPFUZZ_FN float2 __ffma2_##suffix(float2 a, float2 b, float2 c) {        \
    return {__fmaf_##suffix(a.x, b.x, c.x), __fmaf_##suffix(a.y, b.y, c.y)}; \
  }
WARPFUZZ_FLOAT2_ALL(rn)
WARPFUZZ_FLOAT2_ALL(rz)
WARPFUZZ_FLOAT2_ALL(ru)
WARPFUZZ_FLOAT2_ALL(rd)

// [0, 1], NaN to +0.
WARPFUZZ_FN float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
WARPFUZZ_FN float saturate(float x) { return __saturatef(x); }

// The divisor's reciprocal underflows to zero above 2^126.
WARPFUZZ_FN float __fdividef(float x, float y) {
  return __builtin_fabsf(y) > 0x1p126f && y == y && __builtin_fabsf(y) < __builtin_inff()
             ? x * __builtin_copysignf(0.0f, y)
             : x / y;
}
WARPFUZZ_FN float fdividef(float x, float y) { return x / y; }
WARPFUZZ_FN double fdivide(double x, double y) { return x / y; }
WARPFUZZ_FN float __sinf(float x) { return ::sinf(x); }
WARPFUZZ_FN float __cosf(float x) { return ::cosf(x); }
WARPFUZZ_FN float __tanf(float x) { return __fdividef(::sinf(x), ::cosf(x)); }
WARPFUZZ_FN float __tanhf(float x) { return ::tanhf(x); }
WARPFUZZ_FN void __sincosf(float x, float* s, float* c) {
  *s = ::sinf(x);
  *c = ::cosf(x);
}
WARPFUZZ_FN float __expf(float x) { return ::expf(x); }
WARPFUZZ_FN float __exp2f(float x) { return ::exp2f(x); }
WARPFUZZ_FN float __exp10f(float x) { return ::exp2f(x * 3.3219280948873623f); }
WARPFUZZ_FN float __logf(float x) { return ::logf(x); }
WARPFUZZ_FN float __log2f(float x) { return ::log2f(x); }
WARPFUZZ_FN float __log10f(float x) { return ::log10f(x); }
// As the hardware does it, so that a negative base, and a zero base with exponent 0, give NaN.
WARPFUZZ_FN float __powf(float x, float y) { return ::exp2f(y * ::log2f(x)); }
WARPFUZZ_FN float __sin2pif(float x) { return float(::warpfuzz::cpu::sin_pi(2.0 * double(x))); }
WARPFUZZ_FN float __cos2pif(float x) { return float(::warpfuzz::cpu::cos_pi(2.0 * double(x))); }
WARPFUZZ_FN void __sincos2pif(float x, float* s, float* c) {
  *s = __sin2pif(x);
  *c = __cos2pif(x);
}

// The spellings that take the rounding as an argument.
#define WARPFUZZ_BY_MODE(R, declaration, name, ...)        \
  WARPFUZZ_FN R declaration {                              \
    switch (mode) {                                        \
      case cudaRoundZero: return name##_rz(__VA_ARGS__);   \
      case cudaRoundPosInf: return name##_ru(__VA_ARGS__); \
      case cudaRoundMinInf: return name##_rd(__VA_ARGS__); \
      default: return name##_rn(__VA_ARGS__);              \
    }                                                      \
  }
WARPFUZZ_BY_MODE(double, fma(double a, double b, double c, cudaRoundMode mode), __fma, a, b, c)
WARPFUZZ_BY_MODE(double, dadd(double a, double b, cudaRoundMode mode = cudaRoundNearest), __dadd, a, b)
WARPFUZZ_BY_MODE(double, dsub(double a, double b, cudaRoundMode mode = cudaRoundNearest), __dsub, a, b)
WARPFUZZ_BY_MODE(double, dmul(double a, double b, cudaRoundMode mode = cudaRoundNearest), __dmul, a, b)
WARPFUZZ_BY_MODE(int, double2int(double a, cudaRoundMode mode = cudaRoundZero), __double2int, a)
WARPFUZZ_BY_MODE(unsigned int, double2uint(double a, cudaRoundMode mode = cudaRoundZero), __double2uint, a)
WARPFUZZ_BY_MODE(long long int, double2ll(double a, cudaRoundMode mode = cudaRoundZero), __double2ll, a)
WARPFUZZ_BY_MODE(unsigned long long int, double2ull(double a, cudaRoundMode mode = cudaRoundZero), __double2ull, a)
WARPFUZZ_BY_MODE(double, ll2double(long long int a, cudaRoundMode mode = cudaRoundNearest), __ll2double, a)
WARPFUZZ_BY_MODE(double, ull2double(unsigned long long int a, cudaRoundMode mode = cudaRoundNearest), __ull2double, a)
WARPFUZZ_FN double int2double(int a, cudaRoundMode = cudaRoundNearest) { return a; }
WARPFUZZ_FN double uint2double(unsigned int a, cudaRoundMode = cudaRoundNearest) { return a; }
WARPFUZZ_FN double float2double(float a, cudaRoundMode = cudaRoundNearest) { return a; }
