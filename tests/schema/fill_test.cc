// Contents of tensors: pinned bits, stability when a dim shrinks, shares of fills, layouts, overrides.
#include "schema/fill/fill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "numeric/round.h"
#include "schema/codec/byte_tables.h"
#include "schema/codec/codec.h"
#include "schema/fill/row_fill.h"
#include "schema/mutate/mutate.h"
#include "schemas.h"

namespace warpfuzz {
namespace {

TestCase rows_case(const Schema& s, DType t, std::uint32_t rows, std::uint32_t cols, Fill f, std::uint8_t param = 0) {
  TestCase c;
  c.dims = {rows, cols};
  for (std::size_t i = 0; i < s.dtypes.size(); ++i)
    if (s.dtypes[i].in == t && s.dtypes[i].out == t) c.dtype = static_cast<std::uint8_t>(i);
  c.tensors[0].fill = fill_byte(f);
  c.tensors[0].param = param;
  c.tensors[0].seed = 12345;
  if (f == Fill::raw_tail) c.tail = {0x12, 0x34, 0x00, 0x3e, 0x77, 0xbf, 0x21, 0x40, 0xff, 0x7f, 0x05, 0xc1};
  repair(s, c);
  return c;
}
std::vector<float> values(const Schema& s, const TestCase& c, int tensor = 0, int call = 0) {
  std::vector<float> v;
  fill_values(s, c, tensor, call, v);
  return v;
}
std::uint64_t digest(const std::vector<float>& v) {
  std::vector<std::uint32_t> bits;
  for (float x : v) bits.push_back(std::isnan(x) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(x));
  return hash_bytes(bits.data(), bits.size() * 4);
}

TEST(Fill, GoldenBits) {
  // [fill] = fp32, fp16, bf16. A change here changes what every stored case means.
  static constexpr std::uint64_t kGolden[kFillCount - 1][3] = {
      {0x6c8b2ec0f87c88d8ull, 0x6c8b2ec0f87c88d8ull, 0x6c8b2ec0f87c88d8ull},  // ones
      {0x6c665c15a8546d7full, 0x608c681bbc0f94c0ull, 0x7456f4fefc0d967full},  // constant
      {0x241f4734e15caceaull, 0x241f4734e15caceaull, 0x241f4734e15caceaull},  // small_int
      {0xf004bd2c76470174ull, 0xae7e70917882bbfull, 0xb7150251b0f6ea6eull},   // iota
      {0x956068781eaf652cull, 0x956068781eaf652cull, 0x956068781eaf652cull},  // zeros
      {0x427b3c8c62daef67ull, 0x6ce85b953019e6fbull, 0xdc02b811c45d2b10ull},  // normal
      {0x1d28d3764a5f3763ull, 0xe51afaad91bc947ull, 0x53ae736b5eb7a584ull},   // uniform
      {0x5d523f1316b8e551ull, 0xdb3ccc9a6fa8f192ull, 0x415660bb8775f86aull},  // offset_normal
      {0x497ea4c5d9284f81ull, 0x67cabef745091418ull, 0xdcc91071acc5eddaull},  // alternating
      {0x4ab553062d8677f7ull, 0xcd0e51c1721d998cull, 0x5823fe1e8a5637cull},   // cancelling
      {0xad1d904a3713dd40ull, 0x16a9857c4f1e49ddull, 0x1258a80044322d76ull},  // halves
      {0x195f6691aa29dff5ull, 0xd7d42ee2ccf4ca82ull, 0xe516dbab9bfd3e09ull},  // sparse
      {0x7c58e41fbbb2989bull, 0xb8e3700795fb2843ull, 0xbc56dcfefd391cb2ull},  // outlier
      {0xaff5c20aba5670cfull, 0x219ac2fa7dfb1320ull, 0xfbbfa8223329e1ecull},  // subnormal
      {0xdd2eda4e0bf7f651ull, 0x36bfd124aa53bfc6ull, 0xb9c651cd94940a2dull},  // log_uniform
      {0x4630c102e4a5d6b9ull, 0xcf0b9fb8b2575a1aull, 0xd6c0ee498b757311ull},  // raw_tail
      {0x508445650c617ae6ull, 0x4f5cd518765d10b9ull, 0x6280c42baab940cfull},  // limits
      {0x67071d3328133fcdull, 0x67071d3328133fcdull, 0x67071d3328133fcdull},  // one_hot
  };
  const Schema s = testing::rows_schema();
  for (int f = 0; f < kFillCount - 1; ++f)
    for (int t = 0; t < 3; ++t) {
      const DType type = static_cast<DType>(t);
      std::uint64_t h = 0;
      for (int param = 0; param < fill_traits(static_cast<Fill>(f), 0, type).params; ++param) {
        TestCase c = rows_case(s, type, 5, 67, static_cast<Fill>(f), static_cast<std::uint8_t>(param));
        c.tensors[0].amp = amp_byte(param % 3 - 1);
        h = hash_combine(h, digest(values(s, c)));
        h = hash_combine(h, digest(values(s, c, 0, 1)));
      }
      EXPECT_EQ(h, kGolden[f][t]) << fill_name(static_cast<Fill>(f)) << " " << dtype_name(type) << " 0x" << std::hex
                                  << h;
    }
}

TEST(Fill, GoldenBitsOfIndices) {
  const Schema s = testing::gather_schema();
  std::uint64_t h = 0;
  for (int param : {0, 1, 2, 6, 30, 3, 0x80, 0x81}) {
    TestCase c;
    c.dims = {37, 90, 4};
    for (int t : {1, 2})
      c.tensors[static_cast<std::size_t>(t)] = {.fill = 0, .param = static_cast<std::uint8_t>(param), .seed = 5};
    repair(s, c);
    h = hash_combine(hash_combine(h, digest(values(s, c, 1))), digest(values(s, c, 2)));
  }
  EXPECT_EQ(h, 0x62ddf3ce95a460ddull) << "0x" << std::hex << h;
}

// Rows and columns that survive keep their values, for every fill and param. Exceptions by definition: the sign of
// `halves` with param 0 follows the middle of the row, the outlier of odd params follows its end, a one-hot position
// moves only when its own column is gone.
TEST(Fill, ShrinkingADimKeepsTheRest) {
  const Schema s = testing::rows_schema();
  for (int f = 0; f < kFillCount - 1; ++f)
    for (DType t : {DType::f32, DType::f16, DType::bf16})
      for (int param = 0; param < fill_traits(static_cast<Fill>(f), 0, t).params; ++param) {
        const Fill fill = static_cast<Fill>(f);
        TestCase big = rows_case(s, t, 9, 130, fill, static_cast<std::uint8_t>(param)), small = big;
        big.tensors[0].rate = small.tensors[0].rate = rate_byte(8);
        small.dims = {4, 67};
        const std::vector<float> a = values(s, big), b = values(s, small);
        for (std::uint32_t r = 0; r < 4; ++r) {
          const auto row = std::vector<float>(a.begin() + r * 130, a.begin() + r * 130 + 130);
          const bool hot_gone =
              fill == Fill::one_hot && std::any_of(row.begin() + 67, row.end(), [](float v) { return v == 1; });
          for (std::uint32_t k = 0; k < 67; ++k) {
            float x = row[k], y = b[r * 67 + k];
            if (fill == Fill::halves && param == 0 && !std::isnan(x)) x = std::fabs(x), y = std::fabs(y);
            if ((fill == Fill::outlier && (param & 1) && k == 66) || hot_gone) continue;
            ASSERT_TRUE(x == y || (std::isnan(x) && std::isnan(y)))
                << fill_name(fill) << " param " << param << " row " << r << " col " << k;
          }
        }
      }
}

TEST(Fill, ValuesAreOfTheDTypeAndFinite) {
  const Schema s = testing::rows_schema();
  Rng rng(8);
  for (int i = 0; i < 4000; ++i) {
    TestCase c = decode(s, random_case(rng.next()));
    c.dims = {3, 50};
    c.tensors[0].rate = 0;
    c.overrides.clear();
    repair(s, c);
    const DType t = tensor_dtype(s, c, 0);
    for (float v : values(s, c)) {
      ASSERT_TRUE(std::isfinite(v)) << summary(s, c);
      ASSERT_EQ(round_to(t, v), static_cast<double>(v)) << summary(s, c);
    }
  }
}

TEST(Fill, KeepsBelowTheTopExponentButForSpecialsAndOverrides) {
  Schema s = testing::rows_schema(), limited = s;
  limited.tensors[0].top_exponent = 11;
  for (const DType t : {DType::f32, DType::f16, DType::bf16})
    for (int f = 0; f < kFillCount - 1; ++f) {
      TestCase c = rows_case(s, t, 4, 300, static_cast<Fill>(f));
      c.tensors[0].amp = amp_byte(13);
      repair(s, c);
      const std::vector<float> free = values(s, c), below = values(limited, c);
      std::map<int, int> exponents;
      for (std::size_t i = 0; i < free.size(); ++i) {
        EXPECT_LT(std::fabs(below[i]), 4096) << fill_name(static_cast<Fill>(f));
        EXPECT_EQ(static_cast<float>(round_to(t, below[i])), below[i]);
        const bool drawn_anew = static_cast<Fill>(f) == Fill::log_uniform;
        if (std::fabs(free[i]) < 4096 && !drawn_anew) EXPECT_EQ(below[i], free[i]);
        if (below[i] != 0) ++exponents[std::ilogb(below[i])];
      }
      if (static_cast<Fill>(f) == Fill::log_uniform) EXPECT_GE(exponents.size(), 25u) << "every magnitude below it";
      c.tensors[0].rate = rate_byte(64);
      c.overrides = {{0, 0, {0, 0}, 0x7800}};  // 32768
      repair(limited, c);
      const std::vector<float> special = values(limited, c);
      EXPECT_EQ(special[0], 32768);
      EXPECT_TRUE(std::any_of(special.begin() + 1, special.end(), [](float x) { return !(std::fabs(x) < 4096); }));
    }
}
TEST(Fill, RoundFiniteIsNearestEven) {
  Rng rng(2);
  for (DType t : {DType::f16, DType::bf16})
    for (int i = 0; i < 300000; ++i) {
      auto x = std::bit_cast<float>(static_cast<std::uint32_t>(rng.next() >> 32));
      if (!std::isfinite(x)) continue;
      const float before = x;
      round_finite(t, &x, 1);
      double expected = round_to(t, before);
      if (std::isinf(expected)) expected = std::copysign(info(t).max, expected);
      ASSERT_EQ(static_cast<double>(x), expected) << before;
      ASSERT_EQ(std::signbit(x), std::signbit(before));
    }
}

TEST(Fill, NormalHasUnitVarianceAndNoPattern) {
  const Schema s = testing::rows_schema();
  const std::vector<float> v = values(s, rows_case(s, DType::f32, 64, 1024, Fill::normal));
  double sum = 0, squares = 0, along = 0, across = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    sum += v[i];
    squares += static_cast<double>(v[i]) * v[i];
    if (i >= 1) along += static_cast<double>(v[i]) * v[i - 1];
    if (i >= 1024) across += static_cast<double>(v[i]) * v[i - 1024];
  }
  const double n = static_cast<double>(v.size());
  EXPECT_NEAR(sum / n, 0.0, 0.015);
  EXPECT_NEAR(squares / n, 1.0, 0.02);
  EXPECT_NEAR(along / n, 0.0, 0.015);
  EXPECT_NEAR(across / n, 0.0, 0.015);
}

TEST(Fill, SharesOfRandomCases) {
  const Schema s = testing::rows_schema();
  std::map<Fill, int> fills;
  int plain = 0, specials = 0, lowest = 0, highest = 0;
  constexpr int n = 100000;
  for (int i = 0; i < n; ++i) {
    const Bytes b = random_case(static_cast<std::uint64_t>(i));
    ++fills[fill_of(s, 0, b[32])];
    const int e = amp_exponent(b[33]);
    plain += e == 0;
    lowest = std::min(lowest, e);
    highest = std::max(highest, e);
    specials += rate_of(b[35]) != 0;
  }
  EXPECT_NEAR(fills[Fill::normal] / double{n}, 0.35, 0.01);
  EXPECT_NEAR(fills[Fill::limits] / double{n}, 0.02, 0.004);
  EXPECT_NEAR(1 - (fills[Fill::normal] + fills[Fill::limits]) / double{n}, 0.62, 0.02);
  EXPECT_EQ(fills.size(), kFillCount - 1u);
  for (const auto& [fill, count] : fills)
    if (fill != Fill::normal && fill != Fill::limits) EXPECT_NEAR(count / double{n}, 0.039, 0.006) << fill_name(fill);
  EXPECT_NEAR(plain / double{n}, 0.5, 0.01);
  EXPECT_EQ(lowest, -20);
  EXPECT_EQ(highest, 13);
  EXPECT_NEAR(specials / double{n}, 0.05, 0.005);
}

TEST(Fill, TablesInvert) {
  const Schema s = testing::rows_schema();
  for (int f = 0; f < kFillCount - 1; ++f)
    EXPECT_EQ(fill_of(s, 0, fill_byte(static_cast<Fill>(f))), static_cast<Fill>(f));
  for (int e = -20; e <= 13; ++e) EXPECT_EQ(amp_exponent(amp_byte(e)), e);
  for (int b = 0; b < 256; ++b)
    EXPECT_EQ(rate_of(rate_byte(rate_of(static_cast<std::uint8_t>(b)))), rate_of(static_cast<std::uint8_t>(b)));
  EXPECT_EQ(fill_of(s, 0, 0), Fill::ones);
  EXPECT_EQ(amp_exponent(0), 0);
  EXPECT_EQ(rate_of(0), 0);
}

TEST(Fill, KnownShapesOfValues) {
  const Schema s = testing::rows_schema();
  const auto row = [&](Fill f, int param = 0) {
    return values(s, rows_case(s, DType::f32, 1, 4, f, static_cast<std::uint8_t>(param)));
  };
  EXPECT_EQ(row(Fill::ones), (std::vector<float>{1, 1, 1, 1}));
  EXPECT_EQ(row(Fill::iota), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(row(Fill::alternating, 11), (std::vector<float>{2, -2, 2, -2}));
  EXPECT_EQ(row(Fill::constant, 2), (std::vector<float>{3, 3, 3, 3}));
  EXPECT_EQ(row(Fill::outlier, 1).back(), 1e4f);
  const std::vector<float> hot = row(Fill::one_hot);
  EXPECT_EQ(std::count(hot.begin(), hot.end(), 1.0f), 1);
  EXPECT_EQ(std::count(hot.begin(), hot.end(), 0.0f), 3);
  const std::vector<float> cancel = values(s, rows_case(s, DType::f32, 1, 1000, Fill::cancelling));
  for (std::size_t i = 0; i < cancel.size(); i += 2)
    ASSERT_NEAR(cancel[i] + cancel[i + 1], 0, std::fabs(cancel[i]) * 0.00101);
  for (float v : values(s, rows_case(s, DType::bf16, 1, 1000, Fill::subnormal))) ASSERT_LT(std::fabs(v), 0x1p-126f);
  for (float v : values(s, rows_case(s, DType::f32, 1, 4000, Fill::log_uniform)))
    ASSERT_LT(std::fabs(v) * 4096, 0x1p64f);
  EXPECT_EQ(values(s, rows_case(s, DType::f16, 1, 1, Fill::raw_tail))[0], f16_value(0xc105));
}

// Of the fills that reach the ends of the number line, most params stay where the amplitudes end; the first param is whole.
TEST(Fill, MostRangesEndAtTheLargestAmplitude) {
  const Schema s = testing::rows_schema();
  for (DType t : {DType::f32, DType::bf16})
    for (Fill f : {Fill::log_uniform, Fill::raw_tail, Fill::limits}) {
      const auto largest = [&](std::uint8_t param) {
        TestCase c = rows_case(s, t, 1, 4000, f, param);
        if (f == Fill::raw_tail) c.tail = {0x12, 0x34, 0x21, 0x60, 0xff, 0x7e, 0x05, 0xc1};
        float top = 0;
        for (float v : values(s, c)) top = std::max(top, std::fabs(v));
        return top;
      };
      EXPECT_GT(largest(0), 0x1p40f) << fill_name(f);
      for (std::uint8_t param : {1, 2, 3}) {
        EXPECT_LE(largest(param), 0x1p14f) << fill_name(f);
        EXPECT_GT(largest(param), 4) << fill_name(f);
      }
      EXPECT_EQ(largest(4), largest(0)) << fill_name(f);
    }
  EXPECT_EQ(fill_traits(Fill::limits, 0, DType::f16).params, 1);  // 65504 is no end of fp32's sums
}

TEST(Fill, SecondCallHasOtherContents) {
  const Schema s = testing::rows_schema();
  for (int f = 0; f < kFillCount - 1; ++f) {
    if (static_cast<Fill>(f) == Fill::zeros) continue;
    const TestCase c = rows_case(s, DType::f32, 8, 64, static_cast<Fill>(f));
    EXPECT_NE(values(s, c, 0, 0), values(s, c, 0, 1)) << fill_name(static_cast<Fill>(f));
  }
}

TEST(Fill, OverridesByCoordinate) {
  const Schema s = testing::rows_schema();
  const ParsedCase p = parse_text(s, "rows: 3\ncols: 4\nx[1,*] = 2\nx[1,0] = 5\nx[0,-1] = NaN\nx[-1,1] = -max\n");
  ASSERT_EQ(p.error, "");
  std::vector<float> v = values(s, p.test_case);
  EXPECT_TRUE(std::isnan(v[3]));
  v[3] = 0;
  const float max = std::numeric_limits<float>::max();
  EXPECT_EQ(v, (std::vector<float>{1, 1, 1, 0, 5, 2, 2, 2, 1, -max, 1, 1}));
}

TEST(Fill, SpecialsAtARate) {
  const Schema s = testing::rows_schema();
  TestCase c = rows_case(s, DType::f16, 100, 256, Fill::ones);
  c.tensors[0].rate = rate_byte(16);
  repair(s, c);
  const std::vector<float> v = values(s, c);
  const auto changed = std::count_if(v.begin(), v.end(), [](float x) { return x != 1.0f; });
  EXPECT_NEAR(static_cast<double>(changed), 1600.0 * 17 / 18, 120.0);
  EXPECT_GT(std::count_if(v.begin(), v.end(), [](float x) { return std::isnan(x); }), 40);
}

TEST(Fill, IndicesAreInRange) {
  Schema s = testing::gather_schema();
  Rng rng(77);
  bool below = false, above = false;
  for (int i = 0; i < 3000; ++i) {
    const TestCase c = decode(s, testing::random_bytes(rng));
    for (float v : values(s, c, 1)) {
      ASSERT_EQ(v, std::floor(v));
      ASSERT_GE(v, 0);
      ASSERT_LT(v, static_cast<float>(c.dims[0]));
    }
    for (float v : values(s, c, 2)) {
      below |= v < 0;
      above |= v >= static_cast<float>(c.dims[2]);
    }
  }
  EXPECT_TRUE(below && above) << "the schema asks for indices out of range in `wild`";
}

TEST(Layout, PositionsAndStorage) {
  const Schema s = testing::rows_schema();
  TestCase c = rows_case(s, DType::f16, 3, 5, Fill::normal);
  TensorLayout l = tensor_layout(s, c, 0);
  EXPECT_TRUE(l.contiguous());
  EXPECT_EQ(l.storage_elements, 15u);
  EXPECT_EQ(l.storage_bytes(), 30u);
  const std::uint32_t last[] = {2, 4};
  EXPECT_EQ(l.position(last), 14u);
  c.tensors[0].layout = Layout::offset;
  l = tensor_layout(s, c, 0);
  EXPECT_EQ(l.position(last), 15u);
  EXPECT_EQ(l.storage_elements, 16u);
  c.tensors[0].layout = Layout::padded;
  l = tensor_layout(s, c, 0);
  EXPECT_FALSE(l.contiguous());
  EXPECT_EQ(l.position(last), 2u * 13 + 4);
  EXPECT_EQ(l.storage_elements, l.position(last) + 1) << "the end of the last row is the end of the storage";
  c.tensors[0].layout = Layout::stride0;
  l = tensor_layout(s, c, 0);
  EXPECT_EQ(l.position(last), 4u);
  EXPECT_EQ(l.storage_elements, 5u);
  EXPECT_EQ(l.elements, 15u);
  const std::vector<float> v = values(s, c);
  EXPECT_TRUE(std::equal(v.begin(), v.begin() + 5, v.begin() + 5));
}

TEST(Layout, EmptyAndScalarTensors) {
  const Schema s = testing::window_schema();
  const ParsedCase p = parse_text(s, "N: 0\nW: 8\n");
  ASSERT_EQ(p.error, "");
  const TensorLayout x = tensor_layout(s, p.test_case, 0), scalar = tensor_layout(s, p.test_case, 2);
  EXPECT_EQ(x.storage_elements, 0u);
  EXPECT_EQ(scalar.elements, 1u);
  EXPECT_EQ(scalar.storage_elements, 1u);
  EXPECT_TRUE(values(s, p.test_case, 0).empty());
  EXPECT_EQ(values(s, p.test_case, 2), std::vector<float>{1});
  EXPECT_EQ(values(s, p.test_case, 1).size(), 3u) << "k = 1 by the constant 3";
}

TEST(Layout, OnlyWhatTheSchemaAllows) {
  const Schema s = testing::rows_schema();
  TestCase c;
  c.dims = {2, 2};
  c.tensors[1].layout = Layout::stride0;
  repair(s, c);
  EXPECT_EQ(c.tensors[1].layout, Layout::contiguous);
}

TEST(Specials, InEveryDType) {
  for (DType t : {DType::f32, DType::f16, DType::bf16})
    for (int i = 0; i < kSpecialCount; ++i) {
      const double v = special_value(i, t);
      if (!std::isnan(v)) EXPECT_EQ(round_to(t, v), v) << special_name(i);
    }
  EXPECT_EQ(special_value(14, DType::f16), 1.0 + 0x1p-10);
  EXPECT_EQ(special_value(17, DType::f32), 0x1p64);
  EXPECT_EQ(special_value(17, DType::f16), 256.0);
  EXPECT_TRUE(std::isinf(round_to(DType::f16, 256.0 * 256.0)));
}

}  // namespace
}  // namespace warpfuzz
