// Integer intrinsics against loops over bits and arithmetic in wider types.
#include "kernel_case.h"

namespace warpfuzz::cpu {
namespace {

using Int = int;
using Uint = unsigned int;
using Long = long long;
using Ulong = unsigned long long;

std::vector<Ulong> samples() {
  std::vector<Ulong> v = {0,
                          1,
                          2,
                          0x7fffffff,
                          0x80000000,
                          0xffffffff,
                          0x100000000,
                          0x7fffffffffffffff,
                          0x8000000000000000,
                          ~0ull,
                          0x00800000,
                          0x00ffffff};
  Random r;
  for (int i = 0; i < 200; ++i) v.push_back(r.next() >> (r.next() % 64));
  return v;
}

TEST(Bits, CountsAndOrder) {
  for (const Ulong x : samples()) {
    int ones = 0, lead = 64, first = 0;
    Ulong reversed = 0;
    for (int i = 0; i < 64; ++i) {
      if (!(x >> i & 1)) continue;
      ++ones, lead = 63 - i, reversed |= 1ull << (63 - i);
      if (first == 0) first = i + 1;
    }
    EXPECT_EQ(__popcll(x), ones);
    EXPECT_EQ(__clzll(Long(x)), lead);
    EXPECT_EQ(__ffsll(Long(x)), first);
    EXPECT_EQ(__brevll(x), reversed);
    const Uint y = Uint(x);
    EXPECT_EQ(__popc(y), __popcll(y));
    EXPECT_EQ(__clz(Int(y)), __clzll(Long(y)) - 32);
    EXPECT_EQ(__ffs(Int(y)), __ffsll(Long(y)));
    EXPECT_EQ(__brev(y), Uint(__brevll(y) >> 32));
  }
}

TEST(Bits, Products) {
  const auto v = samples();
  for (std::size_t i = 0; i + 1 < v.size(); ++i) {
    const Ulong a = v[i], b = v[i + 1];
    EXPECT_EQ(__umulhi(Uint(a), Uint(b)), Uint((Ulong(Uint(a)) * Uint(b)) >> 32));
    EXPECT_EQ(__mulhi(Int(a), Int(b)), Int((Long(Int(a)) * Int(b)) >> 32));
    // Schoolbook, in 32-bit digits.
    const Ulong a0 = Uint(a), a1 = a >> 32, b0 = Uint(b), b1 = b >> 32;
    const Ulong middle = (a0 * b0 >> 32) + Uint(a1 * b0) + Uint(a0 * b1);
    const Ulong high = a1 * b1 + (a1 * b0 >> 32) + (a0 * b1 >> 32) + (middle >> 32);
    EXPECT_EQ(__umul64hi(a, b), high);
    EXPECT_EQ(Ulong(__mul64hi(Long(a), Long(b))), high - (Long(a) < 0 ? b : 0) - (Long(b) < 0 ? a : 0));
    const auto low24 = [](Ulong x) {
      const Long y = Long(x & 0xffffff);
      return y >= 0x800000 ? y - 0x1000000 : y;
    };
    EXPECT_EQ(__mul24(Int(a), Int(b)), Int(Uint(low24(a) * low24(b))));
    EXPECT_EQ(__umul24(Uint(a), Uint(b)), Uint((a & 0xffffff) * (b & 0xffffff)));
    const Long x = Int(a), y = Int(b);
    EXPECT_EQ(__sad(Int(a), Int(b), 5u), Uint(std::llabs(x - y)) + 5u);
    EXPECT_EQ(__usad(Uint(a), Uint(b), 5u), Uint(std::llabs(Long(Uint(a)) - Long(Uint(b)))) + 5u);
    EXPECT_EQ(__hadd(Int(a), Int(b)), Int(std::floor(double(x + y) / 2)));
    EXPECT_EQ(__rhadd(Int(a), Int(b)), Int(std::floor(double(x + y + 1) / 2)));
    EXPECT_EQ(__uhadd(Uint(a), Uint(b)), Uint((Ulong(Uint(a)) + Uint(b)) / 2));
    EXPECT_EQ(__urhadd(Uint(a), Uint(b)), Uint((Ulong(Uint(a)) + Uint(b) + 1) / 2));
  }
}

TEST(Bits, BytePermutations) {
  EXPECT_EQ(__byte_perm(0x33221100u, 0x77665544u, 0x3210u), 0x33221100u);
  EXPECT_EQ(__byte_perm(0x33221100u, 0x77665544u, 0x7654u), 0x77665544u);
  EXPECT_EQ(__byte_perm(0x33221100u, 0x77665544u, 0x0123u), 0x00112233u);
  EXPECT_EQ(__byte_perm(0x33221100u, 0x77665544u, 0x5140u), 0x55114400u);
  EXPECT_EQ(__byte_perm(0x00008000u, 0u, 0x0009u), 0x000000ffu) << "the selector's top bit spreads the sign";
}

TEST(Bits, FunnelShifts) {
  const Uint lo = 0x89abcdefu, hi = 0x01234567u;
  for (Uint s = 0; s < 70; ++s) {
    const Uint w = s % 32, c = std::min(s, 32u);
    EXPECT_EQ(__funnelshift_l(lo, hi, s), w ? hi << w | lo >> (32 - w) : hi);
    EXPECT_EQ(__funnelshift_r(lo, hi, s), w ? lo >> w | hi << (32 - w) : lo);
    EXPECT_EQ(__funnelshift_lc(lo, hi, s), c == 32 ? lo : c ? hi << c | lo >> (32 - c) : hi);
    EXPECT_EQ(__funnelshift_rc(lo, hi, s), c == 32 ? hi : c ? lo >> c | hi << (32 - c) : lo);
  }
}

TEST(Bits, NthSetBit) {
  EXPECT_EQ(__fns(0xf0u, 0, 1), 4u);
  EXPECT_EQ(__fns(0xf0u, 0, 4), 7u);
  EXPECT_EQ(__fns(0xf0u, 0, 5), ~0u);
  EXPECT_EQ(__fns(0xf0u, 6, 1), 6u);
  EXPECT_EQ(__fns(0xf0u, 6, -2), 5u);
  EXPECT_EQ(__fns(0xf0u, 5, 0), 5u);
  EXPECT_EQ(__fns(0xf0u, 1, 0), ~0u);
}

TEST(Bits, DotProducts) {
  Random r;
  for (int i = 0; i < 300; ++i) {
    const Uint a = Uint(r.next()), b = Uint(r.next()), c = Uint(r.next());
    Long s4 = Int(c), u4 = c, s_lo = Int(c), s_hi = Int(c), u_lo = c, u_hi = c;
    for (int k = 0; k < 4; ++k) {
      s4 += Long(std::int8_t(a >> 8 * k)) * std::int8_t(b >> 8 * k);
      u4 += Long(std::uint8_t(a >> 8 * k)) * std::uint8_t(b >> 8 * k);
    }
    for (int k = 0; k < 2; ++k) {
      s_lo += Long(std::int16_t(a >> 16 * k)) * std::int8_t(b >> 8 * k);
      s_hi += Long(std::int16_t(a >> 16 * k)) * std::int8_t(b >> 8 * (k + 2));
      u_lo += Long(std::uint16_t(a >> 16 * k)) * std::uint8_t(b >> 8 * k);
      u_hi += Long(std::uint16_t(a >> 16 * k)) * std::uint8_t(b >> 8 * (k + 2));
    }
    EXPECT_EQ(__dp4a(Int(a), Int(b), Int(c)), Int(s4));
    EXPECT_EQ(__dp4a(a, b, c), Uint(u4));
    EXPECT_EQ(__dp2a_lo(Int(a), Int(b), Int(c)), Int(s_lo));
    EXPECT_EQ(__dp2a_hi(Int(a), Int(b), Int(c)), Int(s_hi));
    EXPECT_EQ(__dp2a_lo(a, b, c), Uint(u_lo));
    EXPECT_EQ(__dp2a_hi(a, b, c), Uint(u_hi));
  }
  EXPECT_EQ(__dp4a(make_char4(1, -2, 3, -4), make_char4(5, 6, 7, 8), 100), 100 + 5 - 12 + 21 - 32);
  EXPECT_EQ(__dp2a_lo(make_short2(300, -2), make_char4(5, 6, 7, 8), 0), 1500 - 12);
}

TEST(Bits, MinAndMaxOfMixedTypes) {
  EXPECT_EQ(min(-1, 1), -1);
  EXPECT_EQ(min(-1, 1u), 1u) << "compared as unsigned";
  EXPECT_EQ(max(-1, 1u), 0xffffffffu);
  EXPECT_EQ(max(-1ll, 1ull), ~0ull);
  EXPECT_EQ(max(3l, -4l), 3l);
  EXPECT_EQ(min(1.5f, NAN), 1.5f) << "a NaN is dropped";
  EXPECT_EQ(max(NAN, -1.5), -1.5);
  EXPECT_EQ(max(1.5f, 2.5), 2.5);
  static_assert(std::is_same_v<decltype(max(1, 2u)), unsigned>);
  static_assert(std::is_same_v<decltype(max(1.0f, 2.0f)), float>);
  static_assert(std::is_same_v<decltype(min(1.0f, 2.0)), double>);
  EXPECT_EQ(umin(3u, 4u) + umax(3u, 4u), 7u);
  EXPECT_EQ(llmin(-1, 4) + llmax(-1, 4), 3);
}

}  // namespace
}  // namespace warpfuzz::cpu
