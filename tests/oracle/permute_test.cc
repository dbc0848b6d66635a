// Tier two's arrangements.
#include <gtest/gtest.h>

#include <algorithm>

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

}  // namespace
}  // namespace warpfuzz::test
