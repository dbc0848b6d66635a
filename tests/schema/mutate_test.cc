// The mutator and crossover: always valid, deterministic, and able to solve gates that random search cannot.
#include "schema/mutate/mutate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "schema/fill/fill.h"
#include "schemas.h"

namespace warpfuzz {
namespace {

Bytes mutated(const Schema& s, const Knowledge& k, const Bytes& in, std::uint64_t seed, std::size_t max_size = 4096) {
  Bytes out(max_size, 0xee);
  out.resize(mutate(s, k, in, seed, out.data(), max_size));
  return out;
}
Bytes crossed(const Schema& s, const Bytes& a, const Bytes& b, std::uint64_t seed, std::size_t max_size = 4096) {
  Bytes out(max_size, 0xee);
  out.resize(crossover(s, a, b, seed, out.data(), max_size));
  return out;
}

TEST(Mutate, IsPureAndWritesCanonicalBytes) {
  Rng rng(1);
  Knowledge k;
  k.learn_tile(128);
  k.learn_compare(3, 173);
  k.learn_float_compare(1.0, 2.5);
  for (const Schema& s : testing::all_schemas())
    for (int i = 0; i < 3000; ++i) {
      const Bytes a = testing::random_bytes(rng), b = testing::random_bytes(rng);
      const std::uint64_t seed = rng.next();
      const Bytes m = mutated(s, k, a, seed), x = crossed(s, a, b, seed);
      ASSERT_EQ(m, mutated(s, k, a, seed));
      ASSERT_EQ(x, crossed(s, a, b, seed));
      ASSERT_EQ(canonical(s, m), m);
      ASSERT_EQ(canonical(s, x), x);
      ASSERT_EQ(m.at(0), 1) << "the version is left alone";
    }
}

TEST(Mutate, KeepsWithinTheSizeLimit) {
  const Schema s = testing::rows_schema();
  Rng rng(2);
  const Knowledge k;
  for (std::size_t limit : {0u, 1u, 5u, 64u, 128u, 130u, 140u, 200u})
    for (int i = 0; i < 300; ++i) {
      const Bytes a = testing::random_bytes(rng), b = testing::random_bytes(rng);
      Bytes out(limit + 8, 0xee);
      ASSERT_LE(mutate(s, k, a, rng.next(), out.data(), limit), limit);
      ASSERT_LE(crossover(s, a, b, rng.next(), out.data(), limit), limit);
      ASSERT_TRUE(std::all_of(out.begin() + static_cast<std::ptrdiff_t>(limit), out.end(),
                              [](std::uint8_t v) { return v == 0xee; }));
    }
}

TEST(Mutate, ReachesEveryField) {
  const Schema s = testing::matmul_schema();
  const Knowledge k;
  const Bytes base = encode(s, parse_text(s, "M: 3\nN: 5\nK: 9\na: normal seed=1\nb: normal seed=2\n").test_case);
  const TestCase c = decode(s, base);
  int dims = 0, dtype = 0, flags = 0, fills = 0, seeds = 0, overrides = 0, bias = 0, calls = 0, order = 0, same = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const TestCase m = decode(s, mutated(s, k, base, seed));
    dims += m.dims != c.dims;
    dtype += m.dtype != c.dtype;
    flags += m.flags != c.flags;
    fills += m.tensors[0].fill != c.tensors[0].fill;
    seeds += m.tensors[1].seed != c.tensors[1].seed;
    overrides += m.overrides.size() > c.overrides.size();
    bias += m.tensors[2].present;
    calls += m.calls != c.calls;
    order += m.order != c.order;
    same += m == c;
  }
  for (int count : {dims, dtype, flags, fills, seeds, overrides, bias, calls, order}) EXPECT_GT(count, 80);
  EXPECT_LT(same, 80);
}

// The cost of a case bounds how often, never whether.
TEST(Mutate, TriesTheUpperEndOfALargeDim) {
  Schema s = testing::rows_schema();
  s.dims[0].max = 128;
  s.dims[1].max = 16384;
  s.dims[1].multiple_of = 1;
  s.max_work = 128 * 1025;
  s.max_elements = 2 * s.max_work + 2 * 4097;
  s.work = [](const Dims& d) { return std::uint64_t{d[0]} * d[1]; };
  ASSERT_EQ(s.validate(), "");
  const Knowledge k;
  int upper = 0, last = 0;
  Bytes now;
  for (std::uint64_t seed = 0; seed < 10000; ++seed) {
    now = mutated(s, k, now, seed);
    const std::uint32_t cols = decode(s, now).dims[1];
    upper += cols > 8192;
    last += cols == 16384;
  }
  EXPECT_GT(upper, 5);
  EXPECT_GT(last, 0);
}

TEST(Crossover, TakesFromBoth) {
  const Schema s = testing::matmul_schema();
  const TestCase a = parse_text(s, "M: 3\nN: 5\nK: 9\na: normal seed=1\na[0,0] = 2\n").test_case;
  const TestCase b = parse_text(s, "M: 33\nN: 65\nK: 129\nb: uniform seed=2\nb[0,0] = 3\n").test_case;
  int dims_a_fill_b = 0, both_overrides = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const TestCase c = decode(s, crossed(s, encode(s, a), encode(s, b), seed));
    dims_a_fill_b += c.dims == a.dims && c.tensors[1] == b.tensors[1];
    both_overrides += c.overrides.size() == 2;
  }
  EXPECT_GT(dims_a_fill_b, 20);
  EXPECT_GT(both_overrides, 60);
}

TEST(RandomCase, FillsHeaderAndSlots) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Bytes b = random_case(seed);
    ASSERT_GE(b.size(), 128u);
    ASSERT_LE(b.size(), 128u + 36);
    ASSERT_EQ((b.size() - 128) % 12, 0u);
    ASSERT_EQ(b, random_case(seed));
  }
}

// What calibration and the baseline measure does not depend on where contents may begin.
TEST(RandomCase, BeginsAtZero) {
  const Schema s = testing::rows_schema();
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    ASSERT_EQ(decode(s, random_case(seed)).from, TestCase{}.from) << seed;
}

TEST(Knowledge, SmallWithoutDuplicatesNewestStay) {
  Knowledge k;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    k.learn_tile(i);
    k.learn_tile(i);
    k.learn_compare(i, 2000 + i);
    k.learn_compare(i, 2000 + i);
  }
  EXPECT_LE(k.tiles().size(), 32u);
  EXPECT_LE(k.operands().size(), 128u);
  EXPECT_LE(k.pairs().size(), 512u);
  std::vector<std::uint32_t> v(k.operands().begin(), k.operands().end());
  EXPECT_NE(std::find(v.begin(), v.end(), 2999u), v.end());
  std::sort(v.begin(), v.end());
  EXPECT_EQ(std::adjacent_find(v.begin(), v.end()), v.end());
  EXPECT_GT(k.recurring_operands().hits(2999), 0u);
  k.learn_compare(std::uint64_t{0} - 1, 5);
  EXPECT_EQ(std::count(k.operands().begin(), k.operands().end(), 5u), 0) << "neither operand can be a dim";
}

TEST(Knowledge, AFloatThatMeetsManyOthersIsDrawnMost) {
  Knowledge k;
  for (int i = 0; i < 5000; ++i) k.learn_float_compare(static_cast<double>(i % 2048) * 0.25, 1234.0);
  std::size_t hits = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) hits += k.recurring_floats().pick(i * 7919) == 1234.0;
  EXPECT_GT(hits, 150u);
  EXPECT_LE(k.float_operands().size(), 128u);
  k.learn_float_compare(0.1, std::nan(""));
  EXPECT_EQ(std::count(k.float_operands().begin(), k.float_operands().end(), 0.1), 0) << "fp16 cannot say it";
}

// A small guided loop: a case that gets further than all before it joins the corpus; what comparisons saw is learned.
struct Gate {
  Schema schema;
  std::vector<std::uint32_t> constants;  // dims that must all be equal to them, compared one after another
  double element = 0;                    // or: any element of x that equals it
  bool noise = false;                    // the comparisons that every kernel has are reported too

  // How many comparisons held.
  std::size_t run(const TestCase& c, Knowledge& k) const {
    if (noise) {  // the first and the last operands of bounds checks, loops over a row, a loop over threads
      std::uint64_t n = 1;
      for (std::size_t i = 0; i < schema.dims.size(); ++i) n *= c.dims[i];
      for (std::uint64_t limit : {n, std::uint64_t{c.dims[1]}, std::uint64_t{c.dims[0]}, std::uint64_t{256}}) {
        k.learn_compare(0, limit);
        k.learn_compare(limit - 1, limit);
        k.learn_compare(limit / 2 + limit % 7, limit);
        k.learn_compare((limit + 255) / 256, c.dims[0]);
      }
    }
    if (element != 0) {
      std::vector<float> x;
      fill_values(schema, c, 0, 0, x);
      for (std::size_t i = 0; i < std::min<std::size_t>(x.size(), 64); ++i) k.learn_float_compare(x[i], element);
      return std::find(x.begin(), x.end(), static_cast<float>(element)) != x.end();
    }
    std::size_t held = 0;
    for (; held < constants.size(); ++held) {
      k.learn_compare(c.dims[held], constants[held]);
      if (c.dims[held] != constants[held]) break;
    }
    return held;
  }
  std::size_t goal() const { return element != 0 ? 1 : constants.size(); }

  // Executions until the gate opens; `limit` when it does not.
  std::size_t executions(std::uint64_t seed, std::size_t limit, bool learn = true) const {
    Knowledge k;
    k.enabled = learn;
    Rng rng(seed * 7919 + 1);
    std::vector<Bytes> corpus{{}};
    std::size_t best = 0;
    for (std::size_t n = 1; n <= limit; ++n) {
      const auto pick = [&] {
        return corpus[rng.chance(1, 2) ? corpus.size() - 1 : rng.below(static_cast<std::uint32_t>(corpus.size()))];
      };
      const Bytes in =
          rng.chance(1, 8) ? crossed(schema, pick(), pick(), rng.next()) : mutated(schema, k, pick(), rng.next());
      const std::size_t held = run(decode(schema, in), k);
      if (held == goal()) return n;
      if (held > best || corpus.size() < 8) corpus.push_back(in);
      best = std::max(best, held);
    }
    return limit;
  }
  std::size_t median(std::size_t limit, bool learn = true) const {
    std::vector<std::size_t> runs;
    for (std::uint64_t seed = 0; seed < 20; ++seed) runs.push_back(executions(seed, limit, learn));
    std::sort(runs.begin(), runs.end());
    RecordFigures(runs);
    return runs[runs.size() / 2];
  }
  static void RecordFigures(const std::vector<std::size_t>& runs) {
    ::testing::Test::RecordProperty("median", static_cast<int>(runs[runs.size() / 2]));
    ::testing::Test::RecordProperty("worst", static_cast<int>(runs.back()));
    std::printf("executions: median %zu, worst %zu\n", runs[runs.size() / 2], runs.back());
  }
};

// Medians of 20 seeds; the bounds are about four times what was measured: 68, 246, 132, 596, 7 and 7 executions.
TEST(Gates, TwoDims) {
  Gate g{testing::gate_schema(256, 2), {173, 89}};
  EXPECT_LT(g.median(20000), 300u);
  g.noise = true;
  EXPECT_LT(g.median(20000), 1000u);
}

TEST(Gates, ThreeDims) {
  Gate g{testing::gate_schema(64, 3), {43, 59, 22}};
  EXPECT_LT(g.median(20000), 550u);
  g.noise = true;
  EXPECT_LT(g.median(20000), 2400u);
}

TEST(Gates, AnElement) {
  Gate g{testing::gate_schema(256, 2), {}, 1217.0};
  EXPECT_LT(g.median(20000), 30u);
  g.element = 0x1.8d4p-9;
  EXPECT_LT(g.median(20000), 30u);
}

TEST(Gates, WithoutLearningTheyStayShut) {
  const Gate g{testing::gate_schema(64, 3), {43, 59, 22}};
  EXPECT_EQ(g.median(4000, false), 4000u);
}

}  // namespace
}  // namespace warpfuzz
