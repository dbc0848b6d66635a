// Integer intrinsics: counts, bit order, bytes, funnel shifts, high halves of products, averages, dot products.
#pragma once
#include "warpfuzz_cuda/base.h"

WARPFUZZ_FN int __popc(unsigned int x) { return __builtin_popcount(x); }
WARPFUZZ_FN int __popcll(unsigned long long int x) { return __builtin_popcountll(x); }
WARPFUZZ_FN int __clz(int x) { return x == 0 ? 32 : __builtin_clz(unsigned(x)); }
WARPFUZZ_FN int __clzll(long long int x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
WARPFUZZ_FN int __ffs(int x) { return __builtin_ffs(x); }
WARPFUZZ_FN int __ffsll(long long int x) { return __builtin_ffsll(x); }
WARPFUZZ_FN unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
WARPFUZZ_FN unsigned long long int __brevll(unsigned long long int x) { return __builtin_bitreverse64(x); }

// Position of the n-th set bit at or after `base` (n > 0) or at or before it (n < 0); n = 0: base itself if set.
WARPFUZZ_FN unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  if (offset == 0) return base < 32 && (mask >> base & 1) ? base : 0xffffffffu;
  const int step = offset > 0 ? 1 : -1;
  int left = offset > 0 ? offset : -offset;
  for (int i = int(base); i >= 0 && i < 32; i += step) {
    if ((mask >> i & 1) && --left == 0) return unsigned(i);
  }
  return 0xffffffffu;
}

// Each 4-bit selector takes one of the eight bytes of y:x; its top bit spreads that byte's sign.
WARPFUZZ_FN unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  const std::uint64_t bytes = std::uint64_t(y) << 32 | x;
  unsigned int result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned s = selector >> (4 * i) & 0xf;
    const unsigned byte = unsigned(bytes >> (8 * (s & 7))) & 0xff;
    result |= ((s & 8) ? ((byte & 0x80) ? 0xffu : 0u) : byte) << (8 * i);
  }
  return result;
}
WARPFUZZ_FN unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int shift) {
  return unsigned(((std::uint64_t(hi) << 32 | lo) << (shift & 31)) >> 32);
}
WARPFUZZ_FN unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int shift) {
  return unsigned((std::uint64_t(hi) << 32 | lo) >> (shift & 31));
}
WARPFUZZ_FN unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int shift) {
  return shift >= 32 ? lo : unsigned(((std::uint64_t(hi) << 32 | lo) << shift) >> 32);
}
WARPFUZZ_FN unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int shift) {
  return shift >= 32 ? hi : unsigned((std::uint64_t(hi) << 32 | lo) >> shift);
}

WARPFUZZ_FN int __mulhi(int x, int y) { return int((std::int64_t(x) * y) >> 32); }
WARPFUZZ_FN unsigned int __umulhi(unsigned int x, unsigned int y) { return unsigned((std::uint64_t(x) * y) >> 32); }
WARPFUZZ_FN long long int __mul64hi(long long int x, long long int y) { return (long long)((__int128(x) * y) >> 64); }
WARPFUZZ_FN unsigned long long int __umul64hi(unsigned long long int x, unsigned long long int y) {
  return (unsigned long long)((static_cast<unsigned __int128>(x) * y) >> 64);
}
// Products of the low 24 bits, low 32 bits of the result. (Shifts left of negative values are defined in C++20.)
WARPFUZZ_FN int __mul24(int x, int y) { return int(unsigned(std::int64_t(x << 8 >> 8) * std::int64_t(y << 8 >> 8))); }
WARPFUZZ_FN unsigned int __umul24(unsigned int x, unsigned int y) { return (x & 0xffffff) * (y & 0xffffff); }
WARPFUZZ_FN int mulhi(int x, int y) { return __mulhi(x, y); }
WARPFUZZ_FN unsigned int mulhi(unsigned int x, unsigned int y) { return __umulhi(x, y); }
WARPFUZZ_FN long long int mul64hi(long long int x, long long int y) { return __mul64hi(x, y); }
WARPFUZZ_FN unsigned long long int mul64hi(unsigned long long int x, unsigned long long int y) {
  return __umul64hi(x, y);
}
WARPFUZZ_FN int mul24(int x, int y) { return __mul24(x, y); }
WARPFUZZ_FN unsigned int umul24(unsigned int x, unsigned int y) { return __umul24(x, y); }

WARPFUZZ_FN unsigned int __sad(int x, int y, unsigned int z) {
  return z + (x > y ? unsigned(x) - unsigned(y) : unsigned(y) - unsigned(x));
}
WARPFUZZ_FN unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) { return z + (x > y ? x - y : y - x); }
WARPFUZZ_FN int __hadd(int x, int y) { return int((std::int64_t(x) + y) >> 1); }
WARPFUZZ_FN int __rhadd(int x, int y) { return int((std::int64_t(x) + y + 1) >> 1); }
WARPFUZZ_FN unsigned int __uhadd(unsigned int x, unsigned int y) { return unsigned((std::uint64_t(x) + y) >> 1); }
WARPFUZZ_FN unsigned int __urhadd(unsigned int x, unsigned int y) { return unsigned((std::uint64_t(x) + y + 1) >> 1); }

namespace warpfuzz::cpu {
// Sum of products of `count` lanes of two packed words, lane widths `a_bits` and `b_bits`, wrapping around.
template <class A, class B>
WARPFUZZ_FN unsigned dot_packed(unsigned a, unsigned b, unsigned c, int count, int a_first, int b_first) {
  for (int i = 0; i < count; ++i) {
    c += unsigned(int(A(a >> (8 * int(sizeof(A)) * (a_first + i))))) *
         unsigned(int(B(b >> (8 * int(sizeof(B)) * (b_first + i)))));
  }
  return c;
}
}  // namespace warpfuzz::cpu
WARPFUZZ_FN int __dp4a(int a, int b, int c) {
  return int(::warpfuzz::cpu::dot_packed<std::int8_t, std::int8_t>(unsigned(a), unsigned(b), unsigned(c), 4, 0, 0));
}
WARPFUZZ_FN unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  return ::warpfuzz::cpu::dot_packed<std::uint8_t, std::uint8_t>(a, b, c, 4, 0, 0);
}
WARPFUZZ_FN int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(::warpfuzz::cpu::reinterpret_bits<int>(a), ::warpfuzz::cpu::reinterpret_bits<int>(b), c);
}
WARPFUZZ_FN unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
  return __dp4a(::warpfuzz::cpu::reinterpret_bits<unsigned>(a), ::warpfuzz::cpu::reinterpret_bits<unsigned>(b), c);
}
#define WARPFUZZ_DP2A(name, first)                                                                                   \
  WARPFUZZ_FN int name(int a, int b, int c) {                                                                        \
    return int(                                                                                                      \
        ::warpfuzz::cpu::dot_packed<std::int16_t, std::int8_t>(unsigned(a), unsigned(b), unsigned(c), 2, 0, first)); \
  }                                                                                                                  \
  WARPFUZZ_FN unsigned int name(unsigned int a, unsigned int b, unsigned int c) {                                    \
    return ::warpfuzz::cpu::dot_packed<std::uint16_t, std::uint8_t>(a, b, c, 2, 0, first);                           \
  }                                                                                                                  \
  WARPFUZZ_FN int name(short2 a, char4 b, int c) {                                                                   \
    return name(::warpfuzz::cpu::reinterpret_bits<int>(a), ::warpfuzz::cpu::reinterpret_bits<int>(b), c);            \
  }                                                                                                                  \
  WARPFUZZ_FN unsigned int name(ushort2 a, uchar4 b, unsigned int c) {                                               \
    return name(::warpfuzz::cpu::reinterpret_bits<unsigned>(a), ::warpfuzz::cpu::reinterpret_bits<unsigned>(b), c);  \
  }
WARPFUZZ_DP2A(__dp2a_lo, 0)
WARPFUZZ_DP2A(__dp2a_hi, 2)
