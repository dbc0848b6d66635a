// Directed rounding against __float128, which holds these results exactly or far beyond the digits in question; and the fast
// approximations' documented special cases.
#include "kernel_case.h"

namespace warpfuzz::cpu {
namespace {

using Wide = __float128;

// Whether r is the rounding of the exact value e, given that r and e are on the scale of finite values.
template <class F>
bool rounds_to(F r, Wide e, Rounding mode) {
  const F below = std::nextafter(r, F(-INFINITY)), above = std::nextafter(r, F(INFINITY));
  switch (mode) {
    case Rounding::down: return Wide(r) <= e && e < Wide(above);
    case Rounding::up: return e <= Wide(r) && Wide(below) < e;
    case Rounding::zero: return e >= 0 ? Wide(r) <= e && e < Wide(above) : e <= Wide(r) && Wide(below) < e;
    case Rounding::nearest: break;
  }
  const Wide to_r = Wide(r) > e ? Wide(r) - e : e - Wide(r);
  return to_r <= (Wide(above) - Wide(r)) / 2 && to_r <= (Wide(r) - Wide(below)) / 2;
}

template <class F>
F sample(Random& r, int spread) {
  const double mantissa = 1.0 + double(r.next() >> 11) * 0x1p-53;
  return F(std::ldexp(r.next() & 1 ? mantissa : -mantissa, int(r.next() % std::uint64_t(2 * spread + 1)) - spread));
}

constexpr Rounding kModes[] = {Rounding::nearest, Rounding::zero, Rounding::up, Rounding::down};
#define BY_MODE(name, mode, ...)                      \
  (mode == Rounding::nearest ? name##_rn(__VA_ARGS__) \
   : mode == Rounding::zero  ? name##_rz(__VA_ARGS__) \
   : mode == Rounding::up    ? name##_ru(__VA_ARGS__) \
                             : name##_rd(__VA_ARGS__))

TEST(Arithmetic, FloatsRoundInEveryMode) {
  Random r;
  for (int i = 0; i < 3000; ++i) {
    const float a = sample<float>(r, 12), b = sample<float>(r, 12), c = sample<float>(r, 12);
    const Wide A = a, B = b, C = c;
    for (const Rounding m : kModes) {
      EXPECT_TRUE(rounds_to(BY_MODE(__fadd, m, a, b), A + B, m));
      EXPECT_TRUE(rounds_to(BY_MODE(__fsub, m, a, b), A - B, m));
      EXPECT_TRUE(rounds_to(BY_MODE(__fmul, m, a, b), A * B, m));
      EXPECT_TRUE(rounds_to(BY_MODE(__fmaf, m, a, b, c), A * B + C, m));
      EXPECT_TRUE(rounds_to(BY_MODE(__fdiv, m, a, b), A / B, m));
      EXPECT_TRUE(rounds_to(BY_MODE(__frcp, m, b), 1 / B, m));
    }
  }
}
TEST(Arithmetic, DoublesRoundInEveryMode) {
  Random r;
  for (int i = 0; i < 3000; ++i) {
    const double a = sample<double>(r, 20), b = sample<double>(r, 20);
    const double c = sample<double>(r, 2) * std::fabs(a * b);  // so that the exact sum fits 113 digits but for its last
    const Wide A = a, B = b;
    for (const Rounding m : kModes) {
      EXPECT_TRUE(rounds_to(BY_MODE(__dadd, m, a, b), A + B, m));
      EXPECT_TRUE(rounds_to(BY_MODE(__dsub, m, a, b), A - B, m));
      EXPECT_TRUE(rounds_to(BY_MODE(__dmul, m, a, b), A * B, m));
      EXPECT_TRUE(rounds_to(BY_MODE(__ddiv, m, a, b), A / B, m));
      EXPECT_TRUE(rounds_to(BY_MODE(__drcp, m, b), 1 / B, m));
      EXPECT_TRUE(rounds_to(BY_MODE(__fma, m, a, b, c), A * B + Wide(c), m));
    }
  }
}
// The root lies between r and its neighbour iff the argument lies between their squares.
template <class F>
bool root_rounds_to(F r, F x, Rounding m) {
  const Wide below = std::nextafter(r, F(0)), above = std::nextafter(r, F(INFINITY)), R = r, X = x;
  if (m == Rounding::up) return below * below < X && X <= R * R;
  if (m == Rounding::nearest)
    return (R + below) / 2 * ((R + below) / 2) <= X && X <= (R + above) / 2 * ((R + above) / 2);
  return R * R <= X && X < above * above;
}
TEST(Arithmetic, RootsRoundInEveryMode) {
  Random r;
  for (int i = 0; i < 3000; ++i) {
    const float x = std::fabs(sample<float>(r, 60));
    const double y = std::fabs(sample<double>(r, 60));
    for (const Rounding m : kModes) {
      EXPECT_TRUE(root_rounds_to(BY_MODE(__fsqrt, m, x), x, m)) << x;
      EXPECT_TRUE(root_rounds_to(BY_MODE(__dsqrt, m, y), y, m)) << y;
    }
  }
}
TEST(Arithmetic, ReciprocalRootIsNearest) {
  Random r;
  const auto check = [](float x) {
    const float y = __frsqrt_rn(x);
    const Wide low = (Wide(y) + Wide(std::nextafter(y, 0.0f))) / 2,
               high = (Wide(y) + Wide(std::nextafter(y, INFINITY))) / 2;
    EXPECT_TRUE(low * low * Wide(x) <= 1 && 1 <= high * high * Wide(x)) << std::hexfloat << x << " " << y;
  };
  for (int i = 0; i < 20000; ++i) check(std::fabs(sample<float>(r, 120)));
  for (unsigned bits = 0x3f800000; bits < 0x40800000; bits += 1009) check(__uint_as_float(bits));
  for (const float x : {1.0f, 4.0f, 0.25f, 2.0f, FLT_MIN, FLT_MAX, 1.4e-45f, 1e-40f}) check(x);
  EXPECT_EQ(__frsqrt_rn(0.0f), INFINITY);
  EXPECT_EQ(__frsqrt_rn(-0.0f), -INFINITY);
  EXPECT_EQ(__frsqrt_rn(INFINITY), 0.0f);
  EXPECT_TRUE(std::isnan(__frsqrt_rn(-1.0f)));
}
TEST(Arithmetic, DirectedRoundingAtTheEdges) {
  EXPECT_EQ(__fadd_rz(FLT_MAX, FLT_MAX), FLT_MAX);
  EXPECT_EQ(__fadd_ru(FLT_MAX, FLT_MAX), INFINITY);
  EXPECT_EQ(__fmul_rd(1e-30f, 1e-30f), 0.0f);
  EXPECT_EQ(__fmul_ru(1e-30f, 1e-30f), 1.4e-45f);
  EXPECT_TRUE(std::signbit(__fsub_rd(1.0f, 1.0f)));
  EXPECT_EQ(__fadd_rn(1.0f, 0x1p-25f), 1.0f) << "the mode is back";
  EXPECT_EQ(fma(0x1p52 + 1, 1.0, 0.25, cudaRoundPosInf), 0x1p52 + 2);
  EXPECT_EQ(dadd(1.0, 0x1p-60, cudaRoundMinInf), 1.0);
  EXPECT_EQ(double2int(-1.5, cudaRoundMinInf), -2);
}
TEST(Arithmetic, PairsOfFloats) {
  const float2 s = __fadd2_rn({1, 2}, {3, 4}), p = __fmul2_rn({1, 2}, {3, 4}), f = __ffma2_rn({1, 2}, {3, 4}, {5, 6});
  EXPECT_EQ(s.x * 10 + s.y, 46.0f);
  EXPECT_EQ(p.x * 10 + p.y, 38.0f);
  EXPECT_EQ(f.x * 10 + f.y, 94.0f);
}

TEST(FastMath, Saturate) {
  EXPECT_EQ(__saturatef(-2.0f), 0.0f);
  EXPECT_EQ(__saturatef(0.25f), 0.25f);
  EXPECT_EQ(__saturatef(7.0f), 1.0f);
  EXPECT_EQ(__saturatef(NAN), 0.0f);
  EXPECT_EQ(__saturatef(INFINITY), 1.0f);
}
TEST(FastMath, DivisionByAHugeNumberIsZero) {
  EXPECT_EQ(__fdividef(6.0f, 3.0f), 2.0f);
  EXPECT_EQ(__fdividef(1e38f, 2e38f), 0.0f);
  EXPECT_TRUE(std::isnan(__fdividef(INFINITY, 2e38f)));
  EXPECT_EQ(__fdividef(1.0f, INFINITY), 0.0f);
  EXPECT_EQ(fdividef(1e38f, 2e38f), 0.5f);
}
TEST(FastMath, PowerGoesThroughTheLogarithm) {
  EXPECT_FLOAT_EQ(__powf(2.0f, 10.0f), 1024.0f);
  EXPECT_TRUE(std::isnan(__powf(-2.0f, 2.0f)));
  EXPECT_TRUE(std::isnan(__powf(0.0f, 0.0f)));
  EXPECT_EQ(__powf(0.0f, 2.0f), 0.0f);
}
TEST(FastMath, ApproximateTheFunctionTheyName) {
  for (float x : {0.1f, 0.7f, 1.3f, 2.9f}) {
    float s, c;
    __sincosf(x, &s, &c);
    EXPECT_NEAR(__sinf(x), std::sin(double(x)), 1e-6);
    EXPECT_NEAR(__cosf(x), std::cos(double(x)), 1e-6);
    EXPECT_EQ(s, __sinf(x));
    EXPECT_EQ(c, __cosf(x));
    EXPECT_NEAR(__tanf(x) / std::tan(double(x)), 1.0, 1e-5);
    EXPECT_NEAR(__tanhf(x), std::tanh(double(x)), 1e-6);
    EXPECT_NEAR(__expf(x) / std::exp(double(x)), 1.0, 1e-6);
    EXPECT_NEAR(__exp10f(x) / std::pow(10.0, double(x)), 1.0, 2e-6);
    EXPECT_NEAR(__logf(x), std::log(double(x)), 1e-6);
    EXPECT_NEAR(__log2f(x), std::log2(double(x)), 1e-6);
    EXPECT_NEAR(__log10f(x), std::log10(double(x)), 1e-6);
    EXPECT_NEAR(__sin2pif(x), std::sin(2 * M_PI * x), 1e-6);
    EXPECT_NEAR(__cos2pif(x), std::cos(2 * M_PI * x), 1e-6);
  }
  EXPECT_EQ(__expf(-INFINITY), 0.0f);
  EXPECT_EQ(__expf(INFINITY), INFINITY);
  EXPECT_TRUE(std::isnan(__logf(-1.0f)));
  EXPECT_EQ(__logf(0.0f), -INFINITY);
}

}  // namespace
}  // namespace warpfuzz::cpu
