// Correct kernels that an oracle once called wrong. None of them may come back as a finding.
#include <gtest/gtest.h>

#include <cmath>

#include "emulate.h"
#include "numeric/hash.h"

namespace warpfuzz::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

void expect_clean(const Problem& p, const Values& y, const char* what) {
  const Verdict v = judge_values(p, y);
  EXPECT_EQ(v.fault, FaultClass::none) << what << ": " << name_of(v.kind) << " at " << v.worst.element << ": got "
                                       << v.worst.got << ", allowed [" << v.worst.lo << ", " << v.worst.hi << "]";
  EXPECT_FALSE(v.suspect) << what << ": " << v.max_ratio;
}
std::size_t unspecified(const Verdict& v, Reason r) { return v.unspecified[static_cast<std::size_t>(r)]; }

TEST(FalseAlarms, OnlineSoftmaxOnRamps) {
  for (const float step : {0.001f, 0.1f, 3.0f, -0.1f}) {
    Problem p(ops::softmax(), {{"rows", 1}, {"cols", 4096}});
    Values x(4096);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = step * static_cast<float>(i);
    p.set("x", x);
    expect_clean(p, softmax(p, Softmax::online), "online");
    expect_clean(p, softmax(p, Softmax::online_blocks), "online, blocks of 32");
  }
}

TEST(FalseAlarms, Exp2PrescaledSoftmaxIsUnspecifiedBeyondItsRange) {
  Problem p(ops::softmax(), {{"rows", 1}, {"cols", 4}});
  p.set("x", {4e8f, 4e8f, 1, -4e8f});
  Values y = softmax(p, Softmax::exp2_fma);
  y[0] = std::nanf("");
  const Verdict v = judge_values(p, y);
  EXPECT_EQ(v.fault, FaultClass::none);
  EXPECT_EQ(unspecified(v, Reason::ill_conditioned), 4u);
  p.set("x", {2.4e8f, 2.4e8f - 16, 1, -2.4e8f});  // still specified
  expect_clean(p, softmax(p, Softmax::exp2_fma), "exp2 with fma");
  expect_clean(p, softmax(p, Softmax::exp2_prescaled), "exp2");
}

TEST(FalseAlarms, SequentialWelfordDriftsOnRamps) {
  for (const float step : {0.01f, 1.0f, 37.5f}) {
    Problem p(ops::layernorm(), {{"rows", 1}, {"cols", 4097}});
    Values x(4097);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = step * static_cast<float>(i);
    p.set("x", x);
    expect_clean(p, layernorm(p, Layernorm::welford), "welford");
    expect_clean(p, layernorm(p, Layernorm::welford_lanes), "welford in lanes");
    expect_clean(p, layernorm(p, Layernorm::two_pass), "two passes");
  }
}

TEST(FalseAlarms, FusedAffineLayernormOfOneElement) {
  // (x - mean) is 0, but x*a - mean*a with a = 1e6 leaves the rounding of a.
  for (const float v : {0.3f, 1234.5f, -7e4f})
    for (const bool fma : {false, true}) {
      Problem p(ops::layernorm(), {{"rows", 3}, {"cols", 1}});
      p.scalar("eps", 1e-12).set("x", {v, 1, 0}).set("gamma", {1.7f}).set("beta", {0.25f});
      expect_clean(p, layernorm(p, Layernorm::fused_affine, {Order::forward, 0, fma}), "fused");
    }
}

TEST(FalseAlarms, ProductOfRstdAndWeightUnderflows) {
  for (const bool flush : {false, true}) {
    Problem norm(ops::layernorm(), {{"rows", 1}, {"cols", 64}});
    norm.fill("x", Fill::normal, 3, 13).set("gamma", Values(64, 0x1p-125f));
    Problem rms(ops::rmsnorm(), {{"rows", 1}, {"cols", 64}});
    rms.fill("x", Fill::normal, 3, 13).set("gamma", Values(64, 0x1p-125f));
    Values a, b;
    {
      const FlushToZero scope(flush);
      a = layernorm(norm, Layernorm::fused_affine);
      b = rmsnorm(rms, Rmsnorm::weight_first);
    }
    expect_clean(norm, a, "layernorm");
    expect_clean(rms, b, "rmsnorm");
  }
}

TEST(FalseAlarms, GeluOfMinusInf) {
  Problem p(ops::gelu().dialect("form=tanh").dialect("tanh.approx"), {{"n", 2}});
  p.set("x", {-kInf, kInf});
  const Values y = gelu(p, Gelu::tanh_approx);
  EXPECT_TRUE(std::isnan(y[0])) << "-Inf * 0";
  EXPECT_EQ(judge_values(p, y).fault, FaultClass::none);
  EXPECT_EQ(judge_values(p, {-0.0f, kInf}).fault, FaultClass::none);
  EXPECT_EQ(judge_values(p, {-kInf, kInf}).fault, FaultClass::special);
}

// tanh off by the 2^-11 that PTX promises, everywhere: right under tanh.approx=portable alone.
TEST(FalseAlarms, PortableTanhApprox) {
  Values x;
  for (int i = -2000; i <= 2000; ++i) x.push_back(static_cast<float>(i) / 256);
  const auto clean = [&](const char* dialect, double error) {
    Problem p(ops::gelu().dialect("form=tanh").dialect(dialect), {{"n", static_cast<std::uint32_t>(x.size())}});
    p.set("x", x);
    Values y;
    for (const float v : x) {
      const double z = 0.7978845608028654 * (v + 0.044715 * v * v * v);
      y.push_back(static_cast<float>(0.5 * v * (1 + std::tanh(z) * (1 + error))));
    }
    return judge_values(p, y).fault == FaultClass::none;
  };
  EXPECT_TRUE(clean("tanh.approx=portable", 0x1p-11));
  EXPECT_TRUE(clean("tanh.approx=portable", -0x1p-11));
  EXPECT_FALSE(clean("tanh.approx", 0x1p-11));
  EXPECT_FALSE(clean("tanh.approx=portable", 0x1p-9));
}

TEST(FalseAlarms, KahanTurnsInfIntoNan) {
  const std::map<std::string, std::uint32_t> dims = {{"M", 1}, {"N", 1}, {"K", 4}};
  Problem plain(ops::matmul(), dims), compensated(ops::matmul().dialect("compensated"), dims);
  plain.set("a", {1, kInf, 1, 1}), compensated.set("a", {1, kInf, 1, 1});
  const Values y = matmul(compensated, Matmul::kahan);
  ASSERT_TRUE(std::isnan(y[0]));
  expect_clean(compensated, y, "kahan, declared");
  EXPECT_EQ(name_of(judge_values(plain, y).kind), "nan-unexpected");
}

// Alternating terms with one large override: each lane adds constants of one sign to a large number, always rounding
// the same way, which neither the forward nor the backward running sum shows.
class FewLanes : public testing::TestWithParam<std::uint32_t> {};
TEST_P(FewLanes, DriftOnAlternatingFillsIsNoFinding) {
  Problem p(ops::matmul(), {{"M", 1}, {"N", 1}, {"K", 1025}});
  Values a(1025);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = (i & 1) ? -0.1f : 0.1f;
  a[0] = 1e4f;
  p.set("a", a);
  const auto kernel = [](const Problem& q) { return matmul(q, Matmul::plain, {Order::lanes, GetParam(), false}); };
  const Verdict v = judge_values(p, kernel(p));
  EXPECT_EQ(v.fault, FaultClass::none) << "inside the rigorous bound";
  if (GetParam() <= 4) EXPECT_TRUE(v.suspect) << "this case is beyond the tight bound; rho " << v.max_ratio;
  EXPECT_LT(beyond_after_permutation(p, kernel), kPermutationQuorum);
  EXPECT_FALSE(is_finding(p, kernel));
}
INSTANTIATE_TEST_SUITE_P(Lanes, FewLanes, testing::Values(2, 4, 8),
                         [](const auto& info) { return std::to_string(info.param); });

TEST(FalseAlarms, ARealBugIsNotTakenForDrift) {
  // The same data with a wrong element in the sum: beyond E in every arrangement.
  Problem p(ops::matmul(), {{"M", 1}, {"N", 1}, {"K", 1025}});
  p.fill("a", Fill::normal, 5).fill("b", Fill::normal, 6);
  EXPECT_TRUE(is_finding(p, [](const Problem& q) { return matmul(q, Matmul::drops_last); }));
}

TEST(FalseAlarms, TensorCoreWithOneSubnormalOperand) {
  const std::map<std::string, std::uint32_t> dims = {{"M", 1}, {"N", 1}, {"K", 16}};
  Problem tc(all_dtypes(ops::matmul()).dialect("tc"), dims, f16, f32), plain(all_dtypes(ops::matmul()), dims, f16, f32);
  Values a(16, 0x1.234p-14f), b(16, 0x1.5p-13f);
  a[3] = 0x1p-24f, b[3] = 30000;
  for (Problem* p : {&tc, &plain}) p->set("a", a).set("b", b);
  const Values y = matmul(tc, Matmul::tensor_core);
  expect_clean(tc, y, "tensor core");
  EXPECT_NE(judge_values(plain, y).fault, FaultClass::none) << "the plain bound does not cover it";
}

TEST(FalseAlarms, NaiveVarianceClampedToZero) {
  const std::map<std::string, std::uint32_t> dims = {{"rows", 1}, {"cols", 64}};
  Problem naive(ops::layernorm().dialect("var=naive"), dims), strict(ops::layernorm(), dims);
  int clamped = 0;
  for (int offset = 8192; offset < 8192 + 16; ++offset) {
    Values x(64);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(offset) + 0.004f * static_cast<float>(i);
    for (Problem* p : {&naive, &strict}) p->set("x", x);
    const Values y = layernorm(naive, Layernorm::naive);
    expect_clean(naive, y, "naive, declared");
    if (std::fabs(y[0]) < 30) continue;  // far beyond sqrt(n): the variance came out as 0
    ++clamped;
    EXPECT_TRUE(is_finding(strict, [](const Problem& q) { return layernorm(q, Layernorm::naive); }))
        << "naive, undeclared";
  }
  EXPECT_GT(clamped, 2);
  naive.set("x", [&] {
    Values v(64, 1);
    v[5] = kInf;
    return v;
  }());
  expect_clean(naive, layernorm(naive, Layernorm::naive), "naive, Inf");
}

TEST(FalseAlarms, Tf32OfASubnormal) {
  const std::map<std::string, std::uint32_t> dims = {{"M", 1}, {"N", 1}, {"K", 2}};
  Problem p(ops::matmul().dialect("tf32").dialect("ftz=never"), dims),
      undeclared(ops::matmul().dialect("ftz=never"), dims);
  for (Problem* q : {&p, &undeclared}) q->set("a", {0x1.00fp-129f, 0}).set("b", {0x1p120f, 1});
  const Values y = matmul(p, Matmul::tf32);
  expect_clean(p, y, "tf32");
  EXPECT_NE(judge_values(undeclared, y).fault, FaultClass::none);
}

TEST(FalseAlarms, SixteenBitSplitK) {
  const std::map<std::string, std::uint32_t> dims = {{"M", 4}, {"N", 5}, {"K", 257}};
  for (const DType t : {f16, bf16}) {
    Problem p(all_dtypes(ops::matmul()).dialect("rpr"), dims, t, t), undeclared(all_dtypes(ops::matmul()), dims, t, t);
    for (Problem* q : {&p, &undeclared}) q->fill("a", Fill::normal, 1).fill("b", Fill::normal, 2);
    const Values y = matmul(p, Matmul::split_k_16);
    expect_clean(p, y, "split K");
    EXPECT_NE(judge_values(undeclared, y).fault, FaultClass::none);
  }
}

}  // namespace
}  // namespace warpfuzz::test
