// Eight numbers side by side in the compiler's vector types, for the hot loops of references: SSE2 is enough, AVX2
// or AVX-512 is used where it is there. Every lane is one element's own sequence of operations, and what is added over lanes is added
// in one order, so that results do not depend on the width of the machine.
#pragma once
#include <cstddef>
#include <cstdint>

namespace warpfuzz {

inline constexpr std::size_t kLanes = 8;
using Doubles = double __attribute__((vector_size(kLanes * 8)));
using Floats = float __attribute__((vector_size(kLanes * 4)));
using Bits64 = std::int64_t __attribute__((vector_size(kLanes * 8)));
using Bits32 = std::int32_t __attribute__((vector_size(kLanes * 4)));
using UnsignedBits32 = std::uint32_t __attribute__((vector_size(kLanes * 4)));

#define WARPFUZZ_INLINE __attribute__((always_inline)) inline
#define WARPFUZZ_ABS64(v) ((Doubles)((Bits64)(v) & 0x7fffffffffffffff))
#define WARPFUZZ_ABS32(v) ((Floats)((Bits32)(v) & 0x7fffffff))
// Where the mask has its bits, v; 0 elsewhere.
#define WARPFUZZ_KEEP64(mask, v) ((Doubles)((Bits64)(mask) & (Bits64)(v)))

constexpr std::size_t whole_lanes(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

template <class Vector, class T>
WARPFUZZ_INLINE void load(Vector& v, const T* from) {
  static_assert(sizeof(Vector) == kLanes * sizeof(T));
  __builtin_memcpy(&v, from, sizeof v);
}
template <class Vector, class T>
WARPFUZZ_INLINE void store(T* to, const Vector& v) {
  static_assert(sizeof(Vector) == kLanes * sizeof(T));
  __builtin_memcpy(to, &v, sizeof v);
}
WARPFUZZ_INLINE bool any_lane(const Bits64& mask) {
  std::int64_t any = 0;
  for (std::size_t l = 0; l < kLanes; ++l) any |= mask[l];
  return any != 0;
}
WARPFUZZ_INLINE double sum_of_lanes(const Doubles& v) {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

// exp(x) for x <= 0, within 2^-51 of its value; 0 below -708, where exp leaves the normal numbers. x = -Inf gives 0.
WARPFUZZ_INLINE void exp_of_lanes(const Doubles& x, Doubles& out) {
  // x = k ln 2 + r, |r| <= 0.347; adding 1.5 * 2^52 rounds to a whole number and leaves it in the last bits.
  constexpr double kShift = 0x1.8p52, kLn2High = 0x1.62e42fefa3p-1, kLn2Low = 0x1.3de6af278ece6p-42;
  const Doubles shifted = x * 0x1.71547652b82fep0 + kShift, k = shifted - kShift;
  const Doubles r = (x - k * kLn2High) - k * kLn2Low, r2 = r * r;
  // Taylor's series to r^13 / 13!, even and odd terms apart; what is left out is below 2^-57.
  Doubles even = r2 * (1.0 / 479001600) + 1.0 / 3628800, odd = r2 * (1.0 / 6227020800) + 1.0 / 39916800;
  even = even * r2 + 1.0 / 40320, odd = odd * r2 + 1.0 / 362880;
  even = even * r2 + 1.0 / 720, odd = odd * r2 + 1.0 / 5040;
  even = even * r2 + 1.0 / 24, odd = odd * r2 + 1.0 / 120;
  even = even * r2 + 0.5, odd = odd * r2 + 1.0 / 6;
  even = even * r2 + 1.0, odd = odd * r2 + 1.0;
  const Doubles scaled = (Doubles)((Bits64)(even + r * odd) + ((Bits64)shifted << 52));
  out = WARPFUZZ_KEEP64(x >= -708.0, scaled);
}

// Instruction sets. Products are never fused with sums, which would be another result: libraries are built with
// -ffp-contract=off.
struct PlainLanes {
  template <auto Body, class... Args>
  static void call(Args... args) {
    Body(args...);
  }
};
struct Avx2Lanes : PlainLanes {
  template <auto Body, class... Args>
  __attribute__((target("avx2"))) static void call(Args... args) {
    Body(args...);
  }
};
#define WARPFUZZ_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma")))
struct Avx512Lanes {
  template <auto Body, class... Args>
  WARPFUZZ_AVX512 static void call(Args... args) {
    Body(args...);
  }
};

// Calls a function of always_inline, compiled for the widest registers that this machine has.
enum class LaneSet { plain, avx2, avx512 };
inline bool has_lanes(LaneSet set) {
  const bool avx2 = __builtin_cpu_supports("avx2"),
             wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma"),
             rest = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
  return set == LaneSet::plain || (set == LaneSet::avx2 ? avx2 : avx2 && wide && rest);
}
inline LaneSet widest_lanes() {
  static const LaneSet widest = has_lanes(LaneSet::avx512) ? LaneSet::avx512
                                : has_lanes(LaneSet::avx2) ? LaneSet::avx2
                                                           : LaneSet::plain;
  return widest;
}
template <auto Body, class... Args>
void call_widest(Args... args) {
  switch (widest_lanes()) {
    case LaneSet::avx512: return Avx512Lanes::call<Body, Args...>(args...);
    case LaneSet::avx2: return Avx2Lanes::call<Body, Args...>(args...);
    default: return PlainLanes::call<Body, Args...>(args...);
  }
}
// Body::run<Set>, for those that do the same by other instructions in each set.
template <class Body, class... Args>
void call_widest_set(Args... args) {
  switch (widest_lanes()) {
    case LaneSet::avx512: return Avx512Lanes::call<Body::template run<Avx512Lanes>, Args...>(args...);
    case LaneSet::avx2: return Avx2Lanes::call<Body::template run<Avx2Lanes>, Args...>(args...);
    default: return PlainLanes::call<Body::template run<PlainLanes>, Args...>(args...);
  }
}

}  // namespace warpfuzz
