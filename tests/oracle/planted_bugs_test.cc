// Wrong kernels must be found, with the class and attributes that describe them. Also dialects: used but not declared.
#include <gtest/gtest.h>

#include <cmath>

#include "emulate.h"

namespace warpfuzz::test {
namespace {

Problem rows(TargetSpec s, std::uint32_t r, std::uint32_t c, DType t, Fill f = Fill::normal, int amp = 0) {
  Problem p(all_dtypes(std::move(s)), {{"rows", r}, {"cols", c}}, t, t);
  p.fill("x", f, 17, amp);
  return p;
}
Problem product(TargetSpec s, std::uint32_t m, std::uint32_t n, std::uint32_t k, DType t) {
  Problem p(all_dtypes(std::move(s)), {{"M", m}, {"N", n}, {"K", k}}, t, t);
  p.fill("a", Fill::normal, 1).fill("b", Fill::normal, 2);
  return p;
}
Problem elements(const char* form, std::uint32_t n, DType t) {
  Problem p(all_dtypes(ops::gelu().dialect(form)), {{"n", n}}, t, t);
  p.fill("x", Fill::normal, 4);
  return p;
}

class PlantedBugs : public testing::TestWithParam<DType> {};
void expect_value(const Verdict& v, const char* what) {
  EXPECT_EQ(v.fault, FaultClass::value) << what << ", rho " << v.max_ratio;
}

TEST_P(PlantedBugs, GeluWithoutTheHalf) {
  const Problem p = elements("form=tanh", 100, GetParam());
  const Verdict v = judge_values(p, gelu(p, Gelu::no_half));
  expect_value(v, "no half");
  EXPECT_EQ(name_of(v.kind), "const-ratio");
  EXPECT_NEAR(v.const_ratio, 2, 0.02);
}
TEST_P(PlantedBugs, GeluTanhWhereErfIsDeclared) {
  Problem p = elements("form=erf", 1000, GetParam());
  if (GetParam() != f32) p.fill("x", Fill::normal, 4, 1);
  const Verdict v = judge_values(p, gelu(p, Gelu::tanh));
  expect_value(v, "tanh where erf is declared");
  Problem either = elements("form=either", 1000, GetParam());
  either.in = p.in;
  EXPECT_EQ(judge_values(either, gelu(p, Gelu::tanh)).fault, FaultClass::none);
}
TEST_P(PlantedBugs, SoftmaxTailLeak) {
  const Problem wrong = rows(ops::softmax(), 3, 33, GetParam()), right = rows(ops::softmax(), 3, 64, GetParam());
  const Verdict v = judge_values(wrong, softmax(wrong, Softmax::tail_leak));
  expect_value(v, "tail leak");
  EXPECT_EQ(name_of(v.location), "all");
  EXPECT_EQ(judge_values(right, softmax(right, Softmax::tail_leak)).fault, FaultClass::none)
      << "correct at multiples of 32";
}
TEST_P(PlantedBugs, LayernormEpsOutsideTheRoot) {
  const Problem p = rows(ops::layernorm(), 2, 65, GetParam(), Fill::normal, -8);
  expect_value(judge_values(p, layernorm(p, Layernorm::eps_outside)), "eps outside");
}
TEST_P(PlantedBugs, LayernormWithBesselsCorrection) {
  const Problem p = rows(ops::layernorm(), 2, 33, GetParam());
  const Verdict v = judge_values(p, layernorm(p, Layernorm::bessel));
  expect_value(v, "n - 1");
  EXPECT_EQ(name_of(v.kind), "const-ratio");
  EXPECT_NEAR(v.const_ratio, std::sqrt(32.0 / 33), 0.01);
}
TEST_P(PlantedBugs, UndeclaredNaiveVariance) {
  const Problem p = rows(ops::layernorm(), 4, 100, GetParam(), Fill::offset_normal);
  const Problem declared = rows(ops::layernorm().dialect("var=naive"), 4, 100, GetParam(), Fill::offset_normal);
  const Values y = layernorm(p, Layernorm::naive);
  if (GetParam() == f32) EXPECT_TRUE(is_finding(p, [](const Problem& q) { return layernorm(q, Layernorm::naive); }));
  EXPECT_EQ(judge_values(declared, y).fault, FaultClass::none);
}
TEST_P(PlantedBugs, RmsnormWithoutTheRoot) {
  const Problem p = rows(ops::rmsnorm(), 1, 100, GetParam(), Fill::normal, 2);
  const Verdict v = judge_values(p, rmsnorm(p, Rmsnorm::no_sqrt));
  expect_value(v, "no root");
  EXPECT_EQ(name_of(v.kind), "const-ratio");
}
TEST_P(PlantedBugs, RmsnormDropsTheLastElement) {
  const Problem p = rows(ops::rmsnorm(), 5, 64, GetParam());
  expect_value(judge_values(p, rmsnorm(p, Rmsnorm::drops_last)), "drops the last");
}
TEST_P(PlantedBugs, L2normWithoutTheRoot) {
  const Problem p = rows(ops::l2norm().dialect("form=max"), 1, 100, GetParam(), Fill::normal, 2);
  const Verdict v = judge_values(p, l2norm(p, L2norm::no_sqrt));
  expect_value(v, "no root");
  EXPECT_EQ(name_of(v.kind), "const-ratio");
}
TEST_P(PlantedBugs, L2normOfFewerElementsOrOfTheMean) {
  const Problem p = rows(ops::l2norm().dialect("form=max"), 5, 64, GetParam());
  expect_value(judge_values(p, l2norm(p, L2norm::drops_last)), "drops the last");
  expect_value(judge_values(p, l2norm(p, L2norm::mean_square)), "mean square");
}
TEST_P(PlantedBugs, L2normWithEpsInAnotherPlace) {
  for (const std::string declared : {"max", "sqrt", "add"}) {
    Problem p = rows(ops::l2norm().dialect("form=" + declared), 3, 33, GetParam(), Fill::normal, -8);
    p.scalar("eps", 1e-3);  // the norm is about 0.02
    for (const char* used : {"max", "sqrt", "add"}) {
      const Verdict v = judge_values(p, l2norm(p, L2norm::divide, {}, used));
      EXPECT_EQ(v.fault, declared == used ? FaultClass::none : FaultClass::value) << declared << ", computed " << used;
    }
  }
}
TEST_P(PlantedBugs, MatmulOverwritesTheAccumulator) {
  const Problem one_block = product(ops::matmul(), 3, 4, 32, GetParam()),
                two = product(ops::matmul(), 3, 4, 33, GetParam());
  EXPECT_EQ(judge_values(one_block, matmul(one_block, Matmul::overwrite)).fault, FaultClass::none);
  expect_value(judge_values(two, matmul(two, Matmul::overwrite)), "overwrite");
}
TEST_P(PlantedBugs, MatmulAccumulatesIn16Bits) {
  if (GetParam() == f32) return;
  const Problem p = product(ops::matmul(), 8, 8, 128, GetParam()),
                declared = product(ops::matmul().dialect("acc=16"), 8, 8, 128, GetParam());
  const Values y = matmul(p, Matmul::accumulate_16);
  expect_value(judge_values(p, y), "16-bit accumulate");
  EXPECT_EQ(judge_values(declared, y).fault, FaultClass::none);
}
TEST_P(PlantedBugs, TruncatingStore) {
  if (GetParam() == f32) return;
  const Problem p = rows(ops::softmax(), 2, 100, GetParam());
  EXPECT_EQ(judge_bytes(p, stored_truncating(GetParam(), softmax(p, Softmax::plain))).fault, FaultClass::value);
  Problem directed = p;
  directed.row.store = Store::toward_zero;
  EXPECT_EQ(judge_bytes(directed, stored_truncating(GetParam(), softmax(p, Softmax::plain))).fault, FaultClass::none);
}
TEST_P(PlantedBugs, ZerosEverywhere) {
  const Problem p = rows(ops::softmax(), 2, 10, GetParam());
  const Verdict v = judge_values(p, Values(20, 0));
  expect_value(v, "zeros");
  EXPECT_EQ(name_of(v.kind), "all-zero");
  EXPECT_EQ(name_of(v.location), "all");
  EXPECT_EQ(v.zero, 20u);
}
INSTANTIATE_TEST_SUITE_P(DTypes, PlantedBugs, testing::Values(f32, f16, bf16),
                         [](const auto& info) { return std::string(dtype_name(info.param)); });

TEST(MorePlantedBugs, UndeclaredTf32) {
  Problem p = product(ops::matmul(), 8, 8, 64, f32), declared = product(ops::matmul().dialect("tf32"), 8, 8, 64, f32);
  const Values y = matmul(p, Matmul::tf32);
  expect_value(judge_values(p, y), "tf32");
  EXPECT_EQ(judge_values(declared, y).fault, FaultClass::none);
}
TEST(MorePlantedBugs, UndeclaredHardwareTanh) {
  Problem p = elements("form=tanh", 500, f32);
  const Values y = gelu(p, Gelu::tanh_approx);
  expect_value(judge_values(p, y), "tanh.approx");
}
TEST(MorePlantedBugs, SoftmaxWithoutTheMaximum) {
  Problem p(ops::softmax(), {{"rows", 1}, {"cols", 4}});
  p.set("x", {100, 1, 2, 3});
  const Verdict v = judge_values(p, softmax(p, Softmax::unshifted));
  EXPECT_EQ(v.fault, FaultClass::special);
  EXPECT_EQ(name_of(v.kind), "nan-unexpected");
}

}  // namespace
}  // namespace warpfuzz::test
