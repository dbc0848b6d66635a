// Tier two's arrangements, and the statistics' percentiles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "probe.h"

namespace warpfuzz::test {
namespace {

Problem sample() {
  Problem p(ops::matmul(), {{"M", 7}, {"N", 9}, {"K", 33}});
  p.fill("a", Fill::normal, 1).fill("b", Fill::iota, 2);
  return p;
}

TEST(Permutation, KeepsTheValuesOfEachTensor) {
  const Problem p = sample();
  for (int round = 0; round < kPermutationRounds; ++round) {
    const auto q = permuted_inputs(p.schema(), p.test_case, p.in, 99, round);
    ASSERT_EQ(q.size(), p.in.size());
    for (const char* name : {"a", "b"}) {
      Values before = p[name], after = q[p.tensor(name)];
      EXPECT_NE(before, after);
      std::sort(before.begin(), before.end());
      std::sort(after.begin(), after.end());
      EXPECT_EQ(before, after);
    }
  }
}
TEST(Permutation, IsAFunctionOfCaseAndRound) {
  const Problem p = sample();
  const auto run = [&](std::uint64_t hash, int round) {
    return permuted_inputs(p.schema(), p.test_case, p.in, hash, round);
  };
  EXPECT_EQ(run(5, 3), run(5, 3));
  EXPECT_NE(run(5, 3), run(5, 4));
  EXPECT_NE(run(5, 3), run(6, 3));
}
TEST(Permutation, LeavesIndicesAndOutputsAlone) {
  Problem p = sample();
  Schema s = p.schema();
  s.tensors[0].type = TensorType::index32;
  s.tensors[0].index_dim = 2;
  const auto q = permuted_inputs(s, p.test_case, p.in, 1, 0);
  EXPECT_EQ(q[0], p.in[0]);
  EXPECT_NE(q[1], p.in[1]);
  s.tensors[1].role = Role::out;
  EXPECT_EQ(permuted_inputs(s, p.test_case, p.in, 1, 0)[1], p.in[1]);
}

TEST(Histogram, PercentilesAreRightToABucket) {
  LogHistogram h;
  EXPECT_EQ(h.percentile(50), 0);
  for (int i = 1; i <= 1000; ++i) h.add(i);
  EXPECT_NEAR(h.percentile(50), 500, 50);
  EXPECT_NEAR(h.percentile(99), 990, 90);
  EXPECT_EQ(h.percentile(100), 1000);
  EXPECT_EQ(h.max(), 1000);
  LogHistogram zeros;
  for (int i = 0; i < 99; ++i) zeros.add(0);
  zeros.add(INFINITY);
  EXPECT_EQ(zeros.percentile(99), 0);
  EXPECT_GT(zeros.percentile(100), 1e18);
  zeros.merge(h);
  EXPECT_EQ(zeros.count(), 1100u);
}
TEST(Statistics, JudgeFillsThem) {
  Probe p(1, 4, f32);
  p.ref().e.assign(4, 0.5);
  p.ref().e_rig.assign(4, 0.5);
  p.ref().flags[3] = kAny;
  std::vector<std::vector<std::byte>> out(1, stored(f32, {1, 1.25f, 3, NAN}));
  ErrorStats stats;
  JudgeInput in{p.problem.schema(),
                p.problem.test_case,
                p.problem.row,
                p.problem.spec.dialects(),
                p.refs,
                out,
                output_poison,
                {}};
  in.stats = &stats;
  judge(in);
  EXPECT_EQ(stats.ratios.count(), 3u) << "specified elements only";
  EXPECT_DOUBLE_EQ(stats.ratios.max(), 4);
  EXPECT_EQ(stats.ulps.max(), 3 << 22);
  EXPECT_THAT(describe(stats), testing::HasSubstr("rho p50"));
}

}  // namespace
}  // namespace warpfuzz::test
