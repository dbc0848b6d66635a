// Shrinking with made-up failures: where a greedy search over the candidates ends, and that it ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "schema/fill/fill.h"
#include "schema/mutate/mutate.h"
#include "schemas.h"

namespace warpfuzz {
namespace {

struct Shrunk {
  TestCase c;
  int steps = 0, attempts = 0;
};
// First candidate that still fails, again and again.
Shrunk shrink(const Schema& s, TestCase c, const std::function<bool(const TestCase&)>& fails,
              const std::function<Spot(const TestCase&)>& wrong = {}) {
  Shrunk r{std::move(c)};
  for (bool progress = true; progress;) {
    progress = false;
    for (const TestCase& k : shrink_candidates(s, r.c, wrong ? wrong(r.c) : Spot{})) {
      ++r.attempts;
      EXPECT_LT(complexity(s, k), complexity(s, r.c));
      if (!fails(k)) continue;
      r.c = k;
      ++r.steps;
      progress = true;
      break;
    }
  }
  return r;
}

TEST(Shrink, SoftmaxThatNeedsAPowerOfTwo) {
  const Schema s = testing::rows_schema();
  const ParsedCase p =
      parse_text(s,
                 "dtype: bf16\nrows: 57\ncols: 1000\nlog: true\ncalls: 2\nscale: 3.25\n"
                 "x: offset_normal param=5 amp=2^7 rate=4 seed=91 layout=padded\nx[3,-1] = NaN\nx[2,*] = 4\n");
  ASSERT_EQ(p.error, "");
  const Shrunk r = shrink(s, p.test_case, [](const TestCase& c) { return !std::has_single_bit(c.dims[1]); });
  EXPECT_EQ(to_text(s, r.c), "op: rows\ndtype: fp32\nrows: 1\ncols: 3\n");
  EXPECT_LT(r.attempts, 200);
}

TEST(Shrink, MatmulThatNeedsMoreThanOneTile) {
  const Schema s = testing::matmul_schema();
  const ParsedCase p = parse_text(
      s, "dtype: fp16\nM: 65\nN: 100\nK: 129\ntransA: true\na: normal seed=3\nb: uniform seed=4\nbias: ones\n");
  ASSERT_EQ(p.error, "");
  const Shrunk r = shrink(s, p.test_case, [](const TestCase& c) { return c.dims[2] > 32; });
  EXPECT_EQ(to_text(s, r.c), "op: matmul\ndtype: fp32\nM: 1\nN: 1\nK: 33\n");
  EXPECT_LT(r.attempts, 200);
}

// A failure that needs one special, which a rate put somewhere in the middle of a large tensor.
TEST(Shrink, ASpecialByRateBecomesAnOverrideThatDimsCanBeCutAround) {
  const Schema s = testing::matmul_schema();
  const auto fails = [&s](const TestCase& c) {
    std::vector<float> a;
    fill_values(s, c, 0, 0, a);
    return c.dims[2] > 32 && std::any_of(a.begin(), a.end(), [](float v) { return std::isnan(v); });
  };
  int tried = 0;
  for (int seed = 1; seed < 60; ++seed) {
    const ParsedCase p =
        parse_text(s, "dtype: fp32\nM: 7\nN: 2\nK: 100\na: ones rate=1 seed=" + std::to_string(seed) + "\n");
    ASSERT_EQ(p.error, "");
    if (!fails(p.test_case)) continue;
    ++tried;
    const Shrunk r = shrink(s, p.test_case, fails);
    EXPECT_EQ(r.c.dims[0], 1u) << to_text(s, r.c);
    EXPECT_EQ(r.c.dims[1], 1u);
    EXPECT_EQ(r.c.dims[2], 33u);
    EXPECT_EQ(rate_of(r.c.tensors[0].rate), 0);
  }
  EXPECT_GT(tried, 3);
}

TEST(Shrink, LimitsThatAreInNoTable) {
  const Schema s = testing::matmul_schema();
  for (std::uint32_t limit : {40u, 77u, 301u, 733u, 1500u}) {
    TestCase c;
    c.dims = {3, 2, 2048};
    repair(s, c);
    const Shrunk r = shrink(s, c, [&](const TestCase& k) { return k.dims[2] > limit; });
    EXPECT_EQ(r.c.dims, (Dims{1, 1, limit + 1}));
    EXPECT_LT(r.attempts, 500);
  }
}

TEST(Shrink, FailuresThatAreNotMonotone) {
  const Schema s = testing::rows_schema();
  TestCase c;
  c.dims = {5, 1021};
  repair(s, c);
  const Shrunk r = shrink(s, c, [](const TestCase& k) { return k.dims[1] % 7 == 6 && k.dims[1] > 20; });
  EXPECT_EQ(r.c.dims[0], 1u);
  EXPECT_LE(r.c.dims[1], 55u) << "a local minimum near the smallest failing width";
}

TEST(Shrink, DimsThatMustStayEqual) {
  const Schema s = testing::matmul_schema();
  TestCase c;
  c.dims = {65, 65, 65};
  repair(s, c);
  const Shrunk r = shrink(
      s, c, [](const TestCase& k) { return k.dims[0] == k.dims[1] && k.dims[1] == k.dims[2] && k.dims[0] >= 11; });
  EXPECT_EQ(r.c.dims, (Dims{11, 11, 11}));
}

TEST(Shrink, KeepsTheOverrideThatMatters) {
  const Schema s = testing::rows_schema();
  const ParsedCase p = parse_text(
      s, "dtype: fp16\nrows: 9\ncols: 129\nx: normal seed=5\nx[0,0] = 3\nx[4,-1] = NaN\nx[5,5] = -max\nx[6,*] = 1\n");
  ASSERT_EQ(p.error, "");
  const Shrunk r = shrink(s, p.test_case, [&](const TestCase& c) {
    std::vector<float> x;
    fill_values(s, c, 0, 0, x);
    for (std::size_t row = 0; row < c.dims[0]; ++row)
      if (std::isnan(x[row * c.dims[1] + c.dims[1] - 1])) return true;
    return false;
  });
  EXPECT_EQ(to_text(s, r.c), "op: rows\ndtype: fp32\nrows: 1\ncols: 1\nx[0,0] = NaN\n");
}

// One row of many is wrong for what it holds: it becomes the first one.
TEST(Shrink, TheSliceOfTheWrongElementStays) {
  const Schema s = testing::rows_schema();
  const ParsedCase p =
      parse_text(s, "dtype: fp32\nrows: 90\ncols: 33\nx: normal seed=5\nx[-30,2] = 4\nx[7,*] = 2\nx[-1,0] = 1\n");
  ASSERT_EQ(p.error, "");
  constexpr std::size_t kRow = 60;
  std::vector<float> x;
  fill_values(s, p.test_case, 0, 0, x);
  const float sought = x[kRow * 33 + 8];
  const auto place = [&](const TestCase& c) {
    fill_values(s, c, 0, 0, x);
    return static_cast<std::size_t>(std::find(x.begin(), x.end(), sought) - x.begin());
  };
  const auto spot = [&](const TestCase& c) {
    const auto at = static_cast<std::uint32_t>(place(c));
    return Spot{1, {at / c.dims[1], at % c.dims[1]}};
  };
  const Shrunk r =
      shrink(s, p.test_case, [&](const TestCase& c) { return place(c) < x.size() && c.dims[1] >= 9; }, spot);
  EXPECT_EQ(to_text(s, r.c), "op: rows\ndtype: fp32\nrows: 1 from 60\ncols: 9\nx: normal seed=5\n");
  const Shrunk alone = shrink(s, p.test_case, [&](const TestCase& c) { return place(c) < x.size(); }, spot);
  EXPECT_EQ(to_text(s, alone.c), "op: rows\ndtype: fp32\nrows: 1 from 60\ncols: 1 from 8\nx: normal seed=5\n");
  // Overrides in the slice move with it, the others go.
  bool taken = false;
  for (const TestCase& c : shrink_candidates(s, p.test_case, Spot{1, {60, 2}}))
    taken |= to_text(s, c) == "op: rows\ndtype: fp32\nrows: 1 from 60\ncols: 33\nx: normal seed=5\nx[-1,2] = 4\n";
  EXPECT_TRUE(taken);
}

TEST(Shrink, EndsFromAnywhereAndStaysValid) {
  Rng rng(31);
  for (const Schema& s : testing::all_schemas())
    for (int i = 0; i < 12; ++i) {
      const TestCase c = decode(s, testing::random_bytes(rng));
      const Shrunk all = shrink(s, c, [](const TestCase&) { return true; });
      EXPECT_EQ(all.c, decode(s, all.c.dims == decode(s, {}).dims ? Bytes{} : encode(s, all.c)));
      EXPECT_LT(all.steps, 400);
      // An arbitrary but fixed set of failing cases.
      const Shrunk some = shrink(
          s, c, [&](const TestCase& k) { return hash_bytes(encode(s, k).data(), encode(s, k).size()) % 3 == 0; });
      EXPECT_EQ(decode(s, encode(s, some.c)), some.c);
    }
}

Fill fill_of_first(const Schema& s, const TestCase& c) { return fill_of(s, 0, c.tensors[0].fill); }

TEST(Shrink, WholeNumbersAreTriedFirst) {
  const Schema s = testing::matmul_schema();
  const ParsedCase p =
      parse_text(s, "M: 5\nN: 7\nK: 9\na: normal amp=2^3 rate=4 seed=3\nb: uniform seed=4\na[1,2] = NaN\n");
  ASSERT_EQ(p.error, "");
  const std::vector<TestCase> candidates = shrink_candidates(s, p.test_case);
  ASSERT_GT(candidates.size(), 3u);
  for (std::size_t i : {0, 1, 2}) {
    EXPECT_EQ(candidates[i].dims, p.test_case.dims);
    EXPECT_EQ(fill_of_first(s, candidates[i]), i == 0 ? Fill::ones : Fill::small_int);
    EXPECT_EQ(fill_of(s, 1, candidates[i].tensors[1].fill), i == 0 ? Fill::ones : Fill::small_int);
    EXPECT_EQ(candidates[i].tensors[0].rate, 0);
    EXPECT_TRUE(candidates[i].overrides.empty());
  }
  // What needs different values ends in whole numbers, whatever it started from.
  const Shrunk r = shrink(s, p.test_case,
                          [&](const TestCase& c) { return c.dims[2] > 4 && fill_of_first(s, c) >= Fill::small_int; });
  EXPECT_EQ(fill_of_first(s, r.c), Fill::small_int);
  EXPECT_EQ(r.c.dims[2], 5u);
}

TEST(Shrink, AFewOrdinaryNumbersReplaceManyWholeOnes) {
  const Schema s = testing::matmul_schema();
  const ParsedCase p = parse_text(s, "M: 3\nN: 4\nK: 129\na: normal seed=3\nb: normal seed=4\n");
  ASSERT_EQ(p.error, "");
  const Shrunk r = shrink(s, p.test_case, [&](const TestCase& c) {  // sums of whole numbers round late
    const Fill f = fill_of_first(s, c);
    return f == Fill::normal ? c.dims[2] == 2 : f == Fill::small_int && c.dims[2] >= 100;
  });
  EXPECT_EQ(fill_of_first(s, r.c), Fill::normal);
  EXPECT_EQ(r.c.dims[2], 2u);
}

TEST(Shrink, NothingIsSimplerThanTheEmptyCase) {
  for (const Schema& s : testing::all_schemas()) {
    const TestCase c = decode(s, {});
    for (const TestCase& k : shrink_candidates(s, c)) EXPECT_LT(complexity(s, k), complexity(s, c)) << to_text(s, k);
  }
}

}  // namespace
}  // namespace warpfuzz
