// Conversions and rounding against an independent computation: values built from their fields with ldexp, nearest
// found by search among all values of the format.
#include "numeric/round.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include "numeric/hash.h"

namespace warpfuzz {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// The value of a 16-bit pattern by the definition of the format.
double by_definition(DType t, std::uint16_t bits) {
  const int mantissa_bits = info(t).precision - 1, bias = 1 - info(t).emin;
  const int exponent = (bits & 0x7fff) >> mantissa_bits, mantissa = bits & ((1 << mantissa_bits) - 1);
  const int top = (1 << (15 - mantissa_bits)) - 1;
  double v;
  if (exponent == top) v = mantissa ? std::numeric_limits<double>::quiet_NaN() : kInf;
  else if (exponent == 0) v = std::ldexp(mantissa, info(t).emin - mantissa_bits);
  else v = std::ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits);
  return bits & 0x8000 ? -v : v;
}

struct Format16 {
  DType t;
  std::vector<double> values;  // finite and not negative, by pattern
};
std::vector<Format16> formats() {
  std::vector<Format16> out;
  for (DType t : {DType::f16, DType::bf16}) {
    Format16 f{t, {}};
    for (std::uint32_t b = 0; b < 0x8000 && std::isfinite(by_definition(t, static_cast<std::uint16_t>(b))); ++b)
      f.values.push_back(by_definition(t, static_cast<std::uint16_t>(b)));
    out.push_back(std::move(f));
  }
  return out;
}

std::uint16_t to_bits(DType t, double x) { return t == DType::f16 ? f16_bits(x) : bf16_bits(x); }
float to_value(DType t, std::uint16_t b) { return t == DType::f16 ? f16_value(b) : bf16_value(b); }

// Nearest even by search: the pattern's parity is that of its last significand bit. x is finite and not negative.
std::uint16_t nearest_by_search(const Format16& f, double x) {
  const auto above = std::lower_bound(f.values.begin(), f.values.end(), x);
  if (above == f.values.begin()) return 0;
  const auto hi = static_cast<std::uint16_t>(above - f.values.begin());
  // One step beyond the largest value stands for infinity.
  const double step = f.values.back() - f.values[f.values.size() - 2];
  const double hi_value = above == f.values.end() ? f.values.back() + step : *above, lo_value = f.values[hi - 1u];
  const double to_hi = hi_value - x, to_lo = x - lo_value;  // exact: neighbours in the format
  if (to_hi == to_lo) return hi & 1 ? static_cast<std::uint16_t>(hi - 1) : hi;
  return to_hi < to_lo ? hi : static_cast<std::uint16_t>(hi - 1);
}

TEST(Round, All65536PatternsRoundTrip) {
  for (DType t : {DType::f16, DType::bf16})
    for (std::uint32_t b = 0; b < 65536; ++b) {
      const auto bits = static_cast<std::uint16_t>(b);
      const double expected = by_definition(t, bits);
      const float got = to_value(t, bits);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(got)) << dtype_name(t) << " " << b;
        ASSERT_TRUE(std::isnan(to_value(t, to_bits(t, got))));
        continue;
      }
      ASSERT_EQ(static_cast<double>(got), expected) << dtype_name(t) << " " << b;
      ASSERT_EQ(std::signbit(got), (b & 0x8000) != 0);
      ASSERT_EQ(to_bits(t, expected), bits) << dtype_name(t);
    }
}

TEST(Round, NearestEvenDirectlyFromDouble) {
  Rng rng(3);
  for (const Format16& f : formats()) {
    for (std::size_t i = 0; i + 1 < f.values.size(); ++i) {
      const double lo = f.values[i], hi = f.values[i + 1], mid = lo + (hi - lo) / 2;
      // Half way, and the closest doubles beside it: through fp32 these would be rounded twice.
      for (double x : {mid, std::nextafter(mid, kInf), std::nextafter(mid, 0.0), std::nextafter(lo, kInf),
                       std::nextafter(hi, 0.0)}) {
        const std::uint16_t expected = nearest_by_search(f, x);
        ASSERT_EQ(to_bits(f.t, x), expected) << dtype_name(f.t) << " " << x;
        ASSERT_EQ(to_bits(f.t, -x), expected | 0x8000);
        ASSERT_EQ(round_to(f.t, x), by_definition(f.t, expected));
      }
    }
    for (int i = 0; i < 200000; ++i) {
      const double x =
          std::ldexp(1.0 + static_cast<double>(rng.next() >> 12) * 0x1p-52, static_cast<int>(rng.below(300)) - 160);
      ASSERT_EQ(to_bits(f.t, x), nearest_by_search(f, x)) << dtype_name(f.t) << " " << x;
    }
  }
}

TEST(Round, OverflowSignsAndSpecials) {
  EXPECT_EQ(round_to(DType::f16, 65519.999), 65504.0);
  EXPECT_EQ(round_to(DType::f16, 65520.0), kInf);
  EXPECT_EQ(round_to(DType::f16, -1e300), -kInf);
  EXPECT_EQ(round_to(DType::bf16, 0x1.fefffp127), 0x1.fep127);
  EXPECT_EQ(round_to(DType::bf16, 0x1.ffp127), kInf);
  EXPECT_EQ(round_to(DType::f32, 0x1.fffffefffffffp127), 0x1.fffffep127);
  EXPECT_EQ(round_to(DType::f32, 0x1.ffffffp127), kInf);
  for (DType t : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
    EXPECT_TRUE(std::isnan(round_to(t, std::nan(""))));
    EXPECT_EQ(round_to(t, -kInf), -kInf);
    EXPECT_TRUE(std::signbit(round_to(t, -0.0)));
    if (t != DType::f64) EXPECT_TRUE(std::signbit(round_to(t, -1e-300)));
    EXPECT_EQ(round_to(t, info(t).min_subnormal), info(t).min_subnormal);
    EXPECT_EQ(round_to(t, info(t).max), info(t).max);
  }
  EXPECT_EQ(round_to(DType::f32, 0x1p-150), 0.0) << "a tie goes to the even 0";
  EXPECT_EQ(round_to(DType::f32, 0x1.0000000000001p-150), 0x1p-149);
}

TEST(Round, Fp32IsTheHardwareConversion) {
  Rng rng(5);
  for (int i = 0; i < 500000; ++i) {
    const auto x = std::bit_cast<double>(rng.next());
    const double y =
        std::ldexp(1.0 + static_cast<double>(rng.next() >> 12) * 0x1p-52, static_cast<int>(rng.below(290)) - 155);
    if (!std::isnan(x)) ASSERT_EQ(round_to(DType::f32, x), static_cast<double>(static_cast<float>(x)));
    ASSERT_EQ(round_to(DType::f32, y), static_cast<double>(static_cast<float>(y)));
  }
}

TEST(Round, DownAndUpEncloseTightly) {
  Rng rng(9);
  for (const Format16& f : formats())
    for (int i = 0; i < 100000; ++i) {
      const double x =
          std::ldexp(1.0 + static_cast<double>(rng.next() >> 12) * 0x1p-52, static_cast<int>(rng.below(290)) - 155) *
          (rng.chance(1, 2) ? 1 : -1);
      const double lo = round_down(f.t, x), hi = round_up(f.t, x);
      ASSERT_LE(lo, x);
      ASSERT_GE(hi, x);
      if (std::isfinite(lo) && std::isfinite(hi)) ASSERT_LE(ulp_distance(f.t, lo, hi), 1) << x;
      ASSERT_EQ(round_up(f.t, -x), -lo);
    }
  EXPECT_EQ(round_down(DType::f16, 70000.0), 65504.0);
  EXPECT_EQ(round_up(DType::f16, 70000.0), kInf);
  EXPECT_EQ(round_down(DType::f16, -70000.0), -kInf);
  EXPECT_EQ(round_down(DType::f16, kInf), kInf);
  EXPECT_EQ(round_down(DType::f32, 1e-60), 0.0);
  EXPECT_EQ(round_up(DType::f32, 1e-60), 0x1p-149);
  EXPECT_TRUE(std::signbit(round_up(DType::f32, -1e-60)));
}

TEST(Round, UlpAndNeighbours) {
  EXPECT_EQ(ulp(DType::f32, 1.0), 0x1p-23);
  EXPECT_EQ(ulp(DType::f16, 1.5), 0x1p-10);
  EXPECT_EQ(ulp(DType::bf16, -2.0), 0x1p-6);
  EXPECT_EQ(ulp(DType::f16, 0.0), 0x1p-24);
  EXPECT_EQ(ulp(DType::f16, 1e9), 32.0) << "beyond the maximum: that of the maximum";
  EXPECT_EQ(ulp(DType::f64, 1.0), 0x1p-52);
  for (DType t : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
    EXPECT_EQ(next_in(t, 1.0, true), 1.0 + ulp(t, 1.0));
    EXPECT_EQ(next_in(t, 1.0, false), 1.0 - ulp(t, 0.75));
    EXPECT_EQ(next_in(t, 0.0, true), info(t).min_subnormal);
    EXPECT_EQ(next_in(t, -0.0, false), -info(t).min_subnormal);
    EXPECT_EQ(next_in(t, info(t).max, true), kInf);
    EXPECT_EQ(next_in(t, kInf, false), info(t).max);
    EXPECT_EQ(next_in(t, info(t).min_normal, false), info(t).min_normal - info(t).min_subnormal);
  }
  EXPECT_EQ(next_in(DType::f16, 1.0001, true), 1.0 + 0x1p-10) << "from between two values to the next one";
}

TEST(Round, UlpDistance) {
  for (DType t : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
    EXPECT_EQ(ulp_distance(t, 1.0, 1.0), 0);
    EXPECT_EQ(ulp_distance(t, 0.0, -0.0), 0);
    EXPECT_EQ(ulp_distance(t, info(t).min_subnormal, -info(t).min_subnormal), 2);
    EXPECT_EQ(ulp_distance(t, 1.0, 2.0), std::int64_t{1} << (info(t).precision - 1));
    EXPECT_EQ(ulp_distance(t, kInf, info(t).max), std::int64_t{1} << 62);
    EXPECT_EQ(ulp_distance(t, std::nan(""), 0), std::int64_t{1} << 62);
  }
  EXPECT_EQ(ulp_distance(DType::f64, -info(DType::f64).max, info(DType::f64).max), std::int64_t{1} << 62);
  EXPECT_EQ(ulp_distance(DType::i32, -5, 7), 12);
}

TEST(Round, Integers) {
  EXPECT_EQ(round_to(DType::i32, 2.5), 2.0);
  EXPECT_EQ(round_to(DType::i32, 3.5), 4.0);
  EXPECT_EQ(round_to(DType::i32, 1e12), 2147483647.0);
  EXPECT_EQ(round_to(DType::i32, -kInf), -2147483648.0);
  EXPECT_EQ(round_to(DType::u8, -3.0), 0.0);
  EXPECT_EQ(round_to(DType::u8, std::nan("")), 0.0);
  std::int64_t v = 0;
  store_element(DType::i64, &v, 1e30);
  EXPECT_EQ(v, std::numeric_limits<std::int64_t>::max());
  store_element(DType::i64, &v, -7.0);
  EXPECT_EQ(load_element(DType::i64, &v), -7.0);
}

TEST(Round, BulkFormsAgreeWithSingleOnes) {
  Rng rng(11);
  std::vector<float> in;
  for (int i = 0; i < 100003; ++i) in.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(rng.next() >> 32)));
  for (float x : {65519.99f, 65520.0f, 0x1p-25f, 0x1.000002p-25f, -0.0f, 0x1p-14f, 0x1.ffcp-15f, 0x1.ffep-15f})
    in.push_back(x);
  for (std::uint32_t b = 0; b < 65536; ++b) {
    in.push_back(f16_value(static_cast<std::uint16_t>(b)));
    in.push_back(bf16_value(static_cast<std::uint16_t>(b)));
  }
  for (DType t : {DType::f16, DType::bf16, DType::f32}) {
    std::vector<unsigned char> stored(in.size() * dtype_size(t) + 1), one(8);
    unsigned char* odd = stored.data() + 1;  // no alignment is assumed
    store_floats(t, odd, in.size(), in.data());
    std::vector<float> back(in.size());
    load_floats(t, odd, in.size(), back.data());
    for (std::size_t i = 0; i < in.size(); ++i) {
      store_element(t, one.data(), in[i]);
      const double expected = load_element(t, one.data());
      if (std::isnan(expected)) ASSERT_TRUE(std::isnan(back[i])) << dtype_name(t) << " " << in[i];
      else ASSERT_EQ(static_cast<double>(back[i]), expected) << dtype_name(t) << " " << in[i];
      ASSERT_EQ(std::signbit(back[i]), std::signbit(in[i]));
    }
  }
  load_floats(DType::f32, nullptr, 0, nullptr);
  store_floats(DType::f16, nullptr, 0, nullptr);
}

TEST(DType, Table) {
  for (DType t : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
    const DTypeInfo& f = info(t);
    EXPECT_EQ(dtype_from_name(f.name), t);
    EXPECT_EQ(f.unit_roundoff, std::ldexp(1.0, -f.precision));
    EXPECT_EQ(f.min_normal, std::ldexp(1.0, f.emin));
    EXPECT_EQ(f.min_subnormal, std::ldexp(1.0, f.emin - f.precision + 1));
    EXPECT_EQ(f.max, std::ldexp(2.0 - std::ldexp(1.0, 1 - f.precision), 1 - f.emin));
  }
  EXPECT_EQ(dtype_from_name("half"), std::nullopt);
  EXPECT_EQ(dtype_size(DType::u8), 1u);
}

}  // namespace
}  // namespace warpfuzz
