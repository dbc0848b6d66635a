// Math functions that CUDA has and the C library lacks, or has for fp64 only; and min and max for every pair of types.
#pragma once
#include "warpfuzz_cuda/base.h"

// name(double), name##f(float) and the float overload of name; fp32 results are fp64 results rounded once more.
#define WARPFUZZ_MATH1(name, expression)                   \
  WARPFUZZ_FN double name(double x) { return expression; } \
  WARPFUZZ_FN float name##f(float f) {                     \
    const double x = f;                                    \
    return float(expression);                              \
  }                                                        \
  WARPFUZZ_FN float name(float f) { return name##f(f); }
WARPFUZZ_MATH1(rsqrt, 1.0 / __builtin_sqrt(x))
WARPFUZZ_MATH1(rcbrt, 1.0 / ::cbrt(x))
WARPFUZZ_MATH1(sinpi, ::warpfuzz::cpu::sin_pi(x))
WARPFUZZ_MATH1(cospi, ::warpfuzz::cpu::cos_pi(x))
WARPFUZZ_MATH1(normcdf, ::warpfuzz::cpu::normal_cdf(x))
WARPFUZZ_MATH1(normcdfinv, ::warpfuzz::cpu::normal_cdf_inverse(x))
WARPFUZZ_MATH1(erfinv, ::warpfuzz::cpu::erf_inverse(x))
WARPFUZZ_MATH1(erfcinv, ::warpfuzz::cpu::erfc_inverse(x))
WARPFUZZ_MATH1(erfcx, ::warpfuzz::cpu::erfc_scaled(x))
WARPFUZZ_MATH1(cyl_bessel_i0, ::warpfuzz::cpu::bessel_i0(x))
WARPFUZZ_MATH1(cyl_bessel_i1, ::warpfuzz::cpu::bessel_i1(x))

WARPFUZZ_FN void sincospi(double x, double* s, double* c) {
  *s = sinpi(x);
  *c = cospi(x);
}
WARPFUZZ_FN void sincospif(float x, float* s, float* c) {
  *s = sinpif(x);
  *c = cospif(x);
}
WARPFUZZ_FN void sincospi(float x, float* s, float* c) { sincospif(x, s, c); }
WARPFUZZ_FN void sincos(float x, float* s, float* c) {
  *s = ::sinf(x);
  *c = ::cosf(x);
}
WARPFUZZ_FN float exp10(float x) { return ::exp10f(x); }
WARPFUZZ_FN float j0(float x) { return ::j0f(x); }
WARPFUZZ_FN float j1(float x) { return ::j1f(x); }
WARPFUZZ_FN float jn(int n, float x) { return ::jnf(n, x); }
WARPFUZZ_FN float y0(float x) { return ::y0f(x); }
WARPFUZZ_FN float y1(float x) { return ::y1f(x); }
WARPFUZZ_FN float yn(int n, float x) { return ::ynf(n, x); }
WARPFUZZ_FN double copysign(double x, float y) { return ::copysign(x, double(y)); }
WARPFUZZ_FN double copysign(float x, double y) { return ::copysign(double(x), y); }

WARPFUZZ_FN double rhypot(double x, double y) { return 1.0 / ::hypot(x, y); }
WARPFUZZ_FN float rhypotf(float x, float y) { return float(1.0 / ::hypot(double(x), double(y))); }
WARPFUZZ_FN double norm3d(double a, double b, double c) {
  const double p[] = {a, b, c};
  return ::warpfuzz::cpu::norm_of(p, 3);
}
WARPFUZZ_FN double norm4d(double a, double b, double c, double d) {
  const double p[] = {a, b, c, d};
  return ::warpfuzz::cpu::norm_of(p, 4);
}
WARPFUZZ_FN double norm(int n, const double* p) { return ::warpfuzz::cpu::norm_of(p, n); }
WARPFUZZ_FN double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
WARPFUZZ_FN double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
WARPFUZZ_FN double rnorm(int n, const double* p) { return 1.0 / ::warpfuzz::cpu::norm_of(p, n); }
WARPFUZZ_FN float norm3df(float a, float b, float c) { return float(norm3d(a, b, c)); }
WARPFUZZ_FN float norm4df(float a, float b, float c, float d) { return float(norm4d(a, b, c, d)); }
WARPFUZZ_FN float normf(int n, const float* p) { return float(::warpfuzz::cpu::norm_of(p, n)); }
WARPFUZZ_FN float rnorm3df(float a, float b, float c) { return float(rnorm3d(a, b, c)); }
WARPFUZZ_FN float rnorm4df(float a, float b, float c, float d) { return float(rnorm4d(a, b, c, d)); }
WARPFUZZ_FN float rnormf(int n, const float* p) { return float(1.0 / ::warpfuzz::cpu::norm_of(p, n)); }

// CUDA's own overload set: a signed with an unsigned operand compares as unsigned, float ones drop a NaN.
#define WARPFUZZ_MIN_MAX(R, A, B)                         \
  WARPFUZZ_FN R min(A a, B b) {                           \
    const R x = static_cast<R>(a), y = static_cast<R>(b); \
    return x < y ? x : y;                                 \
  }                                                       \
  WARPFUZZ_FN R max(A a, B b) {                           \
    const R x = static_cast<R>(a), y = static_cast<R>(b); \
    return x > y ? x : y;                                 \
  }
#define WARPFUZZ_MIN_MAX_OF(S, U) \
  WARPFUZZ_MIN_MAX(S, S, S) WARPFUZZ_MIN_MAX(U, U, U) WARPFUZZ_MIN_MAX(U, S, U) WARPFUZZ_MIN_MAX(U, U, S)
WARPFUZZ_MIN_MAX_OF(int, unsigned int)
WARPFUZZ_MIN_MAX_OF(long int, unsigned long int)
WARPFUZZ_MIN_MAX_OF(long long int, unsigned long long int)
WARPFUZZ_FN float min(float a, float b) { return ::fminf(a, b); }
WARPFUZZ_FN float max(float a, float b) { return ::fmaxf(a, b); }
#define WARPFUZZ_MIN_MAX_DOUBLE(A, B)                                       \
  WARPFUZZ_FN double min(A a, B b) { return ::fmin(double(a), double(b)); } \
  WARPFUZZ_FN double max(A a, B b) { return ::fmax(double(a), double(b)); }
WARPFUZZ_MIN_MAX_DOUBLE(double, double)
WARPFUZZ_MIN_MAX_DOUBLE(float, double)
WARPFUZZ_MIN_MAX_DOUBLE(double, float)
WARPFUZZ_FN unsigned int umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
WARPFUZZ_FN unsigned int umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
WARPFUZZ_FN long long int llmin(long long int a, long long int b) { return a < b ? a : b; }
WARPFUZZ_FN long long int llmax(long long int a, long long int b) { return a > b ? a : b; }
WARPFUZZ_FN unsigned long long int ullmin(unsigned long long int a, unsigned long long int b) { return a < b ? a : b; }
WARPFUZZ_FN unsigned long long int ullmax(unsigned long long int a, unsigned long long int b) { return a > b ? a : b; }
