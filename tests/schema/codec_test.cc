// The laws of the encoding over random byte strings, and the meaning of single fields.
#include "schema/codec/codec.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "schema/codec/byte_tables.h"
#include "schema/codec/wire.h"
#include "schema/dims.h"
#include "schema/fill/fill.h"
#include "schemas.h"

namespace warpfuzz {
namespace {

using testing::all_schemas;
using testing::random_bytes;

constexpr int kStrings = 120000;  // over all schemas

TEST(Codec, LawsHoldOnRandomStrings) {
  const std::vector<Schema> schemas = all_schemas();
  Rng rng(20260);
  Bytes previous;
  std::size_t with_overrides = 0, with_tail = 0, begun_elsewhere = 0;
  for (int i = 0; i < kStrings; ++i) {
    const Schema& s = schemas[static_cast<std::size_t>(i) % schemas.size()];
    Bytes b = random_bytes(rng);
    if (rng.chance(1, 3) && !previous.empty()) {  // a canonical string with a few bytes changed
      b = previous;
      for (std::uint32_t n = rng.below(4) + 1; n > 0; --n)
        b[rng.below(static_cast<std::uint32_t>(b.size()))] = static_cast<std::uint8_t>(rng.next());
    }
    const TestCase c = decode(s, b);
    const Bytes e = encode(s, c);
    ASSERT_EQ(decode(s, e), c) << "string " << i << " of " << s.op;
    ASSERT_EQ(encode(s, decode(s, e)), e) << "string " << i << " of " << s.op;
    ASSERT_TRUE(e.empty() || e.back() != 0);
    ASSERT_LE(e.size(), wire::kHeaderSize + wire::kMaxOverrides * wire::kOverrideSize + 64 * 8);
    Bytes longer = b;
    longer.resize(b.size() + 1 + rng.below(300), 0);
    ASSERT_EQ(decode(s, longer), c) << "string " << i << " of " << s.op;
    TestCase repaired = c;
    repair(s, repaired);
    ASSERT_EQ(repaired, c);
    with_overrides += !c.overrides.empty();
    with_tail += !c.tail.empty();
    begun_elsewhere += std::any_of(c.from.begin(), c.from.end(), [](std::uint16_t v) { return v != 0; });
    previous = e;
  }
  EXPECT_GT(with_overrides, kStrings / 4u);
  EXPECT_GT(with_tail, kStrings / 50u);
  EXPECT_GT(begun_elsewhere, kStrings / 10u);
}

TEST(Codec, EveryDecodedCaseIsWithinItsSchema) {
  Rng rng(7);
  for (const Schema& s : all_schemas()) {
    ASSERT_EQ(s.validate(), "");
    for (int i = 0; i < 3000; ++i) {
      const TestCase c = decode(s, random_bytes(rng));
      ASSERT_LT(c.dtype, s.dtypes.size());
      for (std::size_t d = 0; d < s.dims.size(); ++d) {
        if (s.dims[d].derive) ASSERT_EQ(c.dims[d], s.dims[d].derive(c.dims));
        else ASSERT_EQ(clamp_dim(s.dims[d], c.dims[d]), c.dims[d]);
        if (s.dims[d].derive) ASSERT_EQ(c.from[d], 0);
        else ASSERT_LE(c.dims[d] + c.from[d], std::max(largest_dim(s.dims[d]), c.dims[d]));
      }
      for (const Constraint& k : s.constraints) ASSERT_TRUE(k.holds(c.dims));
      ASSERT_LE(total_elements(s, c.dims), s.max_elements);
      ASSERT_LE(total_work(s, c.dims), s.max_work);
      for (const Override& o : c.overrides) {
        const TensorSpec& t = s.tensors[o.tensor];
        ASSERT_TRUE(t.role == Role::in || t.role == Role::inout);
        ASSERT_TRUE(c.tensors[o.tensor].present);
      }
      ASSERT_LE(c.overrides.size(), 64u);
    }
  }
}

TEST(Codec, TheEmptyStringIsTheSimplestCase) {
  const Schema s = testing::rows_schema();
  const TestCase c = decode(s, {});
  EXPECT_EQ(c.dims[0], 1u);
  EXPECT_EQ(c.dims[1], 1u);
  EXPECT_EQ(fill_of(s, 0, c.tensors[0].fill), Fill::ones);
  EXPECT_EQ(encode(s, c), (Bytes{1}));  // the version alone
  EXPECT_FALSE(decode(testing::matmul_schema(), {}).tensors[2].present);
}

TEST(Codec, DimCodes) {
  const DimSpec d{.name = "d", .max = 1000};
  EXPECT_EQ(dim_from_code(d, 0), 1u);
  EXPECT_EQ(dim_from_code(d, 17), 129u);
  EXPECT_EQ(dim_from_code(d, 17 + 33 * 5), 129u);
  EXPECT_EQ(dim_from_code(d, 32), 1000u) << "4097 clamps to the maximum";
  EXPECT_EQ(dim_from_code(d, 0x8000), 1u);
  EXPECT_EQ(dim_from_code(d, 0x8000 | 172), 173u);
  EXPECT_EQ(dim_from_code(d, 0x8000 | 1172), 173u);
  EXPECT_EQ(dim_from_code(d, 0x7fff), 1000u) << "0 only where the schema allows it";
  const DimSpec empty{.name = "e", .max = 10, .min = 0};
  EXPECT_EQ(dim_from_code(empty, 0x7fff), 0u);
  EXPECT_EQ(dim_to_code(empty, 0), 0x7fff);
  const DimSpec quads{.name = "q", .max = 1024, .min = 4, .multiple_of = 4};
  EXPECT_EQ(dim_from_code(quads, 0x8000 | 170), 168u);
  EXPECT_EQ(dim_from_code(quads, 0), 4u);
  for (std::uint32_t v = 1; v <= 1000; ++v) ASSERT_EQ(dim_from_code(d, dim_to_code(d, v)), v);
  EXPECT_LT(dim_to_code(d, 129), 33) << "boundary values use their table entry";
}

TEST(Codec, CapsHalveTheLargestDim) {
  const Schema s = testing::matmul_schema();
  Dims d{1025, 1025, 2048};
  ASSERT_TRUE(fit_dims(s, d));
  EXPECT_EQ(d, (Dims{64, 128, 128}));  // the first of the largest at each step
  d = {1, 1025, 2048};
  ASSERT_TRUE(fit_dims(s, d));
  EXPECT_EQ(d, (Dims{1, 512, 1024})) << "the elements of b count too";
}

// The last two bytes of tensor k's slot are about dim k.
TEST(Codec, WhereTheContentsBegin) {
  const Schema s = testing::rows_schema();
  TestCase c;
  c.dims = {1, 3};
  c.from = {57, 4093};
  c.tensors[0].fill = fill_byte(Fill::normal);
  const Bytes b = encode(s, c);
  EXPECT_EQ(b.at(32 + 10), 57);
  EXPECT_EQ(b.at(32 + 12 + 10) | b.at(32 + 12 + 11) << 8, 4093);
  EXPECT_EQ(decode(s, b).from, c.from);
  c.from[1] = 4094;
  repair(s, c);
  EXPECT_EQ(c.from[1], 0) << "3 columns from 4094 would end behind the widest row";
  c.from = {57, 8};
  c.tensors[0].fill = fill_byte(Fill::alternating);
  repair(s, c);
  EXPECT_EQ(c.from[0], 0) << "all rows are alike";
  EXPECT_EQ(c.from[1], 8);
  c.tensors[0].fill = fill_byte(Fill::ones);
  repair(s, c);
  EXPECT_EQ(c.from, TestCase{}.from) << "without a meaning it is zero";
  c.from = {57, 8};
  c.tensors[0].rate = rate_byte(4);
  repair(s, c);
  EXPECT_EQ(c.from[0], 57) << "specials have places";
}

TEST(Codec, OverridesAreSortedAndTheLastWins) {
  const Schema s = testing::rows_schema();
  TestCase c;
  c.dims = {3, 10};
  const Override late{0, 0, {2, 5, 0, 0}, 0x3c00}, first{0, 0, {0, 1, 0, 0}, 0x4000}, again{0, 0, {2, 5, 0, 0}, 0x4200};
  const Override row{0, 0x80, {1, 9, 0, 0}, 0x4400}, output{1, 0, {1, 2, 0, 0}, 0x4800};
  c.overrides = {late, first, again, row, output};
  repair(s, c);
  ASSERT_EQ(c.overrides.size(), 4u);
  EXPECT_EQ(c.overrides[0].at[1], 0) << "the row's own column has no meaning";
  EXPECT_EQ(c.overrides[1].at[1], 1);
  EXPECT_EQ(c.overrides[2].tensor, 0) << "an output's override goes to an input";
  EXPECT_EQ(c.overrides[3].value, 0x4200);
}

TEST(Codec, OneSpellingPerValue) {
  const Schema s = testing::rows_schema();
  const auto spelled = [&](std::uint16_t value, std::uint8_t flags) {
    TestCase c;
    c.dims = {1, 4};
    c.overrides = {{0, flags, {0, 2, 0, 0}, value}};
    repair(s, c);
    return std::pair(c.overrides.at(0).value, c.overrides.at(0).flags);
  };
  EXPECT_EQ(spelled(0x0000, 0), spelled(0x8000, 0));     // +0
  EXPECT_EQ(spelled(0x0000, 0x40), spelled(0x8001, 0));  // -0
  EXPECT_EQ(spelled(0x7c00, 0x40), spelled(0x8009, 0));  // -Inf
  EXPECT_EQ(spelled(0x7e01, 0x40), spelled(0x800a, 0));  // NaN
  EXPECT_EQ(spelled(0x800b, 0), spelled(0x70e2, 0));     // 1e4
  EXPECT_EQ(spelled(0x800d, 0x40), spelled(0x3c00, 0));  // -(-1)
  EXPECT_EQ(spelled(0x8000 + 18 + 6, 0), spelled(0x8006, 0));
}

TEST(Codec, NarrowedDTypesAndFlags) {
  Schema s = testing::rows_schema();
  s.dtypes = {same_dtype(DType::bf16), same_dtype(DType::f16)};
  Bytes b(3, 0);
  b[1] = 3;
  b[2] = 0xfe;
  const TestCase c = decode(s, b);
  EXPECT_EQ(c.dtype, 1);
  EXPECT_EQ(c.flags, 0);
}

}  // namespace
}  // namespace warpfuzz
