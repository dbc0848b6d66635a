// Coverage as it runs: edges that are hit are those that ran, compares leave the classes and pairs of their operands. The samples are
// instrumented for the CPU by the same pass and the same runtime.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "host_module.h"

extern const warpfuzz::cuda::ModuleSymbols flow_module, compare_module;
extern "C" {
int two_ways(int);
void loop(int);
int choose(int);
long early(long);
int depth(int);
int calls(int);
void straight();
void many(const unsigned char*);
void less_i32(int, int);
void less_u32(unsigned, unsigned);
void less_i64(long, long);
void less_u64(unsigned long, unsigned long);
void less_i8(signed char, signed char);
void less_u16(unsigned short, unsigned short);
void constants(int);
void pointers(const int*, const int*);
void pick(int);
void in_loop(const int*, int, int);
void many_compares(const int*);
void at(int) {}
void there(int) {}
}

namespace warpfuzz::cuda {
namespace {

using Set = std::set<int>;
Set both(const Set& a, const Set& b) {
  Set common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(common, common.end()));
  return common;
}
bool within(const Set& a, const Set& b) { return std::includes(b.begin(), b.end(), a.begin(), a.end()); }

class Edges : public ::testing::Test {
 protected:
  HostModule module{flow_module};
  template <class F>
  Set of(F&& f) {
    return module.edges(f);
  }
};

TEST_F(Edges, ABranchHasTwo) {
  const Set high = of([] { EXPECT_EQ(two_ways(20), 20); }), low = of([] { EXPECT_EQ(two_ways(5), 5); });
  EXPECT_EQ(high.size(), 2u);  // the entry and the side taken
  EXPECT_EQ(low.size(), 2u);
  EXPECT_EQ(both(high, low).size(), 1u);
  EXPECT_EQ(of([] { two_ways(11), two_ways(10); }).size(), 3u);
  EXPECT_EQ(high, of([] { two_ways(11); }));
}

TEST_F(Edges, LoopsTellNoneOneAndMore) {
  const Set none = of([] { loop(0); }), one = of([] { loop(1); }), two = of([] { loop(2); }),
            nine = of([] { loop(9); });
  EXPECT_NE(none, one);
  EXPECT_NE(one, two);  // the edge back
  EXPECT_TRUE(within(one, two));
  EXPECT_EQ(two, nine);
}

TEST_F(Edges, EachCaseOfASwitchIsOne) {
  const int cases[] = {1, 7, 8, 1000, 3}, results[] = {100, 200, 7, 400, 7};
  std::vector<Set> sets;
  for (int i = 0; i < 5; ++i) sets.push_back(of([&] { EXPECT_EQ(choose(cases[i]), results[i]); }));
  for (const Set& a : sets) {
    for (const Set& b : sets) {
      if (&a != &b) EXPECT_FALSE(within(a, b));
    }
  }
  EXPECT_EQ(sets[4], of([] { choose(-1), choose(9); }));
}

TEST_F(Edges, EarlyReturnsKeepTheirValuesAndEdges) {
  const Set negative = of([] { EXPECT_EQ(early(-5), -1); }), large = of([] { EXPECT_EQ(early(101), 202); }),
            middle = of([] { EXPECT_EQ(early(50), 51); });
  EXPECT_NE(negative, large);
  EXPECT_NE(large, middle);
  EXPECT_FALSE(within(negative, large) || within(large, middle) || within(middle, large) || negative.empty());
}

TEST_F(Edges, RecursionAndCallsMergeAtEveryReturn) {
  const Set zero = of([] { EXPECT_EQ(depth(0), 0); }), five = of([] { EXPECT_EQ(depth(5), 5); });
  EXPECT_TRUE(within(zero, five));
  EXPECT_NE(zero, five);
  const Set quiet = of([] { calls(0); }), first = of([] { calls(1); }), second = of([] { calls(2); });
  EXPECT_EQ(first, second);  // the helper's edge is one, wherever it is called from
  EXPECT_TRUE(within(quiet, first));
  EXPECT_EQ(of([] { straight(); }).size(), 1u);
}

TEST_F(Edges, BeyondTheRegistersTheyGoToMemory) {
  unsigned char bits[38] = {};
  const Set none = of([&] { many(bits); });
  Set all;
  for (int i = 0; i < 300; ++i) {
    bits[i / 8] = static_cast<unsigned char>(1 << i % 8);
    const Set one = of([&] { many(bits); });
    EXPECT_FALSE(within(one, none)) << i;
    EXPECT_EQ(one.size(), of([&] { many(bits); }).size());
    all.insert(one.begin(), one.end());
    bits[i / 8] = 0;
  }
  std::fill(std::begin(bits), std::end(bits), 0xff);
  EXPECT_EQ(of([&] { many(bits); }).size() + 300u, all.size());  // taken or not taken, each its own edge
}

TEST_F(Edges, WhatIsThereIsNotWrittenAgain) {
  of([] {});
  wf_host_stores = 0;
  two_ways(20);
  EXPECT_GE(wf_host_stores, 1u);
  wf_host_stores = 0;
  two_ways(20);
  EXPECT_EQ(wf_host_stores, 0u);
}

TEST_F(Edges, EveryBitHasItsSite) {
  EXPECT_GE(module.count(kCountEdges), module.count(kCountEdgeSites));
  EXPECT_GE(module.count(kCountEdgeSites), 600u);
  EXPECT_EQ(module.count(kCountMode), kModeCoverage);
}

// The definition, written another way than in the runtime.
int class_of(long long difference, int width) {
  unsigned long long d = static_cast<unsigned long long>(difference);
  if (width <= 32) d = static_cast<unsigned long long>(std::llabs(static_cast<int>(difference)));
  else if (difference < 0) d = 0 - d;
  int n = 0;
  for (; d != 0; d >>= 1) ++n;
  return std::min(n, 31);
}
int kind_of(int c) { return c == 0 ? 2 : c <= 3 ? 1 : 0; }

class Compares : public ::testing::Test {
 protected:
  HostModule module{compare_module};
  void SetUp() override { std::fill_n(wf_host_block, 3, 0u), std::fill_n(wf_host_blocks, 3, 1u); }
  void TearDown() override { SetUp(); }
  template <class T>
  void expect_one(void (*f)(T, T), T a, T b) {
    const auto seen = module.compares([&] { f(a, b); });
    ASSERT_EQ(seen.size(), 1u);
    const long long x = static_cast<long long>(a), y = static_cast<long long>(b);
    const int c = class_of(
        static_cast<long long>(static_cast<unsigned long long>(x) - static_cast<unsigned long long>(y)), sizeof(T) * 8);
    EXPECT_EQ(seen[0].classes, 1u << c) << x << " " << y;
    for (int kind = 0; kind < 3; ++kind) {
      const bool here = kind == kind_of(c);
      // The compiler may have turned a < b into b > a.
      const OperandPair p = seen[0].pairs[kind];
      const auto lx = static_cast<std::uint32_t>(x), ly = static_cast<std::uint32_t>(y);
      if (here) EXPECT_TRUE((p.a == lx && p.b == ly) || (p.a == ly && p.b == lx)) << p.a << " " << p.b;
      else EXPECT_TRUE(p.a == 0 && p.b == 0);
    }
  }
};

TEST_F(Compares, ClassesAndPairsOf32Bits) {
  for (int b : {0, 1, -1, 100, 2147483647, -2147483647 - 1}) {
    for (unsigned d = 0; d < 32; ++d) {
      for (unsigned e : {0u, 1u}) {
        expect_one<int>(less_i32, static_cast<int>(static_cast<unsigned>(b) + ((1u << d) - e)), b);
        expect_one<unsigned>(less_u32, static_cast<unsigned>(b) - ((1u << d) - e), static_cast<unsigned>(b));
      }
    }
  }
}

TEST_F(Compares, ClassesAndPairsOfOtherWidths) {
  for (unsigned d = 0; d < 64; ++d) {
    expect_one<long>(less_i64, static_cast<long>(1000 + (1ul << d)), 1000);
    expect_one<unsigned long>(less_u64, 77, 77 + (1ul << d));
  }
  expect_one<long>(less_i64, 5, 5);
  expect_one<signed char>(less_i8, -100, 100);
  expect_one<signed char>(less_i8, 3, -1);
  expect_one<unsigned short>(less_u16, 65535, 0);
  expect_one<unsigned short>(less_u16, 40000, 40003);
}

TEST_F(Compares, ConstantsAreOperandsPointersAreNot) {
  const auto seen = module.compares([] { constants(42); });
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_TRUE(seen[0].pairs[0].a == 42 && seen[0].pairs[0].b == 1234567);
  const int x = 0;
  EXPECT_TRUE(module.compares([&] { pointers(&x, &x + 1); }).empty());
}

TEST_F(Compares, EachCaseOfASwitchIsOne) {
  const auto seen = module.compares([] { pick(4999); });
  ASSERT_GE(seen.size(), 3u);
  std::set<std::uint32_t> constants;
  for (const auto& s : seen) {
    for (const OperandPair& p : s.pairs) {
      if (p.a == 4999) constants.insert(p.b);
    }
  }
  EXPECT_TRUE(constants.contains(100) && constants.contains(5000) && constants.contains(70000));
}

TEST_F(Compares, AllClassesOfALoopAndTheFirstPairOfEachKind) {
  const int values[] = {500, 510, 503, 100, 508, 501, 500, 2000};
  const auto seen = module.compares([&] { in_loop(values, 500, 8); });
  std::uint32_t expected = 0;
  for (int v : values) expected |= 1u << class_of(v - 500, 32);
  const auto ours = std::find_if(seen.begin(), seen.end(), [](const auto& s) { return s.pairs[2].a == 500; });
  ASSERT_NE(ours, seen.end());
  EXPECT_EQ(ours->classes, expected);
  EXPECT_TRUE(ours->pairs[0].a == 510 && ours->pairs[1].a == 503 && ours->pairs[2].a == 500 && ours->pairs[1].b == 500);
}

TEST_F(Compares, BeyondTheRegistersTheyAreTheSame) {
  int values[40];
  for (int i = 0; i < 40; ++i) values[i] = 1000 + i + (i % 3 == 0 ? 0 : 1 << i % 20);
  const auto seen = module.compares([&] { many_compares(values); });
  ASSERT_EQ(seen.size(), 40u);
  EXPECT_GT(module.count(kCountCompares), module.count(kCountLocalCompares));
  std::set<std::uint32_t> constants;
  for (const auto& s : seen) {
    for (int kind = 0; kind < 3; ++kind) {
      if (s.pairs[kind].b == 0) continue;
      const int i = static_cast<int>(s.pairs[kind].b) - 1000;
      constants.insert(s.pairs[kind].b);
      EXPECT_EQ(static_cast<int>(s.pairs[kind].a), values[i]);
      EXPECT_EQ(s.classes, 1u << class_of(values[i] - 1000 - i, 32));
      EXPECT_EQ(kind, kind_of(class_of(values[i] - 1000 - i, 32)));
    }
  }
  EXPECT_EQ(constants.size(), 40u);
}

TEST_F(Compares, OfALargeGridCornersAndOneBlockInSixteen) {
  wf_host_blocks[0] = 4000, wf_host_blocks[1] = 3;
  int values[40] = {}, recorded = 0;
  for (unsigned x = 0; x < 4000; ++x) {
    wf_host_block[0] = x, wf_host_block[1] = 1;
    recorded += !module.compares([&] { less_i32(1, 2), many_compares(values); }).empty();
  }
  EXPECT_GT(recorded, 180);
  EXPECT_LT(recorded, 330);
  for (unsigned x : {0u, 3999u}) {
    for (unsigned y : {0u, 2u}) {
      wf_host_block[0] = x, wf_host_block[1] = y;
      EXPECT_EQ(module.compares([&] { less_i32(1, 2), many_compares(values); }).size(), 41u);
    }
  }
  // A small grid: every block. Edges: every block anyway.
  wf_host_blocks[0] = 16, wf_host_blocks[1] = 4;
  for (unsigned x = 0; x < 16; ++x) {
    wf_host_block[0] = x, wf_host_block[1] = 1;
    EXPECT_EQ(module.compares([&] { less_i32(1, 2); }).size(), 1u);
  }
  wf_host_blocks[0] = 4000;
  for (unsigned x = 1; x < 40; ++x) {
    wf_host_block[0] = x;
    EXPECT_EQ(module.edges([&] { less_i32(1, 2); }).size(), 2u);
  }
}

}  // namespace
}  // namespace warpfuzz::cuda
