// What holds of every op's reference on any case: random byte strings decoded by the schema, all dtypes.
#include <gtest/gtest.h>

#include <cmath>

#include "numeric/hash.h"
#include "numeric/sum_bound.h"
#include "ops/lanes/row_view.h"
#include "problem.h"

namespace warpfuzz::test {
namespace {

std::vector<TargetSpec> specs() {
  std::vector<TargetSpec> v = {ops::softmax(),
                               ops::layernorm(),
                               ops::rmsnorm(),
                               ops::gelu().dialect("form=erf"),
                               ops::gelu().dialect("form=either"),
                               ops::silu(),
                               ops::silu().dialect("fast"),
                               ops::silu().dialect("via=tanh").dialect("tanh.approx"),
                               ops::sigmoid(),
                               ops::sigmoid().dialect("fast"),
                               ops::sigmoid().dialect("via=tanh").dialect("fast"),
                               ops::tanh(),
                               ops::tanh().dialect("via=exp"),
                               ops::tanh().dialect("tanh.approx"),
                               ops::relu(),
                               ops::leaky_relu().dialect("nan=propagate"),
                               ops::leaky_relu().scalar("slope", {0, -1, 3}),
                               ops::elu(),
                               ops::elu().dialect("via=expm1").dialect("ftz=never"),
                               ops::l2norm().dialect("form=max"),
                               ops::l2norm().dialect("form=max").scalar("eps", {0}),
                               ops::l2norm().dialect("form=sqrt"),
                               ops::l2norm().dialect("form=add"),
                               ops::matmul(),
                               ops::attention(),
                               ops::layernorm().dialect("var=naive"),
                               ops::rmsnorm().dialect("cast_before_weight"),
                               ops::matmul().dialect("tc").dialect("rpr"),
                               ops::matmul().dialect("acc=16"),
                               ops::matmul().dialect("tf32"),
                               ops::attention().dialect("p_cast").dialect("tc").dialect("rpr"),
                               ops::attention().dialect("s_cast").dialect("mask=select"),
                               ops::attention().dialect("tf32")};
  for (TargetSpec& s : v) s = all_dtypes(std::move(s)).caps(4096, 20000);
  return v;
}
TestCase random_case(const Schema& s, Rng& rng) {
  Bytes b(128 + 12 * rng.below(4));
  for (auto& x : b) x = static_cast<std::uint8_t>(rng.next());
  return decode(s, b);
}

TEST(Properties, EveryElementHasABoundOrAReason) {
  Rng rng(21);
  for (const TargetSpec& spec : specs())
    for (int i = 0; i < 150; ++i) {
      const Problem p(spec, random_case(spec.schema(), rng));
      const Reference ref = p.reference();
      const TensorLayout layout = tensor_layout(p.schema(), p.test_case, p.output());
      ASSERT_EQ(ref.r.size(), layout.elements);
      for (std::size_t k = 0; k < ref.r.size(); ++k) {
        ASSERT_FALSE(std::isnan(ref.r[k]) || std::isnan(ref.e[k]) || std::isnan(ref.e_rig[k]))
            << summary(p.schema(), p.test_case) << " [" << k << "]";
        ASSERT_GE(ref.e[k], 0);
        ASSERT_GE(ref.e_rig[k], ref.e[k]) << summary(p.schema(), p.test_case) << " [" << k << "]";
        ASSERT_EQ((ref.flags[k] & kAny) != 0, ref.reason[k] != Reason::none) << "ANY only for a declared reason";
      }
    }
}

TEST(Properties, ReferencesAreAPureFunctionOfTheirInputs) {
  Rng rng(22);
  for (const TargetSpec& spec : specs())
    for (int i = 0; i < 10; ++i) {
      const Problem p(spec, random_case(spec.schema(), rng));
      const Reference a = p.reference(), b = p.reference();
      EXPECT_EQ(a.r, b.r);
      EXPECT_EQ(a.e, b.e);
      EXPECT_EQ(a.e_rig, b.e_rig);
    }
}

TEST(Properties, MatmulsVectorisedSumsEqualTheScalarBound) {
  Rng rng(23);
  for (int i = 0; i < 60; ++i) {
    const std::uint32_t m = 1 + rng.below(6), n = 1 + rng.below(11), k = 1 + rng.below(200);
    Problem p(ops::matmul(), {{"M", m}, {"N", n}, {"K", k}});
    p.fill("a", i % 2 ? Fill::normal : Fill::alternating, i).fill("b", i % 3 ? Fill::uniform : Fill::iota, i + 1);
    const Reference ref = p.reference();
    const SumModel model = sum_model(p.row, true);
    for (std::size_t at = 0; at < ref.r.size(); ++at) {
      OperandGrid row, column;
      for (std::size_t q = 0; q < k; ++q) row.add(p["a"][at / n * k + q]), column.add(p["b"][q * n + at % n]);
      const SumBound s = sum_bound(
          k, [&](std::size_t q) { return static_cast<double>(p["a"][at / n * k + q]) * p["b"][q * n + at % n]; }, model,
          product_quantum(row, column));
      EXPECT_EQ(ref.r[at], s.value);
      EXPECT_EQ(ref.e[at], s.tight);
      EXPECT_EQ(ref.e_rig[at], s.rigorous);
    }
  }
}

TEST(Properties, RowsDoNotInfluenceEachOther) {
  Rng rng(24);
  for (const TargetSpec& spec : {ops::softmax(), ops::layernorm(), ops::rmsnorm(), ops::l2norm().dialect("form=max")}) {
    const std::uint32_t rows = 5, cols = 37;
    Problem all(spec, {{"rows", rows}, {"cols", cols}});
    all.fill("x", Fill::normal, 9);
    const Reference whole = all.reference();
    for (std::uint32_t r = 0; r < rows; ++r) {
      Problem one(spec, {{"rows", 1}, {"cols", cols}});
      const auto* from = all["x"].data() + r * cols;
      const Reference row = one.set("x", Values(from, from + cols)).reference();
      for (std::uint32_t c = 0; c < cols; ++c) {
        EXPECT_EQ(row.r[c], whole.r[r * cols + c]);
        EXPECT_EQ(row.e[c], whole.e[r * cols + c]);
      }
    }
  }
}

TEST(RowView, StridedRowsComeAndGoThroughABuffer) {
  const std::uint32_t shape[] = {2, 3, 4};
  const RowView v = RowView::around(shape, 1);
  EXPECT_EQ(v.outer, 2u);
  EXPECT_EQ(v.n, 3u);
  EXPECT_EQ(v.inner, 4u);
  EXPECT_EQ(v.rows(), 8u);
  Values x(24);
  for (int i = 0; i < 24; ++i) x[i] = static_cast<float>(i);
  Reference ref;
  ref.resize(24);
  std::size_t calls = 0;
  for_each_row(v, x, ref, [&](std::size_t row, std::span<const float> in, RowOut out) {
    ++calls;
    ASSERT_EQ(in.size(), 3u);
    EXPECT_EQ(in[1] - in[0], 4);
    for (std::size_t i = 0; i < 3; ++i) out.r[i] = in[i] * 2, out.e[i] = static_cast<double>(row);
  });
  EXPECT_EQ(calls, 8u);
  for (int i = 0; i < 24; ++i) EXPECT_EQ(ref.r[i], 2 * i);
  EXPECT_EQ(ref.e[v.index(5, 2)], 5);
}

}  // namespace
}  // namespace warpfuzz::test
