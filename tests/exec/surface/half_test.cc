// fp16 and bf16: rounding once, special values, and conversions, against integer and fp64 references.
#include "kernel_case.h"
#include "numeric/round.h"

namespace warpfuzz::cpu {
namespace {

__half h(float x) { return __float2half(x); }
__nv_bfloat16 b(float x) { return __float2bfloat16(x); }
std::uint16_t bits(__half x) { return reinterpret_bits<std::uint16_t>(x); }
std::uint16_t bits(__nv_bfloat16 x) { return reinterpret_bits<std::uint16_t>(x); }
__half half_of(unsigned x) { return reinterpret_bits<__half>(std::uint16_t(x)); }
__nv_bfloat16 bfloat_of(unsigned x) { return reinterpret_bits<__nv_bfloat16>(std::uint16_t(x)); }

// Nearest even of an exact value given as an integer times 2^scale: the magnitude is walked through the type's own ladder of
// values by bisection, comparing integers alone.
template <class ToDouble>
std::uint16_t nearest(__int128 n, int scale, std::uint16_t infinity, ToDouble value) {
  const std::uint16_t sign = n < 0 ? 0x8000 : 0;
  if (n < 0) n = -n;
  const auto scaled = [&](double v) { return static_cast<__int128>(std::ldexp(v, -scale)); };  // exact in these tests
  std::uint16_t low = 0, high = std::uint16_t(infinity - 1);
  while (low < high) {  // the largest value <= n
    const std::uint16_t middle = std::uint16_t((low + high + 1) / 2);
    if (scaled(value(middle)) <= n) low = middle;
    else high = std::uint16_t(middle - 1);
  }
  const __int128 below = scaled(value(low));
  const double step =
      low + 1 == infinity ? value(low) - value(std::uint16_t(low - 1)) : value(std::uint16_t(low + 1)) - value(low);
  const __int128 twice = 2 * (n - below), gap = scaled(step);
  const bool up = twice > gap || (twice == gap && (low & 1));
  return sign | std::uint16_t(low + up);
}

TEST(Half, FusedMultiplyAddRoundsOnce) {
  Random r;
  int subnormal = 0, overflow = 0;
  for (int i = 0; i < 300000; ++i) {
    const auto draw = [&] { return half_of(unsigned(r.next() % 0x7c00) | (r.next() & 1 ? 0x8000u : 0u)); };
    const __half x = draw(), y = draw(), z = draw();
    const auto integer = [](__half v) { return static_cast<__int128>(std::ldexp(double(__half2float(v)), 24)); };
    const __int128 exact = integer(x) * integer(y) + (integer(z) << 24);  // times 2^-48
    if (exact == 0) continue;                                             // the sign of zero is tested below
    const std::uint16_t expected = nearest(exact, -48, 0x7c00, [](std::uint16_t v) { return double(f16_value(v)); });
    ASSERT_EQ(bits(__hfma(x, y, z)), expected) << std::hex << bits(x) << " " << bits(y) << " " << bits(z);
    subnormal += (expected & 0x7c00) == 0, overflow += (expected & 0x7fff) == 0x7c00;
  }
  EXPECT_GT(subnormal, 1000);
  EXPECT_GT(overflow, 1000);
}
TEST(Half, FusedMultiplyAddAtHalfwayCases) {
  // 1 + 2^-11 is halfway between two halves: to even, unless the product is a hair more.
  const __half one = h(1.0f), half_ulp = h(0x1p-11f), next = h(0x1.004p0f);
  EXPECT_EQ(bits(__hfma(one, half_ulp, one)), 0x3c00);
  EXPECT_EQ(bits(__hfma(half_ulp, next, one)), 0x3c01);
  EXPECT_EQ(bits(__hfma(one, half_ulp, next)), 0x3c02);
  EXPECT_EQ(bits(__hfma(h(0), h(-1), half_of(0x8000))), 0x8000);
  EXPECT_EQ(bits(__hfma(h(1), h(-1), h(1))), 0x0000);
}
TEST(BFloat, FusedMultiplyAddRoundsOnce) {
  Random r;
  for (int i = 0; i < 300000; ++i) {
    const auto draw = [&] {
      return bfloat_of(unsigned(0x3f80 - 0x0800 + r.next() % 0x1000) | (r.next() & 1 ? 0x8000u : 0u));
    };  // 2^-16 .. 2^16
    const __nv_bfloat16 x = draw(), y = draw(), z = draw();
    const auto integer = [](__nv_bfloat16 v) {
      return static_cast<__int128>(std::ldexp(double(__bfloat162float(v)), 24));
    };
    const __int128 exact = integer(x) * integer(y) + (integer(z) << 24);
    if (exact == 0) continue;
    // Results of cancellation may be finer than 2^-48 in no case: both terms are multiples of it.
    double magnitude = std::fabs(double(exact)) * 0x1p-48;
    if (magnitude < 0x1p-30) continue;  // the ladder's steps there are no multiples of 2^-48
    const std::uint16_t expected = nearest(exact, -48, 0x7f80, [](std::uint16_t v) {
      const double d = bf16_value(v);
      return d < 0x1p-40 ? 0.0 : d > 0x1p70 ? 0x1p70 : d;
    });
    ASSERT_EQ(bits(__hfma(x, y, z)), expected) << std::hex << bits(x) << " " << bits(y) << " " << bits(z);
  }
}
// 9 * 29 = 261 and 7 * 37 = 259 are halfway between two values. An addend far below fp64's last digit of the sum decides.
TEST(BFloat, FusedMultiplyAddKeepsWhatFp64Drops) {
  EXPECT_EQ(__bfloat162float(__hfma(b(9), b(29), b(0))), 260.0f);
  EXPECT_EQ(__bfloat162float(__hfma(b(9), b(29), b(0x1p-100f))), 262.0f);
  EXPECT_EQ(__bfloat162float(__hfma(b(9), b(29), b(-0x1p-100f))), 260.0f);
  EXPECT_EQ(__bfloat162float(__hfma(b(7), b(37), b(0))), 260.0f);
  EXPECT_EQ(__bfloat162float(__hfma(b(7), b(37), b(-0x1p-100f))), 258.0f);
  EXPECT_EQ(__bfloat162float(__hfma(b(-7), b(37), b(0x1p-100f))), -258.0f);
  EXPECT_EQ(__bfloat162float(__hfma(b(-9), b(29), b(-0x1p-100f))), -262.0f);
}
TEST(Half, ReluAndSaturation) {
  const __half nan = half_of(0x7e01);
  EXPECT_EQ(bits(__hfma_relu(h(2), h(-3), h(1))), 0u);
  EXPECT_EQ(__half2float(__hfma_relu(h(2), h(3), h(1))), 7.0f);
  EXPECT_EQ(bits(__hfma_relu(nan, h(3), h(1))), 0x7fffu);
  EXPECT_EQ(__half2float(__hfma_sat(h(2), h(3), h(1))), 1.0f);
  EXPECT_EQ(__half2float(__hfma_sat(h(0.5f), h(0.5f), h(0.25f))), 0.5f);
  EXPECT_EQ(bits(__hfma_sat(h(2), h(-3), h(1))), 0u);
  EXPECT_EQ(bits(__hfma_sat(nan, h(3), h(1))), 0u);
  EXPECT_EQ(bits(__hfma(nan, h(1), h(1))), 0x7fffu);
  const __half2 pair = __hfma2_relu(__half2{h(1), h(1)}, __half2{h(2), h(-2)}, __half2{h(0.5f), h(0.5f)});
  EXPECT_EQ(__half2float(pair.x), 2.5f);
  EXPECT_EQ(bits(pair.y), 0u);
  const __half2 complex = __hcmadd(__half2{h(1), h(2)}, __half2{h(3), h(4)}, __half2{h(10), h(20)});
  EXPECT_EQ(__half2float(complex.x), 1 * 3 - 2 * 4 + 10);
  EXPECT_EQ(__half2float(complex.y), 1 * 4 + 2 * 3 + 20);
  const __nv_bfloat162 bpair =
      __hfma2_sat(__nv_bfloat162{b(1), b(1)}, __nv_bfloat162{b(2), b(-2)}, __nv_bfloat162{b(0), b(0)});
  EXPECT_EQ(__bfloat162float(bpair.x), 1.0f);
  EXPECT_EQ(__bfloat162float(bpair.y), 0.0f);
}

// Every value of the type: the result is the nearest to fp64's within what fp64's own error allows, and NaN iff it is.
template <class H, class Value, class Call>
void check_function(const char* name, Value value, Call call, long double (*reference)(long double),
                    std::uint16_t infinity) {
  int checked = 0;
  for (unsigned x = 0; x < 0x10000; ++x) {
    const double in = value(std::uint16_t(x));
    const long double exact = reference(in);
    const std::uint16_t got = reinterpret_bits<std::uint16_t>(call(reinterpret_bits<H>(std::uint16_t(x))));
    if (std::isnan(exact)) {
      ASSERT_GT(got & 0x7fff, infinity) << name << "(" << in << ")";
      continue;
    }
    ASSERT_LE(got & 0x7fff, infinity) << name << "(" << in << ")";
    const std::uint16_t magnitude = got & 0x7fff;
    const long double r = std::fabs(value(magnitude)), e = std::fabs(exact);
    const long double low =
        magnitude == 0 ? 0
        : magnitude == infinity
            ? value(std::uint16_t(infinity - 1)) +
                  (static_cast<long double>(value(std::uint16_t(infinity - 1))) - value(std::uint16_t(infinity - 2))) /
                      2
            : (r + value(std::uint16_t(magnitude - 1))) / 2;
    const long double above = magnitude >= infinity - 1 ? r + (r - value(std::uint16_t(magnitude - 1)))
                                                        : static_cast<long double>(value(std::uint16_t(magnitude + 1)));
    const long double high = magnitude == infinity ? INFINITY : (r + above) / 2;
    ASSERT_GE(e, low * (1 - 1e-15L)) << name << "(" << in << ") " << std::hex << got;
    ASSERT_LE(e, high * (1 + 1e-15L)) << name << "(" << in << ") " << std::hex << got;
    ASSERT_TRUE(e == 0 || magnitude == 0 || std::signbit(exact) == (got >= 0x8000)) << name << "(" << in << ")";
    ++checked;
  }
  EXPECT_GT(checked, 1000) << name;
}
#define CHECK_HALF_FUNCTION(name, reference)                                                                \
  check_function<__half>(                                                                                   \
      "h" #name, [](std::uint16_t v) { return double(f16_value(v)); }, [](__half v) { return h##name(v); }, \
      [](long double v) -> long double { return reference; }, 0x7c00);                                      \
  check_function<__nv_bfloat16>(                                                                            \
      "bf16 h" #name, [](std::uint16_t v) { return double(bf16_value(v)); },                                \
      [](__nv_bfloat16 v) { return h##name(v); }, [](long double v) -> long double { return reference; }, 0x7f80)
TEST(Half, FunctionsAreNearestForEveryValue) {
  CHECK_HALF_FUNCTION(exp, std::exp(v));
  CHECK_HALF_FUNCTION(exp2, std::exp2(v));
  CHECK_HALF_FUNCTION(exp10, std::pow(10.0L, v));
  CHECK_HALF_FUNCTION(log, std::log(v));
  CHECK_HALF_FUNCTION(log2, std::log2(v));
  CHECK_HALF_FUNCTION(log10, std::log10(v));
  CHECK_HALF_FUNCTION(sqrt, std::sqrt(v));
  CHECK_HALF_FUNCTION(rsqrt, 1 / std::sqrt(v));
  CHECK_HALF_FUNCTION(rcp, 1 / v);
  CHECK_HALF_FUNCTION(sin, std::sin(v));
  CHECK_HALF_FUNCTION(cos, std::cos(v));
  CHECK_HALF_FUNCTION(tanh, std::tanh(v));
  CHECK_HALF_FUNCTION(ceil, std::ceil(v));
  CHECK_HALF_FUNCTION(floor, std::floor(v));
  CHECK_HALF_FUNCTION(rint, std::rint(v));
  CHECK_HALF_FUNCTION(trunc, std::trunc(v));
}
TEST(Half, PairsActOnBothLanes) {
  const __half2 e = h2exp(__half2{h(0), h(1)});
  EXPECT_EQ(__half2float(e.x), 1.0f);
  EXPECT_EQ(bits(e.y), bits(hexp(h(1))));
  const __nv_bfloat162 s = h2sqrt(__nv_bfloat162{b(4), b(9)});
  EXPECT_EQ(__bfloat162float(s.x) * 10 + __bfloat162float(s.y), 23.0f);
}

template <class H, class I>
void check_conversion(const char* name, I (*call)(H), Rounding mode) {
  for (unsigned x = 0; x < 0x10000; ++x) {
    const H in = reinterpret_bits<H>(std::uint16_t(x));
    const double v = double(float(in));
    I expected;
    if (std::isnan(v)) expected = sizeof(I) == 8 ? I(1ull << 63) : I(0);
    else {
      const double r = mode == Rounding::nearest ? std::nearbyint(v)
                       : mode == Rounding::up    ? std::ceil(v)
                       : mode == Rounding::down  ? std::floor(v)
                                                 : std::trunc(v);
      const double limit = std::ldexp(1.0, std::numeric_limits<I>::digits);
      expected = r >= limit                                  ? std::numeric_limits<I>::max()
                 : r < double(std::numeric_limits<I>::min()) ? std::numeric_limits<I>::min()
                                                             : I(r);
    }
    ASSERT_EQ(call(in), expected) << name << "(" << v << ")";
  }
}
#define CHECK_CONVERSIONS(H, name, I)                                                            \
  check_conversion<H, I>(#name "_rn", [](H v) -> I { return name##_rn(v); }, Rounding::nearest); \
  check_conversion<H, I>(#name "_ru", [](H v) -> I { return name##_ru(v); }, Rounding::up);      \
  check_conversion<H, I>(#name "_rd", [](H v) -> I { return name##_rd(v); }, Rounding::down);    \
  check_conversion<H, I>(#name "_rz", [](H v) -> I { return name##_rz(v); }, Rounding::zero)
TEST(Half, ConversionsToIntegers) {
  CHECK_CONVERSIONS(__half, __half2int, int);
  CHECK_CONVERSIONS(__half, __half2uint, unsigned);
  CHECK_CONVERSIONS(__half, __half2short, short);
  CHECK_CONVERSIONS(__half, __half2ushort, unsigned short);
  CHECK_CONVERSIONS(__half, __half2ll, long long);
  CHECK_CONVERSIONS(__half, __half2ull, unsigned long long);
  CHECK_CONVERSIONS(__nv_bfloat16, __bfloat162int, int);
  CHECK_CONVERSIONS(__nv_bfloat16, __bfloat162uint, unsigned);
  CHECK_CONVERSIONS(__nv_bfloat16, __bfloat162short, short);
  CHECK_CONVERSIONS(__nv_bfloat16, __bfloat162ushort, unsigned short);
  CHECK_CONVERSIONS(__nv_bfloat16, __bfloat162ll, long long);
  CHECK_CONVERSIONS(__nv_bfloat16, __bfloat162ull, unsigned long long);
}
TEST(BFloat, ConversionsFromIntegers) {
  Random r;
  for (int i = 0; i < 20000; ++i) {
    const long long x = (long long)(r.next()) >> (r.next() % 64);
    const auto check = [&](long double exact, __nv_bfloat16 rn, __nv_bfloat16 rz, __nv_bfloat16 ru, __nv_bfloat16 rd) {
      const long double down = __bfloat162float(rd), up = __bfloat162float(ru), near = __bfloat162float(rn),
                        zero = __bfloat162float(rz);
      ASSERT_LE(down, exact);
      ASSERT_GE(up, exact);
      if (down != up) {
        ASSERT_EQ(next_in(DType::bf16, double(down), true), double(up));
        ASSERT_LE(std::fabs(near - exact), (up - down) / 2);
      }
      ASSERT_EQ(zero, exact >= 0 ? down : up);
    };
    check(x, __ll2bfloat16_rn(x), __ll2bfloat16_rz(x), __ll2bfloat16_ru(x), __ll2bfloat16_rd(x));
    check((unsigned long long)x, __ull2bfloat16_rn(x), __ull2bfloat16_rz(x), __ull2bfloat16_ru(x),
          __ull2bfloat16_rd(x));
    check(int(x), __int2bfloat16_rn(int(x)), __int2bfloat16_rz(int(x)), __int2bfloat16_ru(int(x)),
          __int2bfloat16_rd(int(x)));
    check(unsigned(x), __uint2bfloat16_rn(unsigned(x)), __uint2bfloat16_rz(unsigned(x)),
          __uint2bfloat16_ru(unsigned(x)), __uint2bfloat16_rd(unsigned(x)));
    check(short(x), __short2bfloat16_rn(short(x)), __short2bfloat16_rz(short(x)), __short2bfloat16_ru(short(x)),
          __short2bfloat16_rd(short(x)));
  }
}

// NVIDIA's own host code, on the operations that kernels lean on: one rounding each.
TEST(Half, HeaderArithmeticRoundsOnce) {
  Random r;
  for (int i = 0; i < 100000; ++i) {
    const __half x = half_of(unsigned(r.next()) & 0xffff), y = half_of(unsigned(r.next()) & 0xffff);
    const double a = __half2float(x), c = __half2float(y);
    if (std::isnan(a) || std::isnan(c)) continue;
    const auto expect = [&](__half got, double exact) {
      if (std::isnan(exact)) EXPECT_TRUE(__hisnan(got));
      else EXPECT_EQ(bits(got), f16_bits(exact));
    };
    expect(x + y, a + c);
    expect(x - y, a - c);
    expect(x * y, a * c);
    expect(x / y, a / c);
    const __nv_bfloat16 p = bfloat_of(unsigned(r.next()) & 0xffff), q = bfloat_of(unsigned(r.next()) & 0xffff);
    const double d = __bfloat162float(p), e = __bfloat162float(q);
    if (std::isnan(d) || std::isnan(e) || std::isnan(d * e)) continue;
    EXPECT_EQ(bits(p * q), bf16_bits(d * e));
  }
}

}  // namespace
}  // namespace warpfuzz::cpu
