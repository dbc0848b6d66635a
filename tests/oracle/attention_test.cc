// Attention: a second formulation, bugs that must be found, correct kernels that were once called wrong.
#include <gtest/gtest.h>

#include <cmath>

#include "emulate.h"
#include "numeric/hash.h"

namespace warpfuzz::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
using Shape = std::map<std::string, std::uint32_t>;
Shape shape(std::uint32_t b, std::uint32_t m, std::uint32_t n, std::uint32_t d) {
  return {{"B", b}, {"M", m}, {"N", n}, {"D", d}};
}
Problem problem(TargetSpec s, Shape dims, DType in = f32, DType out = f32, bool causal = false) {
  Problem p(all_dtypes(std::move(s)), std::move(dims), in, out);
  p.test_case.flags = causal;
  p.fill("q", Fill::normal, 1).fill("k", Fill::normal, 2).fill("v", Fill::normal, 3);
  return p;
}
void expect_clean(const Problem& p, const Values& y, const char* what) {
  const Verdict v = judge_values(p, y);
  EXPECT_EQ(v.fault, FaultClass::none) << what << ": " << name_of(v.kind) << " at " << v.worst.element << ": got "
                                       << v.worst.got << ", allowed [" << v.worst.lo << ", " << v.worst.hi << "]";
  EXPECT_FALSE(v.suspect) << what << ": " << v.max_ratio;
}
constexpr Attention kForms[] = {Attention::three_pass,     Attention::normalised_first, Attention::scale_first,
                                Attention::exp2_prescaled, Attention::exp2_fma,         Attention::online,
                                Attention::flash,          Attention::split_keys};

// ---- the value ----

TEST(AttentionReference, EqualsASecondFormulation) {
  // Weights without subtracting a maximum, in long double, the mask as a condition on the pair.
  Rng rng(31);
  for (int round = 0; round < 40; ++round) {
    const std::uint32_t b = 1 + rng.below(3), m = 1 + rng.below(9), n = 1 + rng.below(40), d = 1 + rng.below(20);
    const bool causal = rng.chance(1, 2);
    Problem p = problem(ops::attention(), shape(b, m, n, d), f32, f32, causal);
    p.fill("q", Fill::normal, round).fill("k", Fill::uniform, round).fill("v", Fill::outlier, round);
    const Reference ref = p.reference();
    for (std::uint32_t h = 0; h < b; ++h)
      for (std::uint32_t i = 0; i < m; ++i)
        for (std::uint32_t e = 0; e < d; ++e) {
          long double top = 0, bottom = 0;
          for (std::uint32_t j = 0; j < n; ++j) {
            if (causal && j > i) continue;
            long double dot = 0;
            for (std::uint32_t c = 0; c < d; ++c)
              dot += static_cast<long double>(p["q"][(h * m + i) * d + c]) * p["k"][(h * n + j) * d + c];
            const long double w = std::exp(dot / std::sqrt(static_cast<long double>(d)));
            bottom += w, top += w * p["v"][(h * n + j) * d + e];
          }
          const std::size_t at = (std::size_t{h} * m + i) * d + e;
          const auto want = static_cast<double>(top / bottom);
          ASSERT_NEAR(ref.r[at], want, 1e-11 * (1 + std::fabs(want))) << "element " << at << " causal " << causal;
          ASSERT_EQ(ref.flags[at], 0);
        }
  }
}

TEST(AttentionReference, BoundOfOneKeyByHand) {
  // One key: its weight is 1. R = 1 record, no merging; the hull is a point; D = 0.
  Problem p(ops::attention().dialect("ftz=never"), shape(1, 1, 1, 2));
  const Reference ref = p.set("q", {3, 1}).set("k", {2, -1}).set("v", {5, -0.25f}).reference();
  const double u = 0x1p-24;
  for (std::size_t e = 0; e < 2; ++e) {
    const double v = e == 0 ? 5 : 0.25;
    EXPECT_EQ(ref.r[e], e == 0 ? 5 : -0.25);
    EXPECT_NEAR(ref.e[e], (1 + 4 + 4) * u * v, 1e-4 * u * v) << "accumulation, division, rescaling";
    EXPECT_EQ(ref.e_rig[e], ref.e[e]);
  }
}

TEST(AttentionReference, BoundOfTwoKeysByHand) {
  // D = 1: E_sum of a score is u*S. Scores 1 and 2, t = 1/e and 1.
  Problem p(ops::attention().dialect("ftz=never"), shape(1, 1, 2, 1));
  const Reference ref = p.set("q", {1}).set("k", {1, 2}).set("v", {-3, 4}).reference();
  const double u = 0x1p-24, s[] = {1, 2}, t[] = {std::exp(-1.0), 1}, v[] = {-3, 4}, l = t[0] + t[1];
  double rel[2], weighted = 0, through_weights = 0, s_v = 0;
  for (int j = 0; j < 2; ++j) {
    const double es = u * s[j] + 3 * u * s[j] + 2 * u * s[j];
    rel[j] = std::expm1(es + 2.25 * u * (s[j] + 2)) + 3 * u;
    weighted += t[j] * rel[j];
    through_weights += t[j] / l * std::fabs(v[j]) * rel[j];
    s_v += t[j] / l * std::fabs(v[j]);
  }
  const double rescaling = 4 * u * (2 + 1);  // forward the maximum moves twice; one level of merging
  const double rel_l = (weighted + 2 * u * l) / l + rescaling;
  const double e = through_weights + 1.2 * s_v * rel_l + 2 * u * s_v + rescaling * s_v + 4 * u * s_v;
  EXPECT_NEAR(ref.r[0], (t[0] * v[0] + t[1] * v[1]) / l, 1e-15);
  EXPECT_NEAR(ref.e[0], e, 1e-6 * e);
}

TEST(AttentionReference, CausalRowsSeeKeysUpToTheirOwnNumberWhateverTheShape) {
  for (const auto& [m, n] : {std::pair{4u, 4u}, {2u, 5u}, {5u, 2u}}) {
    const Problem p = problem(ops::attention(), shape(1, m, n, 3), f32, f32, true);
    const Reference all = p.reference();
    for (std::uint32_t i = 0; i < m; ++i) {
      const std::uint32_t keys = std::min(i + 1, n);
      Problem one = problem(ops::attention(), shape(1, 1, keys, 3));
      const auto part = [&](const char* name, std::uint32_t first, std::uint32_t count) {
        return Values(p[name].begin() + first * 3, p[name].begin() + (first + count) * 3);
      };
      one.set("q", part("q", i, 1)).set("k", part("k", 0, keys)).set("v", part("v", 0, keys));
      const Reference row = one.reference();
      for (std::uint32_t e = 0; e < 3; ++e) {
        EXPECT_DOUBLE_EQ(all.r[i * 3 + e], row.r[e]) << m << "x" << n << " row " << i;
        EXPECT_DOUBLE_EQ(all.e[i * 3 + e], row.e[e]) << m << "x" << n << " row " << i;
      }
    }
  }
}

// ---- correct kernels ----

TEST(AttentionFalseAlarms, WeightsThatBecomeSubnormalIn16Bits) {
  // P of the far keys is 2^-20 of the largest: a subnormal of fp16, which keeps five bits of it, beside large values.
  for (const DType t : {f16, bf16}) {
    Problem p(all_dtypes(ops::attention()).dialect("p_cast"), shape(1, 1, 33, 1), t, f32);
    Values k(33, -13.9f), v(33, 6e4f);
    k[0] = 0, v[0] = 1;
    p.set("q", {1}).set("k", k).set("v", v);
    expect_clean(p, attention(p, Attention::p_cast), "16-bit P");
    Problem undeclared(all_dtypes(ops::attention()), shape(1, 1, 33, 1), t, f32);
    undeclared.in = p.in;
    EXPECT_EQ(judge_values(undeclared, attention(undeclared, Attention::p_cast)).fault, FaultClass::value);
  }
}

TEST(AttentionFalseAlarms, ScoresThatCancelToZero) {
  // q.k is exactly 0, its fp32 value is not: the terms are 1e3 and their order decides.
  Problem p(ops::attention(), shape(1, 2, 16, 64));
  Rng rng(41);
  Values q(2 * 64), k(16 * 64), v(16 * 64);
  for (std::size_t e = 0; e < q.size(); ++e) q[e] = static_cast<float>(rng.below(2000)) / 7;
  for (std::size_t e = 0; e < k.size(); e += 2) {
    const float x = static_cast<float>(rng.below(2000)) / 3;
    k[e] = x, k[e + 1] = -x;
  }
  for (std::size_t e = 0; e < q.size(); e += 2) q[e + 1] = q[e];
  for (float& x : v) x = static_cast<float>(rng.below(200)) - 100;
  p.set("q", q).set("k", k).set("v", v);
  const Reference ref = p.reference();
  for (const double r : ref.r) EXPECT_LT(std::fabs(r), 100);
  for (const Attention form : kForms)
    for (const Order& order : common_orders()) expect_clean(p, attention(p, form, order), "cancelling scores");
}

TEST(AttentionFalseAlarms, ConstantValues) {
  // The result is the constant, whatever the weights: only the roundings of the sum and the division are left.
  for (const float c : {1.0f, -0.1f, 3e4f})
    for (const std::uint32_t n : {2u, 33u, 1025u}) {
      Problem p(ops::attention(), shape(1, 1, n, 4));
      p.fill("q", Fill::normal, 5).fill("k", Fill::normal, 6, 1).set("v", Values(n * 4, c));
      const Reference ref = p.reference();
      EXPECT_NEAR(ref.r[0], c, 1e-12 * std::fabs(c));
      EXPECT_LT(ref.e[0], 1e-4 * std::fabs(c)) << "no share of the scores";
      for (const Attention form : kForms) expect_clean(p, attention(p, form), "constant values");
    }
}

TEST(AttentionFalseAlarms, MaskedValuesMayComeThroughUnlessSelectIsDeclared) {
  for (const bool select : {false, true}) {
    TargetSpec s = ops::attention();
    if (select) s.dialect("mask=select");
    Problem p = problem(std::move(s), shape(1, 3, 4, 2), f32, f32, true);
    Values k = p["k"], v = p["v"];
    k[3 * 2] = kInf, v[3 * 2 + 1] = kNan;  // key 3 is seen by no row
    p.set("k", k).set("v", v);
    expect_clean(p, attention(p, Attention::flash), "selects");
    EXPECT_EQ(judge_values(p, attention(p, Attention::additive_mask)).fault,
              select ? FaultClass::special : FaultClass::none);
  }
}

// ---- special values ----

TEST(AttentionSpecialValues, Rules) {
  constexpr float kMax = std::numeric_limits<float>::max();
  struct Case {
    const char* what;
    Values q, k, v;
    int flags;
    Reason reason;
  };
  const Case cases[] = {
      {"NaN in q", {kNan, 1}, {1, 2, 3, 4}, {1, 2, 3, 4}, kNanRequired, Reason::none},
      {"NaN in k", {1, 1}, {1, 2, 3, kNan}, {1, 2, 3, 4}, kNanRequired, Reason::none},
      {"NaN in v", {1, 1}, {1, 2, 3, 4}, {kNan, 2, 3, 4}, kNanRequired, Reason::none},
      {"NaN in v of a weight that underflows", {100, 1}, {90, 2, 1, 4}, {1, 2, kNan, 4}, kNanRequired, Reason::none},
      {"0 * Inf in a score", {0, 1}, {kInf, 2, 3, 4}, {1, 2, 3, 4}, kNanRequired, Reason::none},
      {"a score of +Inf", {1, 1}, {kInf, 2, 3, 4}, {1, 2, 3, 4}, kNanRequired, Reason::none},
      {"a score of -Inf counts as masked", {1, 1}, {-kInf, 2, 3, 4}, {9, 9, 3, 4}, kNanOk, Reason::none},
      {"only -Inf", {-kInf, 1}, {1, 2, 3, 4}, {1, 2, 3, 4}, kNanOk | kZeroOk, Reason::none},
      {"Inf in v", {1, 1}, {1, 2, 3, 4}, {kInf, 2, 3, 4}, kNanOk, Reason::none},
      {"Inf of both signs in v", {1, 1}, {1, 2, 3, 4}, {kInf, 2, -kInf, 4}, kNanRequired, Reason::none},
      {"a score may overflow", {kMax, 1}, {1, 2, 3, 4}, {1, 2, 3, 4}, kAny, Reason::overflow},
      {"scores beyond exp2's range", {3e8f, 1}, {2, 2, 3, 4}, {1, 2, 3, 4}, kAny, Reason::ill_conditioned},
      {"the values may overflow", {1, 1}, {1, 2, 3, 4}, {kMax, 2, kMax, 4}, kAny, Reason::overflow},
      {"NaN beats a huge score", {3e8f, kNan}, {2, 2, 3, 4}, {1, 2, 3, 4}, kNanRequired, Reason::none},
      {"ordinary", {1, 1}, {1, 2, 3, 4}, {1, 2, 3, 4}, 0, Reason::none},
  };
  for (const Case& c : cases) {
    Problem p(ops::attention(), shape(1, 1, 2, 2));
    const Reference ref = p.set("q", c.q).set("k", c.k).set("v", c.v).reference();
    EXPECT_EQ(ref.flags[0], c.flags) << c.what;
    EXPECT_EQ(ref.reason[0], c.reason) << c.what;
  }
  Problem masked(ops::attention(), shape(1, 1, 2, 2));
  EXPECT_EQ(masked.set("k", {-kInf, 2, 3, 4}).set("v", {9, 9, 3, 4}).reference().r[0], 3);
  Problem infinite(ops::attention(), shape(1, 1, 2, 2));
  EXPECT_EQ(infinite.set("v", {1, 2, -kInf, 4}).reference().r[0], -kInf);
}

TEST(AttentionSpecialValues, OnlyItsOwnRowHeadAndColumn) {
  Problem p = problem(ops::attention(), shape(2, 2, 3, 2));
  Values q = p["q"], v = p["v"];
  q[2] = kNan;      // head 0, row 1
  v[6 + 1] = kNan;  // head 1, column 1
  const Reference ref = p.set("q", q).set("v", v).reference();
  const int want[] = {0, 0, kNanRequired, kNanRequired, 0, kNanRequired, 0, kNanRequired};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(ref.flags[i], want[i]) << i;
}

// ---- bugs ----

class AttentionBugs : public testing::TestWithParam<DTypeCombo> {};

TEST_P(AttentionBugs, AreFound) {
  const auto [name, in, out] = GetParam();
  for (const bool causal : {false, true}) {
    const Problem p = problem(ops::attention(), shape(1, 40, 70, 16), in, out, causal);
    const auto fault = [&](Attention form) { return judge_values(p, attention(p, form)).fault; };
    EXPECT_EQ(fault(Attention::three_pass), FaultClass::none);
    EXPECT_EQ(fault(Attention::no_scale), FaultClass::value);
    EXPECT_EQ(fault(Attention::inverse_d), FaultClass::value);
    EXPECT_EQ(fault(Attention::no_rescale), FaultClass::value);
    EXPECT_EQ(fault(Attention::sees_next), causal ? FaultClass::value : FaultClass::none);
    EXPECT_EQ(fault(Attention::p_cast), FaultClass::value);
    if (in != f32) EXPECT_EQ(fault(Attention::s_cast), FaultClass::value);
  }
}
TEST_P(AttentionBugs, DoNotShowWhereTheyCannot) {
  const auto [name, in, out] = GetParam();
  const Problem one_key = problem(ops::attention(), shape(2, 3, 1, 16), in, out);
  expect_clean(one_key, attention(one_key, Attention::no_scale), "one key");
  expect_clean(one_key, attention(one_key, Attention::p_cast), "one key");
  const Problem one_tile = problem(ops::attention(), shape(2, 3, 32, 16), in, out);
  expect_clean(one_tile, attention(one_tile, Attention::no_rescale), "one tile");
}
INSTANTIATE_TEST_SUITE_P(DTypes, AttentionBugs,
                         testing::Values(same_dtype(f32), same_dtype(f16), same_dtype(bf16), mixed_dtype(f16, f32),
                                         mixed_dtype(bf16, f32)),
                         [](const auto& info) {
                           return std::string(dtype_name(info.param.in)) + "_" +
                                  std::string(dtype_name(info.param.out));
                         });

}  // namespace
}  // namespace warpfuzz::test
