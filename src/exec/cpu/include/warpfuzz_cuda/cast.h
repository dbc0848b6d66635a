// Conversions with a rounding mode, and reinterpretations. Float to integer saturates and maps NaN as the hardware does,
// unlike a cast in C++.
#pragma once
#include "warpfuzz_cuda/base.h"

namespace warpfuzz::cpu {

template <Rounding mode, class F>
WARPFUZZ_FN F round_to_integral(F x) {
  if constexpr (mode == Rounding::nearest) return __builtin_elementwise_roundeven(x);
  if constexpr (mode == Rounding::zero) return __builtin_elementwise_trunc(x);
  if constexpr (mode == Rounding::up) return __builtin_elementwise_ceil(x);
  return __builtin_elementwise_floor(x);
}

// NaN: 0, but the top bit alone where source or result has 64 bits.
template <class I, Rounding mode, class F>
WARPFUZZ_FN I to_integer(F x) {
  constexpr int bits = 8 * int(sizeof(I));
  constexpr F half_range = F(1ull << (bits - 1));
  constexpr F above = std::is_signed_v<I> ? half_range : 2 * half_range;
  constexpr F lowest = std::is_signed_v<I> ? -half_range : F(0);
  if (x != x) return sizeof(F) == 8 || bits == 64 ? static_cast<I>(1ull << (bits - 1)) : static_cast<I>(0);
  const F r = round_to_integral<mode>(x);
  if (r >= above) return std::numeric_limits<I>::max();
  if (r < lowest) return std::numeric_limits<I>::min();
  return static_cast<I>(r);
}

// An integer to a floating type, rounded once, in the given direction, to `digits` binary digits.
template <class F, Rounding mode, int digits = std::numeric_limits<F>::digits, class I>
WARPFUZZ_FN F from_integer(I x) {
  const bool negative = x < static_cast<I>(0);
  std::uint64_t magnitude = negative ? 0 - std::uint64_t(x) : std::uint64_t(x);
  const int excess = magnitude == 0 ? 0 : 64 - __builtin_clzll(magnitude) - digits;
  int exponent = 0;
  if (excess > 0) {
    const std::uint64_t rest = magnitude & ((std::uint64_t(1) << excess) - 1), half = std::uint64_t(1) << (excess - 1);
    magnitude >>= excess;
    exponent = excess;
    const bool away = mode == Rounding::nearest ? rest > half || (rest == half && (magnitude & 1))
                      : mode == Rounding::up    ? rest != 0 && !negative
                      : mode == Rounding::down  ? rest != 0 && negative
                                                : false;
    magnitude += away;
  }
  const F value = F(std::int64_t(magnitude)) * F(std::uint64_t(1) << exponent);
  return negative ? -value : value;
}

// fp64 to fp32 in one direction: the neighbour of the nearest value where that one lies on the wrong side.
template <Rounding mode>
WARPFUZZ_FN float to_float(double x) {
  const float nearest = float(x);
  if constexpr (mode == Rounding::up)
    return double(nearest) < x ? __builtin_nextafterf(nearest, __builtin_inff()) : nearest;
  if constexpr (mode == Rounding::down)
    return double(nearest) > x ? __builtin_nextafterf(nearest, -__builtin_inff()) : nearest;
  if constexpr (mode == Rounding::zero) {
    return __builtin_fabs(double(nearest)) > __builtin_fabs(x) ? __builtin_nextafterf(nearest, 0.0f) : nearest;
  }
  return nearest;
}

}  // namespace warpfuzz::cpu

#define WARPFUZZ_MODES(X, ...) \
  X(__VA_ARGS__, rn, nearest)  \
  X(__VA_ARGS__, rz, zero)     \
  X(__VA_ARGS__, ru, up)       \
  X(__VA_ARGS__, rd, down)
#define WARPFUZZ_TO_INTEGER(from, F, to, I, suffix, mode)                      \
  WARPFUZZ_FN I __##from##2##to##_##suffix(F x) {                              \
    return ::warpfuzz::cpu::to_integer<I, ::warpfuzz::cpu::Rounding::mode>(x); \
  }
#define WARPFUZZ_FROM_INTEGER(from, I, to, F, suffix, mode)                      \
  WARPFUZZ_FN F __##from##2##to##_##suffix(I x) {                                \
    return ::warpfuzz::cpu::from_integer<F, ::warpfuzz::cpu::Rounding::mode>(x); \
  }
WARPFUZZ_MODES(WARPFUZZ_TO_INTEGER, float, float, int, int)
WARPFUZZ_MODES(WARPFUZZ_TO_INTEGER, float, float, uint, unsigned int)
WARPFUZZ_MODES(WARPFUZZ_TO_INTEGER, float, float, ll, long long int)
WARPFUZZ_MODES(WARPFUZZ_TO_INTEGER, float, float, ull, unsigned long long int)
WARPFUZZ_MODES(WARPFUZZ_TO_INTEGER, double, double, int, int)
WARPFUZZ_MODES(WARPFUZZ_TO_INTEGER, double, double, uint, unsigned int)
WARPFUZZ_MODES(WARPFUZZ_TO_INTEGER, double, double, ll, long long int)
WARPFUZZ_MODES(WARPFUZZ_TO_INTEGER, double, double, ull, unsigned long long int)
WARPFUZZ_MODES(WARPFUZZ_FROM_INTEGER, int, int, float, float)
WARPFUZZ_MODES(WARPFUZZ_FROM_INTEGER, uint, unsigned int, float, float)
WARPFUZZ_MODES(WARPFUZZ_FROM_INTEGER, ll, long long int, float, float)
WARPFUZZ_MODES(WARPFUZZ_FROM_INTEGER, ull, unsigned long long int, float, float)
WARPFUZZ_MODES(WARPFUZZ_FROM_INTEGER, ll, long long int, double, double)
WARPFUZZ_MODES(WARPFUZZ_FROM_INTEGER, ull, unsigned long long int, double, double)
WARPFUZZ_FN double __int2double_rn(int x) { return x; }
WARPFUZZ_FN double __uint2double_rn(unsigned int x) { return x; }
#define WARPFUZZ_NARROW(unused, suffix, mode)                             \
  WARPFUZZ_FN float __double2float_##suffix(double x) {                   \
    return ::warpfuzz::cpu::to_float<::warpfuzz::cpu::Rounding::mode>(x); \
  }
WARPFUZZ_MODES(WARPFUZZ_NARROW, )

WARPFUZZ_FN int __float_as_int(float x) { return ::warpfuzz::cpu::reinterpret_bits<int>(x); }
WARPFUZZ_FN unsigned int __float_as_uint(float x) { return ::warpfuzz::cpu::reinterpret_bits<unsigned int>(x); }
WARPFUZZ_FN float __int_as_float(int x) { return ::warpfuzz::cpu::reinterpret_bits<float>(x); }
WARPFUZZ_FN float __uint_as_float(unsigned int x) { return ::warpfuzz::cpu::reinterpret_bits<float>(x); }
WARPFUZZ_FN long long int __double_as_longlong(double x) { return ::warpfuzz::cpu::reinterpret_bits<long long int>(x); }
WARPFUZZ_FN double __longlong_as_double(long long int x) { return ::warpfuzz::cpu::reinterpret_bits<double>(x); }
WARPFUZZ_FN int __double2hiint(double x) { return int(std::uint64_t(__double_as_longlong(x)) >> 32); }
WARPFUZZ_FN int __double2loint(double x) { return int(std::uint64_t(__double_as_longlong(x))); }
WARPFUZZ_FN double __hiloint2double(int hi, int lo) {
  return __longlong_as_double((long long)(std::uint64_t(unsigned(hi)) << 32 | unsigned(lo)));
}

// The older spellings.
WARPFUZZ_FN int float_as_int(float x) { return __float_as_int(x); }
WARPFUZZ_FN float int_as_float(int x) { return __int_as_float(x); }
WARPFUZZ_FN unsigned int float_as_uint(float x) { return __float_as_uint(x); }
WARPFUZZ_FN float uint_as_float(unsigned int x) { return __uint_as_float(x); }
