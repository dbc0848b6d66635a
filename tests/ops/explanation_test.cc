// The parts of an allowance: they name what it consists of, largest first, and together make up E.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "problem.h"

namespace warpfuzz::test {
namespace {

double total(const Explanation& e) {
  double s = 0;
  for (const auto& [name, value] : e.parts) s += value;
  return s;
}
// Explaining changes nothing: what explains a finding and what judged it are compared bit for bit.
void expect_same(const std::vector<Reference>& a, const std::vector<Reference>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t t = 0; t < a.size(); ++t) {
    EXPECT_EQ(a[t].flags, b[t].flags);
    for (const auto member : {&Reference::r, &Reference::e, &Reference::e_rig}) {
      const std::vector<double>&x = a[t].*member, &y = b[t].*member;
      ASSERT_EQ(x.size(), y.size());
      EXPECT_TRUE(x.empty() || !std::memcmp(x.data(), y.data(), x.size() * sizeof(double)));
    }
  }
}
void expect_complete(const Problem& p, std::size_t element, const char* largest) {
  Explanation e{p.output(), element, {}};
  const std::vector<Reference> refs = p.references(&e);
  expect_same(refs, p.references());
  ASSERT_FALSE(e.parts.empty());
  EXPECT_EQ(e.parts.front().first, largest);
  for (std::size_t i = 1; i < e.parts.size(); ++i) EXPECT_GE(e.parts[i - 1].second, e.parts[i].second);
  const double bound = refs[p.output()].e[element];
  EXPECT_NEAR(total(e), bound, 0.02 * bound) << "the parts make up E";
}

TEST(Explanation, PartsMakeUpTheBound) {
  Problem softmax(ops::softmax(), {{"rows", 2}, {"cols", 129}});
  expect_complete(softmax.fill("x", Fill::ones), 130, "online rescaling");
  expect_complete(softmax.fill("x", Fill::iota), 257, "argument rounding");
  Problem rms(ops::rmsnorm(), {{"rows", 1}, {"cols", 1025}});
  expect_complete(rms.fill("x", Fill::normal), 7, "accumulation");
  Problem norm(ops::layernorm(), {{"rows", 1}, {"cols", 33}});
  expect_complete(norm.fill("x", Fill::offset_normal), 7, "accumulation of the mean");
  Problem gelu(ops::gelu().dialect("form=tanh").dialect("tanh.approx"), {{"n", 3}});
  expect_complete(gelu, 1, "hardware tanh");
  Problem portable(ops::gelu().dialect("form=tanh").dialect("tanh.approx=portable"), {{"n", 3}});
  expect_complete(portable, 1, "hardware tanh");
  Problem either(ops::gelu().dialect("form=either"), {{"n", 3}});
  expect_complete(either, 1, "either form");
  Problem silu(ops::silu(), {{"n", 3}});
  expect_complete(silu, 2, "exp or tanh and the operations around it");
  Problem sigmoid(ops::sigmoid(), {{"n", 3}});
  expect_complete(sigmoid, 0, "addition and division");
  Problem fast(ops::sigmoid().dialect("fast"), {{"n", 1}});
  expect_complete(fast.set("x", {-20}), 0, "fast exp");
  Problem by_tanh(ops::sigmoid().dialect("via=tanh").dialect("tanh.approx"), {{"n", 3}});
  expect_complete(by_tanh, 0, "hardware tanh");
  Problem tanh(ops::tanh(), {{"n", 1}});
  expect_complete(tanh, 0, "tanh");
  Problem by_exp(ops::tanh().dialect("via=exp"), {{"n", 1}});
  expect_complete(by_exp, 0, "exp and the operations around it");
  Problem leaky(ops::leaky_relu(), {{"n", 2}});
  expect_complete(leaky.set("x", {1, -2}), 1, "product");
  Problem elu(ops::elu(), {{"n", 2}});
  expect_complete(elu.set("x", {1, -0.25f}), 1, "exp");
  Problem by_expm1(ops::elu().dialect("via=expm1"), {{"n", 1}});
  expect_complete(by_expm1.set("x", {-0.25f}), 0, "expm1 and the product");
  Problem l2(ops::l2norm().dialect("form=max"), {{"rows", 1}, {"cols", 1025}});
  expect_complete(l2.fill("x", Fill::normal), 7, "accumulation");
  Problem matmul(ops::matmul(), {{"M", 3}, {"N", 5}, {"K", 65}});
  expect_complete(matmul.fill("a", Fill::normal).fill("b", Fill::normal, 2), 14, "accumulation");
  Problem tf32(ops::matmul().dialect("tf32"), {{"M", 3}, {"N", 5}, {"K", 65}});
  expect_complete(tf32.fill("a", Fill::normal).fill("b", Fill::normal, 2), 14, "rounding of the inputs");
  Problem attention(all_dtypes(ops::attention()).dialect("p_cast"), {{"M", 2}, {"N", 65}, {"B", 2}, {"D", 33}}, f16,
                    f32);
  expect_complete(attention.fill("q", Fill::normal).fill("k", Fill::normal, 2).fill("v", Fill::normal, 3), 70,
                  "16-bit P");
  Problem scores(ops::attention(), {{"B", 1}, {"M", 1}, {"N", 65}, {"D", 128}});
  expect_complete(scores.fill("q", Fill::normal).fill("k", Fill::normal, 2, 3).fill("v", Fill::normal, 3), 7, "scores");
  Problem huge(ops::attention(), {{"B", 1}, {"M", 1}, {"N", 5}, {"D", 2}});
  expect_complete(huge.fill("q", Fill::normal, 1, 12).fill("k", Fill::normal, 2, 12).fill("v", Fill::normal, 3), 1,
                  "weights (result only known to lie among the values)");
  Problem flushed(ops::matmul(), {{"M", 1}, {"N", 1}, {"K", 3}});
  expect_complete(flushed.fill("a", Fill::subnormal), 0, "FTZ");
}
TEST(Explanation, CopiesHaveNoAllowance) {
  for (const TargetSpec& spec : {ops::relu(), ops::leaky_relu(), ops::elu()}) {
    Problem p(spec, {{"n", 2}});
    Explanation e{p.output(), 1, {}};
    const Reference ref = p.set("x", {-1, 3}).references(&e)[p.output()];
    EXPECT_EQ(ref.e[1], 0);
    EXPECT_TRUE(e.parts.empty());
  }
}
TEST(Explanation, OnlyWhereAskedAndNeverForSpecialElements) {
  Problem p(ops::softmax(), {{"rows", 2}, {"cols", 3}});
  Explanation other{p.tensor("x"), 0, {}};
  p.references(&other);
  EXPECT_TRUE(other.parts.empty());
  p.set("x", {1, NAN, 2, 1, 2, 3});
  Explanation nan_row{p.output(), 1, {}}, finite_row{p.output(), 4, {}};
  p.references(&nan_row);
  EXPECT_TRUE(nan_row.parts.empty());
  p.references(&finite_row);
  EXPECT_FALSE(finite_row.parts.empty());
}

}  // namespace
}  // namespace warpfuzz::test
