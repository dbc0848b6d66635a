// Conversions against rounding done in long double and 128-bit integers.
#include <cfenv>

#include "kernel_case.h"

namespace warpfuzz::cpu {
namespace {

long double rounded(long double x, Rounding mode) {  // to an integer
  const long double low = std::floor(x), fraction = x - low;
  switch (mode) {
    case Rounding::down: return low;
    case Rounding::up: return std::ceil(x);
    case Rounding::zero: return std::trunc(x);
    case Rounding::nearest: break;
  }
  if (fraction != 0.5L) return fraction < 0.5L ? low : low + 1;
  return std::fmod(low, 2.0L) == 0 ? low : low + 1;
}
template <class I>
I saturated(long double x) {
  if (x >= std::ldexp(1.0L, std::numeric_limits<I>::digits)) return std::numeric_limits<I>::max();
  if (x < static_cast<long double>(std::numeric_limits<I>::min())) return std::numeric_limits<I>::min();
  return static_cast<I>(x);
}

std::vector<double> reals() {
  std::vector<double> v = {0.0,
                           -0.0,
                           0.5,
                           -0.5,
                           1.5,
                           2.5,
                           -1.5,
                           -2.5,
                           0.49999997,
                           1e-30,
                           -1e-30,
                           2147483647.0,
                           2147483647.5,
                           2147483648.0,
                           -2147483648.0,
                           -2147483648.5,
                           -2147483649.0,
                           4294967295.0,
                           4294967295.5,
                           4294967296.0,
                           9.2233720368547748e18,
                           9.2233720368547758e18,
                           -9.2233720368547758e18,
                           1.8446744073709550e19,
                           1.8446744073709552e19,
                           1e300,
                           -1e300,
                           INFINITY,
                           -INFINITY};
  Random r;
  for (int i = 0; i < 400; ++i) v.push_back(std::ldexp(double(std::int64_t(r.next())), int(r.next() % 80) - 70));
  return v;
}

#define CHECK_TO(from, F, to, I)                                                                     \
  for (const double d : reals()) {                                                                   \
    const F x = F(d);                                                                                \
    EXPECT_EQ(__##from##2##to##_rn(x), saturated<I>(rounded(x, Rounding::nearest))) << #to " " << x; \
    EXPECT_EQ(__##from##2##to##_rz(x), saturated<I>(rounded(x, Rounding::zero))) << #to " " << x;    \
    EXPECT_EQ(__##from##2##to##_ru(x), saturated<I>(rounded(x, Rounding::up))) << #to " " << x;      \
    EXPECT_EQ(__##from##2##to##_rd(x), saturated<I>(rounded(x, Rounding::down))) << #to " " << x;    \
  }
TEST(Cast, RealsToIntegersSaturate){
    CHECK_TO(float, float, int, int) CHECK_TO(float, float, uint, unsigned) CHECK_TO(float, float, ll, long long)
        CHECK_TO(float, float, ull, unsigned long long) CHECK_TO(double, double, int, int)
            CHECK_TO(double, double, uint, unsigned) CHECK_TO(double, double, ll, long long)
                CHECK_TO(double, double, ull, unsigned long long)} TEST(Cast, NaN) {
  EXPECT_EQ(__float2int_rn(NAN), 0);
  EXPECT_EQ(__float2uint_rz(NAN), 0u);
  EXPECT_EQ(__float2ll_rn(NAN), LLONG_MIN);
  EXPECT_EQ(__float2ull_rn(NAN), 1ull << 63);
  EXPECT_EQ(__double2int_rz(NAN), INT_MIN);
  EXPECT_EQ(__double2uint_rz(NAN), 1u << 31);
  EXPECT_EQ(__double2ll_rz(NAN), LLONG_MIN);
}

// The result must be on the right side of the integer and its neighbour towards the integer beyond it, both as exact 128-bit values.
template <class F, class I>
void check_from(I i, F rn, F rz, F ru, F rd) {
  const __int128 exact = i;
  const auto whole = [](F x) { return static_cast<__int128>(x); };
  EXPECT_LE(whole(rd), exact);
  EXPECT_GE(whole(ru), exact);
  if (whole(rd) == exact) {
    EXPECT_EQ(rd, ru);
    EXPECT_EQ(rn, rd);
  } else {
    EXPECT_EQ(std::nextafter(rd, INFINITY), ru) << double(i);
    const __int128 below = exact - whole(rd), above = whole(ru) - exact;
    int exponent;
    const bool rd_even = std::fmod(std::ldexp(std::frexp(rd, &exponent), std::numeric_limits<F>::digits), F(2)) == 0;
    EXPECT_EQ(rn, below < above ? rd : above < below ? ru : rd_even ? rd : ru) << double(i);
  }
  EXPECT_EQ(rz, exact >= 0 ? rd : ru);
}
TEST(Cast, IntegersToReals) {
  Random r;
  std::vector<std::uint64_t> v = {0,          1,          ~0ull,     1ull << 63, (1ull << 63) - 1, 0xffffffff,
                                  0x80000000, 0x7fffffff, 0x1000001, 0x1000003,  (1ull << 53) + 1, (1ull << 54) + 2};
  for (int i = 0; i < 2000; ++i) v.push_back(r.next() >> (r.next() % 64));
  for (const std::uint64_t bits : v) {
    const int i = int(bits);
    const unsigned u = unsigned(bits);
    const long long l = (long long)bits;
    const unsigned long long ul = bits;
    check_from<float>(i, __int2float_rn(i), __int2float_rz(i), __int2float_ru(i), __int2float_rd(i));
    check_from<float>(u, __uint2float_rn(u), __uint2float_rz(u), __uint2float_ru(u), __uint2float_rd(u));
    check_from<float>(l, __ll2float_rn(l), __ll2float_rz(l), __ll2float_ru(l), __ll2float_rd(l));
    check_from<float>(ul, __ull2float_rn(ul), __ull2float_rz(ul), __ull2float_ru(ul), __ull2float_rd(ul));
    check_from<double>(l, __ll2double_rn(l), __ll2double_rz(l), __ll2double_ru(l), __ll2double_rd(l));
    check_from<double>(ul, __ull2double_rn(ul), __ull2double_rz(ul), __ull2double_ru(ul), __ull2double_rd(ul));
    EXPECT_EQ(__int2double_rn(i), double(i));
    EXPECT_EQ(__uint2double_rn(u), double(u));
  }
  EXPECT_FALSE(std::signbit(__int2float_rd(0)));
}

TEST(Cast, DoublesToFloats) {
  std::vector<double> v = reals();
  for (const double x :
       {1e-46, -1e-46, 1e39, -1e39, 3.4028235677973366e38, 1.0 + 0x1p-24, 1.0 + 0x1p-23 + 0x1p-24, 0x1p-149, -0x1p-150})
    v.push_back(x);
  const int before = std::fegetround();
  for (const double x : v) {
    const auto in = [&](int mode) {
      volatile double from = x;
      std::fesetround(mode);
      volatile float to = float(from);
      std::fesetround(before);
      return std::bit_cast<unsigned>(float(to));
    };
    EXPECT_EQ(__float_as_uint(__double2float_rn(x)), in(FE_TONEAREST)) << x;
    EXPECT_EQ(__float_as_uint(__double2float_rz(x)), in(FE_TOWARDZERO)) << x;
    EXPECT_EQ(__float_as_uint(__double2float_ru(x)), in(FE_UPWARD)) << x;
    EXPECT_EQ(__float_as_uint(__double2float_rd(x)), in(FE_DOWNWARD)) << x;
  }
}

TEST(Cast, Reinterpretations) {
  EXPECT_EQ(__float_as_int(-1.0f), int(0xbf800000));
  EXPECT_EQ(__int_as_float(0x40490fdb), 3.14159274f);
  EXPECT_EQ(__uint_as_float(__float_as_uint(0.1f)), 0.1f);
  EXPECT_EQ(__double_as_longlong(1.0), 0x3ff0000000000000ll);
  EXPECT_EQ(__longlong_as_double(0x4000000000000000ll), 2.0);
  EXPECT_EQ(__hiloint2double(0x40091eb8, 0x51eb851f), 3.14);
  EXPECT_EQ(__double2hiint(-3.14), int(0xc0091eb8));
  EXPECT_EQ(__double2loint(-3.14), 0x51eb851f);
  EXPECT_TRUE(std::isnan(__int_as_float(0x7fc00000)));
}

}  // namespace
}  // namespace warpfuzz::cpu
