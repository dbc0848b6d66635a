// Attention's quick reference against the plain loop nest, and the loops over lanes that it is made of.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "numeric/hash.h"
#include "numeric/sum_bound.h"
#include "ops/lanes/product_sums.h"
#include "plain_attention.h"

namespace warpfuzz::test {
namespace {

// ---- the whole reference ----

void expect_same(const Problem& p, const std::string& what) {
  const Reference quick = p.reference(), plain = plain_attention(p);
  ASSERT_EQ(quick.r.size(), plain.r.size());
  ASSERT_GT(plain.r.size(), 0u);
  for (std::size_t at = 0; at < plain.r.size(); ++at) {
    ASSERT_EQ(quick.flags[at], plain.flags[at]) << what << ", element " << at;
    ASSERT_EQ(quick.reason[at], plain.reason[at]) << what << ", element " << at;
    if (plain.flags[at] & (kAny | kNanRequired)) continue;
    // r: of what cancels, the terms count. E: the sums of many terms.
    if (std::isinf(plain.r[at])) ASSERT_EQ(quick.r[at], plain.r[at]) << what << ", element " << at;
    else ASSERT_NEAR(quick.r[at], plain.r[at], 1e-4 * plain.e[at] + 1e-300) << what << ", element " << at;
    ASSERT_NEAR(quick.e[at], plain.e[at], 1e-6 * plain.e[at]) << what << ", element " << at;
    ASSERT_NEAR(quick.e_rig[at], plain.e_rig[at], 1e-6 * plain.e_rig[at]) << what << ", element " << at;
  }
}

std::vector<TargetSpec> forms() {
  return {ops::attention(),
          ops::attention().dialect("mask=select"),
          ops::attention().dialect("ftz=never"),
          ops::attention().dialect("p_cast").dialect("tc").dialect("rpr"),
          ops::attention().dialect("s_cast").dialect("mask=select"),
          ops::attention().dialect("tf32"),
          ops::attention().dialect("tf32=truncated")};
}

TEST(QuickAttention, AgreesWithThePlainLoopNestOnRandomCases) {
  Rng rng(41);
  std::size_t weighted = 0, elements = 0;
  for (const TargetSpec& form : forms()) {
    const TargetSpec spec = all_dtypes(form).caps(2048, 8000);
    for (int round = 0; round < 250; ++round) {
      Bytes bytes(128 + 12 * rng.below(4));
      for (auto& x : bytes) x = static_cast<std::uint8_t>(rng.next());
      const Problem p(spec, decode(spec.schema(), bytes));
      expect_same(p, describe(spec.dialects()) + ", round " + std::to_string(round));
      if (HasFatalFailure()) return;
      const Reference ref = p.reference();
      elements += ref.r.size();
      for (const std::uint8_t f : ref.flags) weighted += (f & ~kNanOk) == 0;
    }
  }
  EXPECT_GT(weighted, elements / 3) << "most comparisons should be of values";
}

// Each number of columns and of keys around whole lanes; both maskings; more keys than rows and the other way round.
TEST(QuickAttention, AgreesAtEveryRemainderOfLanes) {
  for (const std::uint32_t n : {1u, 2u, 7u, 8u, 9u, 15u, 16u, 17u, 65u})
    for (const std::uint32_t d : {1u, 2u, 4u, 7u, 8u, 9u, 16u, 33u})
      for (const bool causal : {false, true}) {
        Problem p(ops::attention(), {{"B", 2}, {"M", 11}, {"N", n}, {"D", d}});
        p.test_case.flags = causal;
        p.fill("q", Fill::normal, n).fill("k", Fill::normal, d).fill("v", Fill::uniform, 3);
        expect_same(p, "N=" + std::to_string(n) + " D=" + std::to_string(d));
        if (HasFatalFailure()) return;
      }
}
TEST(QuickAttention, AgreesBeyondTheOpsOwnLimits) {
  const TargetSpec spec = ops::attention().where("D", at_most(300)).where("N", at_most(4096)).where("M", at_most(200));
  for (const auto& [m, n, d] : {std::array<std::uint32_t, 3>{3, 9, 256}, {1, 2100, 8}, {180, 5, 3}, {2, 4, 300}}) {
    Problem p(spec, {{"B", 1}, {"M", m}, {"N", n}, {"D", d}});
    p.fill("q", Fill::normal, 1).fill("k", Fill::normal, 2).fill("v", Fill::uniform, 3);
    expect_same(p, "M=" + std::to_string(m) + " N=" + std::to_string(n) + " D=" + std::to_string(d));
    if (HasFatalFailure()) return;
  }
}
TEST(QuickAttention, AgreesWhereErrorsOfWeightsAreLarge) {
  // Scores of up to 1e6 have bounds around 1/4 and above: the series of expm1 does not do any more.
  for (const int exponent : {6, 8, 9, 10, 11}) {
    Problem p(ops::attention(), {{"B", 1}, {"M", 6}, {"N", 40}, {"D", 12}});
    p.fill("q", Fill::normal, 1, exponent).fill("k", Fill::normal, 2, exponent).fill("v", Fill::normal, 3);
    expect_same(p, "2^" + std::to_string(exponent));
  }
}

TEST(QuickAttention, ASmallWeightWithALargeErrorCounts) {
  // The second score is -800 with a bound of more than 100: its weight is 0 in the reference, and need not be in a kernel.
  const std::uint32_t d = 128;
  Values q(d, 0x1p11f), k(2 * d, 0.0f);
  for (std::uint32_t c = 0; c < d; ++c) k[d + c] = c % 2 ? 0x1p12f : -0x1p12f;
  k[d] -= 4.5f;
  Problem p(ops::attention(), {{"B", 1}, {"M", 1}, {"N", 2}, {"D", d}});
  Values v(2 * d, 0.0f);
  for (std::uint32_t c = 0; c < d; ++c) v[d + c] = 1;
  p.set("q", q).set("k", k).set("v", v);
  const Reference ref = p.reference();
  EXPECT_EQ(ref.flags[0], 0);
  EXPECT_LT(ref.r[0], 1e-300);
  EXPECT_GE(ref.e_rig[0], 1) << "the result is only known to lie between the values";
}

// ---- exp ----

TEST(Lanes, ExpIsWithin2To51OfItsValue) {
  long double worst = 0;
  const auto check = [&](const double* x) {
    Doubles in, out;
    load(in, x);
    exp_of_lanes(in, out);
    for (std::size_t l = 0; l < kLanes; ++l) {
      const long double want = std::exp(static_cast<long double>(x[l]));
      worst = std::max(worst, std::fabs(static_cast<long double>(out[l]) - want) / want);
    }
  };
  double x[kLanes];
  // A grid over all of the range; around every multiple of ln 2 / 2, where the reduced argument is the largest.
  for (int step = 0; step < 708 * 1000; step += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) x[l] = -(step + static_cast<double>(l)) * 1e-3;
    check(x);
  }
  for (int half = 0; half < 2042; ++half) {
    for (std::size_t l = 0; l < kLanes; ++l)
      x[l] = -half * 0.34657359027997264 * (1 + (static_cast<double>(l) - 4) * 1e-14);
    check(x);
  }
  Rng rng(7);
  for (int round = 0; round < 20000; ++round) {
    for (double& v : x)
      v = -std::ldexp(static_cast<double>(rng.below(1u << 30)), -static_cast<int>(rng.below(60)) - 21);
    check(x);
  }
  EXPECT_LT(worst, 0x1p-51L);
  EXPECT_GT(worst, 0x1p-54L);
}
TEST(Lanes, ExpAtItsEnds) {
  const double inf = std::numeric_limits<double>::infinity();
  const double x[kLanes] = {0, -0.0, -708, -708.5, -745, -1e300, -inf, -0x1p-60};
  Doubles in, out;
  load(in, x);
  exp_of_lanes(in, out);
  for (const int one : {0, 1, 7}) EXPECT_EQ(out[one], 1);
  EXPECT_NEAR(out[2], std::exp(-708.0), 1e-15 * out[2]);
  for (const int zero : {3, 4, 5, 6}) EXPECT_EQ(out[zero], 0);
}

// ---- sums of products ----

struct PlainSums {
  double value = 0, abs_sum = 0, weighted[2] = {};
  float drift = 0, other = 0;
};
PlainSums plain_sums(const std::vector<double>& a, const Values& other, const std::vector<double>* weights,
                     const Values& b) {
  PlainSums s;
  RunningSum forward, backward, other_forward, other_backward;
  for (std::size_t q = 0; q < a.size(); ++q) {
    const std::size_t back = a.size() - 1 - q;
    s.value += a[q] * b[q], s.abs_sum += std::fabs(a[q] * b[q]);
    for (int w = 0; w < 2; ++w) s.weighted[w] += weights[w][q] * std::fabs(b[q]);
    forward.add(static_cast<float>(a[q]) * b[q]), backward.add(static_cast<float>(a[back]) * b[back]);
    other_forward.add(other[q] * b[q]), other_backward.add(other[back] * b[back]);
  }
  s.drift = std::max(forward.drift, backward.drift), s.other = std::max(other_forward.drift, other_backward.drift);
  return s;
}

TEST(ProductSums, EqualsOneElementAfterTheOther) {
  Rng rng(5);
  const auto draw = [&](int range) {
    const int exponent = static_cast<int>(rng.below(2 * range + 1)) - range;
    return static_cast<float>(std::ldexp(static_cast<double>(rng.below(1u << 24)) - (1 << 23), exponent - 23));
  };
  for (int round = 0; round < 60; ++round) {
    const std::size_t n = 1 + rng.below(20), k = 1 + rng.below(90);
    const int range = round % 4 == 3 ? 30 : static_cast<int>(round % 4);
    Values b(n * k), transposed(n * k), other(k);
    std::vector<double> a(k), weights[2] = {std::vector<double>(k), std::vector<double>(k)};
    for (std::size_t q = 0; q < k; ++q) {
      a[q] = draw(range) * (1 + 0x1p-30), other[q] = draw(range);
      for (auto& w : weights) w[q] = std::fabs(draw(range));
      for (std::size_t j = 0; j < n; ++j) transposed[j * k + q] = b[q * n + j] = draw(range);
    }
    ProductPanels panels;
    if (round % 2) panels.assign(b, n, k);
    else panels.assign_transposed(transposed, n, k);
    ProductSums sums;
    sums.run({.a = a, .drift = true, .other = other, .weights = {weights[0], weights[1]}}, panels, n);
    for (std::size_t j = 0; j < n; ++j) {
      Values column(k);
      for (std::size_t q = 0; q < k; ++q) column[q] = b[q * n + j];
      const PlainSums want = plain_sums(a, other, weights, column);
      EXPECT_EQ(sums.value[j], want.value);
      EXPECT_EQ(sums.abs_sum[j], want.abs_sum);
      EXPECT_EQ(sums.drift[j], want.drift) << "the very errors of fp32 sums, round " << round;
      EXPECT_EQ(sums.other_drift[j], want.other);
      for (int w = 0; w < 2; ++w) EXPECT_NEAR(sums.weighted[w][j], want.weighted[w], 1e-13 * want.weighted[w]);
    }
    for (std::size_t j = n; j < panels.stride(); ++j) EXPECT_EQ(sums.abs_sum[j], 0);
  }
}

TEST(ProductSums, GiveTheSameWithFewerOperandsAndTerms) {
  Values b(9 * 30);
  for (std::size_t x = 0; x < b.size(); ++x) b[x] = static_cast<float>(std::sin(static_cast<double>(x)));
  std::vector<double> a(20, 0.3), w(20, 0.5);
  ProductPanels panels;
  panels.assign(b, 9, 30);
  ProductSums all, some;
  all.run({.a = a, .drift = true, .weights = {w, w}}, panels, 9);
  for (const bool drift : {false, true})
    for (const int weights : {0, 1, 2}) {
      ProductRow row{.a = a, .drift = drift};
      for (int i = 0; i < weights; ++i) row.weights[i] = w;
      some.run(row, panels, 9);
      for (std::size_t j = 0; j < 9; ++j) {
        EXPECT_EQ(some.value[j], all.value[j]);
        EXPECT_EQ(some.abs_sum[j], all.abs_sum[j]);
        if (drift) EXPECT_EQ(some.drift[j], all.drift[j]);
        for (int i = 0; i < weights; ++i) EXPECT_EQ(some.weighted[i][j], all.weighted[i][j]);
      }
    }
}

}  // namespace
}  // namespace warpfuzz::test
