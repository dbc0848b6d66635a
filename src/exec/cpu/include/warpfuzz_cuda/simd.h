// Packed integer intrinsics: two 16-bit or four 8-bit lanes in a word.
#pragma once
#include "warpfuzz_cuda/base.h"

namespace warpfuzz::cpu {

// f(lane of a, lane of b) for each lane of type Lane, truncated to the lane.
template <class Lane, class F>
WARPFUZZ_FN unsigned map_lanes(unsigned a, unsigned b, F f) {
  constexpr int bits = 8 * int(sizeof(Lane));
  constexpr unsigned mask = (1u << bits) - 1u;
  unsigned result = 0;
  for (int shift = 0; shift < 32; shift += bits) {
    result |= (unsigned(f(int(Lane(a >> shift)), int(Lane(b >> shift)))) & mask) << shift;
  }
  return result;
}
template <class Lane>
WARPFUZZ_FN int saturate_lane(int x) {
  constexpr int low = std::is_signed_v<Lane> ? -(1 << (8 * int(sizeof(Lane)) - 1)) : 0;
  constexpr int high =
      std::is_signed_v<Lane> ? (1 << (8 * int(sizeof(Lane)) - 1)) - 1 : (1 << (8 * int(sizeof(Lane)))) - 1;
  return x < low ? low : x > high ? high : x;
}
template <class Lane>
WARPFUZZ_FN unsigned sum_of_differences(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (int shift = 0; shift < 32; shift += 8 * int(sizeof(Lane))) {
    const int x = Lane(a >> shift), y = Lane(b >> shift);
    sum += unsigned(x > y ? x - y : y - x);
  }
  return sum;
}

}  // namespace warpfuzz::cpu

#define WARPFUZZ_LANES(name, Lane, expression)                                                  \
  WARPFUZZ_FN unsigned int name(unsigned int a, unsigned int b) {                               \
    return ::warpfuzz::cpu::map_lanes<Lane>(                                                    \
        a, b, [](int x, int y) __attribute__((always_inline, nodebug)) { return expression; }); \
  }
#define WARPFUZZ_LANES1(name, Lane, expression)                                               \
  WARPFUZZ_FN unsigned int name(unsigned int a) {                                             \
    return ::warpfuzz::cpu::map_lanes<Lane>(                                                  \
        a, 0, [](int x, int) __attribute__((always_inline, nodebug)) { return expression; }); \
  }
#define WARPFUZZ_LANE_COMPARES(suffix, Lane, n, op)          \
  WARPFUZZ_LANES(__vcmp##suffix##n, Lane, (x op y) ? -1 : 0) \
  WARPFUZZ_LANES(__vset##suffix##n, Lane, (x op y) ? 1 : 0)

#define WARPFUZZ_PACKED(n, Signed, Unsigned)                                                   \
  WARPFUZZ_LANES1(__vabs##n, Signed, x < 0 ? -x : x)                                           \
  WARPFUZZ_LANES1(__vabsss##n, Signed, ::warpfuzz::cpu::saturate_lane<Signed>(x < 0 ? -x : x)) \
  WARPFUZZ_LANES1(__vneg##n, Signed, -x)                                                       \
  WARPFUZZ_LANES1(__vnegss##n, Signed, ::warpfuzz::cpu::saturate_lane<Signed>(-x))             \
  WARPFUZZ_LANES(__vadd##n, Unsigned, x + y)                                                   \
  WARPFUZZ_LANES(__vaddss##n, Signed, ::warpfuzz::cpu::saturate_lane<Signed>(x + y))           \
  WARPFUZZ_LANES(__vaddus##n, Unsigned, ::warpfuzz::cpu::saturate_lane<Unsigned>(x + y))       \
  WARPFUZZ_LANES(__vsub##n, Unsigned, x - y)                                                   \
  WARPFUZZ_LANES(__vsubss##n, Signed, ::warpfuzz::cpu::saturate_lane<Signed>(x - y))           \
  WARPFUZZ_LANES(__vsubus##n, Unsigned, ::warpfuzz::cpu::saturate_lane<Unsigned>(x - y))       \
  WARPFUZZ_LANES(__vavgs##n, Signed, (x + y + (x + y >= 0)) >> 1)                              \
  WARPFUZZ_LANES(__vavgu##n, Unsigned, (x + y + 1) >> 1)                                       \
  WARPFUZZ_LANES(__vhaddu##n, Unsigned, (x + y) >> 1)                                          \
  WARPFUZZ_LANES(__vabsdiffu##n, Unsigned, x > y ? x - y : y - x)                              \
  WARPFUZZ_LANES(__vabsdiffs##n, Signed, x > y ? x - y : y - x)                                \
  WARPFUZZ_LANES(__vmaxs##n, Signed, x > y ? x : y)                                            \
  WARPFUZZ_LANES(__vmaxu##n, Unsigned, x > y ? x : y)                                          \
  WARPFUZZ_LANES(__vmins##n, Signed, x < y ? x : y)                                            \
  WARPFUZZ_LANES(__vminu##n, Unsigned, x < y ? x : y)                                          \
  WARPFUZZ_LANE_COMPARES(eq, Unsigned, n, ==)                                                  \
  WARPFUZZ_LANE_COMPARES(ne, Unsigned, n, !=)                                                  \
  WARPFUZZ_LANE_COMPARES(ges, Signed, n, >=)                                                   \
  WARPFUZZ_LANE_COMPARES(geu, Unsigned, n, >=)                                                 \
  WARPFUZZ_LANE_COMPARES(gts, Signed, n, >)                                                    \
  WARPFUZZ_LANE_COMPARES(gtu, Unsigned, n, >)                                                  \
  WARPFUZZ_LANE_COMPARES(les, Signed, n, <=)                                                   \
  WARPFUZZ_LANE_COMPARES(leu, Unsigned, n, <=)                                                 \
  WARPFUZZ_LANE_COMPARES(lts, Signed, n, <)                                                    \
  WARPFUZZ_LANE_COMPARES(ltu, Unsigned, n, <)                                                  \
  WARPFUZZ_FN unsigned int __vsads##n(unsigned int a, unsigned int b) {                        \
    return ::warpfuzz::cpu::sum_of_differences<Signed>(a, b);                                  \
  }                                                                                            \
  WARPFUZZ_FN unsigned int __vsadu##n(unsigned int a, unsigned int b) {                        \
    return ::warpfuzz::cpu::sum_of_differences<Unsigned>(a, b);                                \
  }
WARPFUZZ_PACKED(2, std::int16_t, std::uint16_t)
WARPFUZZ_PACKED(4, std::int8_t, std::uint8_t)

// The fused minimum and maximum family: one 32-bit value or two 16-bit lanes; _relu clamps at 0 from below.
WARPFUZZ_LANES(__vimax_s16x2_relu, std::int16_t, (x > y ? x : y) > 0 ? (x > y ? x : y) : 0)
WARPFUZZ_LANES(__vimin_s16x2_relu, std::int16_t, (x < y ? x : y) > 0 ? (x < y ? x : y) : 0)
WARPFUZZ_FN int __vimax_s32_relu(int a, int b) { return std::max(std::max(a, b), 0); }
WARPFUZZ_FN int __vimin_s32_relu(int a, int b) { return std::max(std::min(a, b), 0); }
#define WARPFUZZ_FUSED(which)                                                                                         \
  WARPFUZZ_FN int __vi##which##3_s32(int a, int b, int c) { return std::which(std::which(a, b), c); }                 \
  WARPFUZZ_FN unsigned int __vi##which##3_u32(unsigned int a, unsigned int b, unsigned int c) {                       \
    return std::which(std::which(a, b), c);                                                                           \
  }                                                                                                                   \
  WARPFUZZ_FN unsigned int __vi##which##3_s16x2(unsigned int a, unsigned int b, unsigned int c) {                     \
    return __v##which##s2(__v##which##s2(a, b), c);                                                                   \
  }                                                                                                                   \
  WARPFUZZ_FN unsigned int __vi##which##3_u16x2(unsigned int a, unsigned int b, unsigned int c) {                     \
    return __v##which##u2(__v##which##u2(a, b), c);                                                                   \
  }                                                                                                                   \
  WARPFUZZ_FN int __vi##which##3_s32_relu(int a, int b, int c) {                                                      \
    return std::max(std::which(std::which(a, b), c), 0);                                                              \
  }                                                                                                                   \
  WARPFUZZ_FN unsigned int __vi##which##3_s16x2_relu(unsigned int a, unsigned int b, unsigned int c) {                \
    return __vmaxs2(__v##which##s2(__v##which##s2(a, b), c), 0);                                                      \
  }                                                                                                                   \
  WARPFUZZ_FN int __viadd##which##_s32(int a, int b, int c) { return std::which(int(unsigned(a) + unsigned(b)), c); } \
  WARPFUZZ_FN unsigned int __viadd##which##_u32(unsigned int a, unsigned int b, unsigned int c) {                     \
    return std::which(a + b, c);                                                                                      \
  }                                                                                                                   \
  WARPFUZZ_FN unsigned int __viadd##which##_s16x2(unsigned int a, unsigned int b, unsigned int c) {                   \
    return __v##which##s2(__vadd2(a, b), c);                                                                          \
  }                                                                                                                   \
  WARPFUZZ_FN unsigned int __viadd##which##_u16x2(unsigned int a, unsigned int b, unsigned int c) {                   \
    return __v##which##u2(__vadd2(a, b), c);                                                                          \
  }                                                                                                                   \
  WARPFUZZ_FN int __viadd##which##_s32_relu(int a, int b, int c) {                                                    \
    return std::max(__viadd##which##_s32(a, b, c), 0);                                                                \
  }                                                                                                                   \
  WARPFUZZ_FN unsigned int __viadd##which##_s16x2_relu(unsigned int a, unsigned int b, unsigned int c) {              \
    return __vmaxs2(__viadd##which##_s16x2(a, b, c), 0);                                                              \
  }
WARPFUZZ_FUSED(max)
WARPFUZZ_FUSED(min)

// *pred: the first operand was taken.
#define WARPFUZZ_WITH_PREDICATE(which, cmp)                                                           \
  WARPFUZZ_FN int __vib##which##_s32(int a, int b, bool* pred) {                                      \
    *pred = a cmp b;                                                                                  \
    return *pred ? a : b;                                                                             \
  }                                                                                                   \
  WARPFUZZ_FN unsigned int __vib##which##_u32(unsigned int a, unsigned int b, bool* pred) {           \
    *pred = a cmp b;                                                                                  \
    return *pred ? a : b;                                                                             \
  }                                                                                                   \
  WARPFUZZ_FN unsigned int __vib##which##_s16x2(unsigned int a, unsigned int b, bool* hi, bool* lo) { \
    *hi = std::int16_t(a >> 16) cmp std::int16_t(b >> 16);                                            \
    *lo = std::int16_t(a) cmp std::int16_t(b);                                                        \
    return __v##which##s2(a, b);                                                                      \
  }                                                                                                   \
  WARPFUZZ_FN unsigned int __vib##which##_u16x2(unsigned int a, unsigned int b, bool* hi, bool* lo) { \
    *hi = std::uint16_t(a >> 16) cmp std::uint16_t(b >> 16);                                          \
    *lo = std::uint16_t(a) cmp std::uint16_t(b);                                                      \
    return __v##which##u2(a, b);                                                                      \
  }
WARPFUZZ_WITH_PREDICATE(max, >=)
WARPFUZZ_WITH_PREDICATE(min, <=)
