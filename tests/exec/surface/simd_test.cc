// Packed integer intrinsics, lane by lane, against plain integers.
#include "kernel_case.h"

namespace warpfuzz::cpu {
namespace {

// The lanes of a word as integers, and back.
std::vector<int> lanes(unsigned x, int bits, bool is_signed) {
  std::vector<int> v;
  for (int s = 0; s < 32; s += bits) {
    const int lane = int(x >> s & ((1u << bits) - 1u));
    v.push_back(is_signed && lane >= 1 << (bits - 1) ? lane - (1 << bits) : lane);
  }
  return v;
}
unsigned word(const std::vector<int>& v, int bits) {
  unsigned x = 0;
  for (std::size_t i = 0; i < v.size(); ++i) x |= (unsigned(v[i]) & ((1u << bits) - 1u)) << (bits * int(i));
  return x;
}
template <class F>
unsigned each(unsigned a, unsigned b, int bits, bool is_signed, F f) {
  const auto x = lanes(a, bits, is_signed), y = lanes(b, bits, is_signed);
  std::vector<int> r;
  for (std::size_t i = 0; i < x.size(); ++i) r.push_back(f(x[i], y[i]));
  return word(r, bits);
}
int clamp_signed(int x, int bits) { return std::clamp(x, -(1 << (bits - 1)), (1 << (bits - 1)) - 1); }
int clamp_unsigned(int x, int bits) { return std::clamp(x, 0, (1 << bits) - 1); }

#define CHECK_LANES(n, name, is_signed, expression)            \
  EXPECT_EQ(name##n(a, b), each(a, b, 32 / n, is_signed,       \
                                [](int x, int y) {             \
                                  (void)y;                     \
                                  constexpr int bits = 32 / n; \
                                  (void)bits;                  \
                                  return expression;           \
                                }))                            \
      << #name #n << std::hex << " " << a << " " << b
#define CHECK_ALL(n)                                                                                                 \
  CHECK_LANES(n, __vadd, false, x + y);                                                                              \
  CHECK_LANES(n, __vsub, false, x - y);                                                                              \
  CHECK_LANES(n, __vaddss, true, clamp_signed(x + y, bits));                                                         \
  CHECK_LANES(n, __vaddus, false, clamp_unsigned(x + y, bits));                                                      \
  CHECK_LANES(n, __vsubss, true, clamp_signed(x - y, bits));                                                         \
  CHECK_LANES(n, __vsubus, false, clamp_unsigned(x - y, bits));                                                      \
  CHECK_LANES(n, __vmaxs, true, std::max(x, y));                                                                     \
  CHECK_LANES(n, __vmaxu, false, std::max(x, y));                                                                    \
  CHECK_LANES(n, __vmins, true, std::min(x, y));                                                                     \
  CHECK_LANES(n, __vminu, false, std::min(x, y));                                                                    \
  CHECK_LANES(n, __vavgu, false, (x + y + 1) / 2);                                                                   \
  CHECK_LANES(n, __vhaddu, false, (x + y) / 2);                                                                      \
  CHECK_LANES(n, __vabsdiffu, false, std::abs(x - y));                                                               \
  CHECK_LANES(n, __vabsdiffs, true, std::abs(x - y));                                                                \
  CHECK_LANES(n, __vcmpeq, false, x == y ? -1 : 0);                                                                  \
  CHECK_LANES(n, __vcmpne, false, x != y ? -1 : 0);                                                                  \
  CHECK_LANES(n, __vcmpges, true, x >= y ? -1 : 0);                                                                  \
  CHECK_LANES(n, __vcmpgtu, false, x > y ? -1 : 0);                                                                  \
  CHECK_LANES(n, __vcmples, true, x <= y ? -1 : 0);                                                                  \
  CHECK_LANES(n, __vcmpltu, false, x < y ? -1 : 0);                                                                  \
  CHECK_LANES(n, __vseteq, false, x == y);                                                                           \
  CHECK_LANES(n, __vsetgts, true, x > y);                                                                            \
  CHECK_LANES(n, __vsetleu, false, x <= y);                                                                          \
  EXPECT_EQ(__vabs##n(a), each(a, a, 32 / n, true, [](int x, int) { return std::abs(x); }));                         \
  EXPECT_EQ(__vabsss##n(a), each(a, a, 32 / n, true, [](int x, int) { return clamp_signed(std::abs(x), 32 / n); })); \
  EXPECT_EQ(__vneg##n(a), each(a, a, 32 / n, true, [](int x, int) { return -x; }));                                  \
  EXPECT_EQ(__vnegss##n(a), each(a, a, 32 / n, true, [](int x, int) { return clamp_signed(-x, 32 / n); }));          \
  {                                                                                                                  \
    const auto xs = lanes(a, 32 / n, true), ys = lanes(b, 32 / n, true), xu = lanes(a, 32 / n, false),               \
               yu = lanes(b, 32 / n, false);                                                                         \
    unsigned s = 0, u = 0;                                                                                           \
    for (std::size_t i = 0; i < xs.size(); ++i)                                                                      \
      s += unsigned(std::abs(xs[i] - ys[i])), u += unsigned(std::abs(xu[i] - yu[i]));                                \
    EXPECT_EQ(__vsads##n(a, b), s);                                                                                  \
    EXPECT_EQ(__vsadu##n(a, b), u);                                                                                  \
  }

TEST(Simd, TwoAndFourLanes) {
  Random r;
  std::vector<std::pair<unsigned, unsigned>> pairs = {
      {0, 0}, {0x80808080u, 0x80808080u}, {0x80008000u, 0x7fff7fffu}, {0xffffffffu, 0x01010101u}};
  for (int i = 0; i < 200; ++i) pairs.push_back({unsigned(r.next()), unsigned(r.next())});
  for (const auto& [a, b] : pairs) {
    CHECK_ALL(2)
    CHECK_ALL(4)
  }
}
TEST(Simd, SignedAverageRoundsHalvesAwayFromZero) {
  EXPECT_EQ(__vavgs2(word({3, -3}, 16), word({4, -4}, 16)), word({4, -4}, 16));
  EXPECT_EQ(__vavgs4(word({1, -1, 0, -7}, 8), word({2, -2, 0, -7}, 8)), word({2, -2, 0, -7}, 8));
}

TEST(Simd, FusedMinimumAndMaximum) {
  Random r;
  for (int i = 0; i < 200; ++i) {
    const unsigned a = unsigned(r.next()), b = unsigned(r.next()), c = unsigned(r.next());
    const int x = int(a), y = int(b), z = int(c);
    EXPECT_EQ(__vimax3_s32(x, y, z), std::max({x, y, z}));
    EXPECT_EQ(__vimin3_u32(a, b, c), std::min({a, b, c}));
    EXPECT_EQ(__vimax3_s32_relu(x, y, z), std::max({x, y, z, 0}));
    EXPECT_EQ(__vimin_s32_relu(x, y), std::max(std::min(x, y), 0));
    EXPECT_EQ(__viaddmax_s32(x, y, z), std::max(int(a + b), z));
    EXPECT_EQ(__viaddmin_u32(a, b, c), std::min(a + b, c));
    EXPECT_EQ(__vimax3_s16x2(a, b, c), __vmaxs2(__vmaxs2(a, b), c));
    EXPECT_EQ(__vimax_s16x2_relu(a, b), __vmaxs2(__vmaxs2(a, b), 0));
    bool first = false, hi = false, lo = false;
    EXPECT_EQ(__vibmax_s32(x, y, &first), std::max(x, y));
    EXPECT_EQ(first, x >= y);
    EXPECT_EQ(__vibmin_u16x2(a, b, &hi, &lo), __vminu2(a, b));
    EXPECT_EQ(hi, (a >> 16) <= (b >> 16));
    EXPECT_EQ(lo, (a & 0xffff) <= (b & 0xffff));
  }
}

}  // namespace
}  // namespace warpfuzz::cpu
