// A slice of a case is a case: contents that begin elsewhere than at coordinate 0.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "schema/codec/byte_tables.h"
#include "schema/fill/fill.h"
#include "schemas.h"

namespace warpfuzz {
namespace {

std::vector<float> values(const Schema& s, const TestCase& c, int call = 0) {
  std::vector<float> v;
  fill_values(s, c, 0, call, v);
  return v;
}

struct Contents {
  Fill fill;
  std::uint8_t param, rate;
};
TestCase whole_case(const Schema& s, std::uint32_t rows, std::uint32_t cols, const Contents& contents) {
  TestCase c;
  c.dims = {rows, cols};
  c.tensors[0] = {fill_byte(contents.fill), 0, contents.param, rate_byte(contents.rate), 12345};
  if (contents.fill == Fill::raw_tail)
    c.tail = {0x12, 0x34, 0x00, 0x3e, 0x77, 0xbf, 0x21, 0x40, 0xff, 0x7f, 0x05, 0xc1};
  repair(s, c);
  return c;
}
TestCase slice_of(const Schema& s, TestCase c, Dims dims, std::uint16_t row, std::uint16_t col) {
  c.dims = dims;
  c.from = {row, col};
  repair(s, c);
  return c;
}
bool same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void expect_slices(const Contents& contents) {
  const Schema s = testing::rows_schema();
  constexpr std::uint32_t kRows = 5, kCols = 67;
  const Fill f = contents.fill;
  const TestCase whole = whole_case(s, kRows, kCols, contents);
  // What belongs to the ends or the middle of a row moves with them.
  const bool whole_rows = f == Fill::outlier || f == Fill::one_hot || (f == Fill::halves && contents.param == 0);
  for (const int call : {0, 1}) {
    const std::vector<float> all = values(s, whole, call);
    for (const auto& [row, col] : {std::pair<std::uint16_t, std::uint16_t>(3, 0), {3, 41}, {0, 66}, {4, 66}}) {
      if (whole_rows && col != 0) continue;
      const std::vector<float> v = values(s, slice_of(s, whole, {1, whole_rows ? kCols : 1}, row, col), call);
      for (std::size_t k = 0; k < v.size(); ++k)
        ASSERT_TRUE(same(v[k], all[row * kCols + col + k])) << fill_name(f) << " param " << int{contents.param}
                                                            << " row " << row << " column " << col + k << ": " << v[k];
    }
  }
}

TEST(Slice, AloneItKeepsItsContents) {
  for (int f = 0; f < kFillCount - 1; ++f)
    for (const std::uint8_t param : {0, 1, 2})
      for (const std::uint8_t rate : {0, 64}) expect_slices({static_cast<Fill>(f), param, rate});
}

TEST(Slice, AllSlicesOfStrideZeroAreTheFirst) {
  const Schema s = testing::rows_schema();
  const TestCase whole = parse_text(s, "rows: 9\ncols: 5\nx: normal seed=4 layout=stride0\n").test_case;
  const TestCase part = slice_of(s, whole, {1, 5}, 7, 0);
  EXPECT_EQ(part.from[0], 0);
  const std::vector<float> all = values(s, whole);
  EXPECT_EQ(values(s, part), std::vector<float>(all.begin() + 35, all.begin() + 40));
}

// Which row an index points at follows from where in its tensor it stands.
TEST(Slice, IndicesKeepTheirs) {
  const Schema s = testing::gather_schema();
  constexpr int kIndices = 1;
  constexpr std::size_t kDim = 1;
  for (const char* fill : {"index param=1 seed=3", "index", "index param=3 seed=5"}) {
    const ParsedCase whole = parse_text(s, std::string("vocab: 500\nn: 9\nidx: ") + fill + "\n");
    ASSERT_EQ(whole.error, "");
    TestCase part = whole.test_case;
    part.dims[kDim] = 1;
    part.from[kDim] = 6;
    repair(s, part);
    std::vector<float> all, one;
    fill_values(s, whole.test_case, kIndices, 0, all);
    fill_values(s, part, kIndices, 0, one);
    EXPECT_EQ(one.at(0), all.at(6)) << fill;
    EXPECT_LT(std::count(all.begin(), all.end(), all[0]), 9) << fill;
  }
}

}  // namespace
}  // namespace warpfuzz
