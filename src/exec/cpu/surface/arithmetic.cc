// Arithmetic in the processor's directed rounding modes.
#include <cfenv>
#include <cmath>

#include "exec/cpu/surface/surface.h"

namespace warpfuzz::cpu {
namespace {

int fenv_mode(Rounding mode) {
  switch (mode) {
    case Rounding::zero: return FE_TOWARDZERO;
    case Rounding::up: return FE_UPWARD;
    case Rounding::down: return FE_DOWNWARD;
    case Rounding::nearest: break;
  }
  return FE_TONEAREST;
}

// The operands are read after the mode is set and the result is written before it is set back: both through volatile
// objects, whose accesses the compiler keeps in order with the calls.
template <class T, class Operation>
T in_mode(Rounding mode, T a, T b, T c, Operation operation) {
  volatile T va = a, vb = b, vc = c, result;
  const int before = std::fegetround();
  std::fesetround(fenv_mode(mode));
  const T x = va, y = vb, z = vc;
  result = operation(x, y, z);
  std::fesetround(before);
  return result;
}

template <class T>
T add(Rounding m, T a, T b) {
  return in_mode<T>(m, a, b, 0, [](T x, T y, T) { return x + y; });
}
template <class T>
T sub(Rounding m, T a, T b) {
  return in_mode<T>(m, a, b, 0, [](T x, T y, T) { return x - y; });
}
template <class T>
T mul(Rounding m, T a, T b) {
  return in_mode<T>(m, a, b, 0, [](T x, T y, T) { return x * y; });
}
template <class T>
T div(Rounding m, T a, T b) {
  return in_mode<T>(m, a, b, 0, [](T x, T y, T) { return x / y; });
}
template <class T>
T root(Rounding m, T a) {
  return in_mode<T>(m, a, 0, 0, [](T x, T, T) { return std::sqrt(x); });
}
template <class T>
T fused(Rounding m, T a, T b, T c) {
  return in_mode<T>(m, a, b, c, [](T x, T y, T z) { return std::fma(x, y, z); });
}

}  // namespace

float add_rounded(Rounding mode, float a, float b) { return add(mode, a, b); }
float sub_rounded(Rounding mode, float a, float b) { return sub(mode, a, b); }
float mul_rounded(Rounding mode, float a, float b) { return mul(mode, a, b); }
float div_rounded(Rounding mode, float a, float b) { return div(mode, a, b); }
float sqrt_rounded(Rounding mode, float a) { return root(mode, a); }
float fma_rounded(Rounding mode, float a, float b, float c) { return fused(mode, a, b, c); }
double add_rounded(Rounding mode, double a, double b) { return add(mode, a, b); }
double sub_rounded(Rounding mode, double a, double b) { return sub(mode, a, b); }
double mul_rounded(Rounding mode, double a, double b) { return mul(mode, a, b); }
double div_rounded(Rounding mode, double a, double b) { return div(mode, a, b); }
double sqrt_rounded(Rounding mode, double a) { return root(mode, a); }
double fma_rounded(Rounding mode, double a, double b, double c) { return fused(mode, a, b, c); }

// The candidate from fp64 is at most one step off; r is the nearest value iff x lies between the squares of the
// reciprocals of the midpoints around r, which 128-bit arithmetic decides: (r +- half a step)^2 * x against 1.
float rsqrt_nearest(float a) {
  if (!(a > 0.0f) || std::isinf(a)) return a == 0.0f ? std::copysign(INFINITY, a) : a > 0.0f ? 0.0f : NAN;
  int exponent;
  const double m = std::frexp(double(a), &exponent);  // a = m * 2^exponent, m in [1/2, 1)
  const bool odd = (exponent & 1) != 0;
  const std::uint64_t x = std::uint64_t(std::ldexp(m, 24)) << (odd ? 1 : 0);  // scaled to [1/2, 2): x / 2^24
  const int half_exponent = (exponent - (odd ? 1 : 0)) / 2;
  // r = n / 2^24 in (2^23.5, 2^24.5]; twice n plus or minus one are the midpoints above 2^24 and so on: step 1 or 2.
  const double r = 1.0 / std::sqrt(std::ldexp(double(x), -24));
  const int step_bits = r >= 1.0 ? 23 : 24;  // r / 2^-step_bits has 24 digits
  std::uint64_t n = std::uint64_t(std::llrint(std::ldexp(r, step_bits)));
  const auto midpoint_too_large = [&](std::uint64_t twice) {  // is twice / 2^(step_bits + 1) > 1 / sqrt(x / 2^24)?
    const unsigned __int128 square = static_cast<unsigned __int128>(twice) * twice;  // below 2^52
    return square * x > (static_cast<unsigned __int128>(1) << (2 * (step_bits + 1) + 24));
  };
  while (midpoint_too_large(2 * n - 1)) --n;
  while (!midpoint_too_large(2 * n + 1)) ++n;
  return float(std::ldexp(double(n), -step_bits - half_exponent));
}

}  // namespace warpfuzz::cpu
