// The composition rules: contained errors, golden values, and that they agree with the ops' own error rows.
#include "numeric/running_error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "numeric/hash.h"
#include "problem.h"

namespace warpfuzz::test {
namespace {

constexpr double u = 0x1p-24;

double uniform(Rng& rng, double lo, double hi) {
  return lo + (hi - lo) * static_cast<double>(rng.below(1u << 30)) * 0x1p-30;
}

TEST(RunningError, EveryRuleContainsTheFp32Result) {
  Rng rng(11);
  const RunningError exact{.flush = false};
  for (int i = 0; i < 20000; ++i) {
    const float a = static_cast<float>(uniform(rng, -8, 8)), b = static_cast<float>(uniform(rng, -8, 8)),
                c = static_cast<float>(uniform(rng, 0.1, 8));
    const Val x = exact.input(a), y = exact.input(b), z = exact.input(c);
    const auto holds = [](double got, const Val& v) { return std::fabs(got - v.v) <= v.e; };
    EXPECT_TRUE(holds(a + b, exact.add(x, y)));
    EXPECT_TRUE(holds((a - b) * c, exact.mul(exact.sub(x, y), z)));
    EXPECT_TRUE(holds((a * b) / c, exact.div(exact.mul(x, y), z)));
    EXPECT_TRUE(holds(std::exp(a * b * 0.1f), exact.exp(exact.mul(exact.mul(x, y), exact.input(0.1f)))));
    EXPECT_TRUE(holds(std::tanh(a + b), exact.tanh(exact.add(x, y))));
    EXPECT_TRUE(holds(1 / std::sqrt(c * c + 1), exact.rsqrt(exact.add(exact.mul(z, z), exact.input(1)))));
    EXPECT_TRUE(holds(std::log(c + 1), exact.log(exact.add(z, exact.input(1)))));
    EXPECT_TRUE(holds(std::erf(a), exact.erf(x)));
    EXPECT_TRUE(holds(std::erfc(a), exact.erfc(x)));
    EXPECT_TRUE(holds(std::sqrt(c), exact.sqrt(z)));
  }
}

TEST(RunningError, GoldenValues) {
  const RunningError m{.flush = true};
  const Val a{2, 0.25}, b{-3, 0.5};
  EXPECT_DOUBLE_EQ(RunningError::add(a, b).e, 0.75 + u);
  EXPECT_DOUBLE_EQ(m.mul(a, b).e, 2 * 0.5 + 3 * 0.25 + 0.125 + 6 * u + 0x1p-125);
  EXPECT_DOUBLE_EQ(m.div(a, b).e, (0.25 + 2.0 / 3 * 0.5) / 2.5 + 2.5 * u * 2 / 3 + 0x1p-125);
  EXPECT_DOUBLE_EQ(m.exp({1, 0.5}).e, std::exp(1.5) - std::exp(1.0) + 3 * u * std::exp(1.0) + 0x1p-125);
  EXPECT_DOUBLE_EQ(m.flushable_input(0x1p-130).e, 0x1p-130);
  EXPECT_EQ(m.flushable_input(0x1p-126).e, 0);
  EXPECT_EQ((RunningError{.flush = false}.flushable_input(0x1p-130).e), 0);
}

TEST(RunningError, NothingIsRequiredWhereADivisorMayBeZeroOrADomainIsLeft) {
  const RunningError m;
  EXPECT_TRUE(m.div({1, 0}, {0.5, 0.5}).any);
  EXPECT_FALSE(m.div({1, 0}, {0.5, 0.25}).any);
  EXPECT_TRUE(m.rsqrt({1, 1}).any);
  EXPECT_TRUE(m.log({0.1, 0.2}).any);
  EXPECT_TRUE(m.add(m.div({1, 0}, {0, 0}), {1, 0}).any) << "the mark travels on";
  EXPECT_TRUE((RunningError{.fast = true}.div({1, 0}, {0x1.8p126, 0}).zero_ok));
  EXPECT_FALSE((RunningError{.fast = false}.div({1, 0}, {0x1.8p126, 0}).zero_ok));
}

// Rows of oracle.md's table must stay within 4x of what the composition gives for the usual formulation, or the row is
// looser than it needs to be. (Where both are tiny against the other, eta decides; those are left out.)
TEST(RowsAgainstComposition, Gelu) {
  Rng rng(12);
  const RunningError m{.flush = true};
  for (const char* form : {"form=erf", "form=tanh"}) {
    Values x(4000);
    for (float& v : x) v = static_cast<float>(uniform(rng, -6, 6));
    Problem p(ops::gelu().dialect(form), {{"n", 4000}});
    p.set("x", x);
    const Reference ref = p.reference();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Val v = m.input(x[i]), half = m.mul(m.input(0.5), v);
      const Val cube = m.mul(m.mul(v, v), v);
      const Val inner =
          form == std::string("form=erf")
              ? m.erf(m.mul(v, {0.70710678118654752, 0.3 * u}))
              : m.tanh(m.mul({0.79788456080286536, 0.3 * u}, m.add(v, m.mul({0.044715, 0.05 * u}, cube))));
      const Val composed = m.mul(half, m.add(m.input(1), inner));
      EXPECT_LE(ref.e[i], 4 * composed.e) << form << " x=" << x[i];
    }
  }
}
TEST(RowsAgainstComposition, SoftmaxAndNorms) {
  Rng rng(13);
  const RunningError m{.flush = true};
  for (const std::uint32_t n : {2u, 7u, 33u, 129u}) {
    Values x(n);
    for (float& v : x) v = static_cast<float>(uniform(rng, -4, 4));
    const auto sum = [&](auto term) {
      Val s = term(0);
      for (std::size_t i = 1; i < n; ++i) s = RunningError::add(s, term(i));
      return s;
    };
    const auto in = [&](std::size_t i) { return m.input(x[i]); };

    Problem softmax(ops::softmax(), {{"rows", 1}, {"cols", n}});
    const Reference s = softmax.set("x", x).reference();
    // exp2 of a prescaled argument, as the row allows: every product and the difference round on the way.
    const Val max = m.input(*std::max_element(x.begin(), x.end())), log2e{1.4426950408889634, 0.7 * u};
    const auto t = [&](std::size_t i) {
      return m.monotone(
          m.sub(m.mul(in(i), log2e), m.mul(max, log2e)), [](double v) { return std::exp2(v); }, function_error::exp2);
    };
    const Val l = sum(t);
    for (std::size_t i = 0; i < n; ++i) EXPECT_LE(s.e[i], 4 * m.div(t(i), l).e) << "softmax n=" << n;

    const Val count = m.input(n), eps = m.input(1e-5f);
    Problem rms(ops::rmsnorm(), {{"rows", 1}, {"cols", n}});
    const Reference r = rms.set("x", x).reference();
    const Val rrms = m.rsqrt(m.add(m.div(sum([&](std::size_t i) { return m.mul(in(i), in(i)); }), count), eps));
    for (std::size_t i = 0; i < n; ++i) EXPECT_LE(r.e[i], 4 * m.mul(in(i), rrms).e) << "rmsnorm n=" << n;

    Problem norm(ops::layernorm(), {{"rows", 1}, {"cols", n}});
    const Reference y = norm.set("x", x).reference();
    const Val mean = m.div(sum(in), count);
    const auto d = [&](std::size_t i) { return m.sub(in(i), mean); };
    const Val rstd = m.rsqrt(m.add(m.div(sum([&](std::size_t i) { return m.mul(d(i), d(i)); }), count), eps));
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_LE(y.e[i], 4 * m.mul(d(i), rstd).e + 3 * u * (std::fabs(x[i]) + std::fabs(mean.v)) * rstd.v)
          << "layernorm n=" << n;
  }
}
// Terms of one sign: with cancellation the running error of one order may be small, while the row covers all of them.
TEST(RowsAgainstComposition, Matmul) {
  const RunningError m{.flush = true};
  for (const std::uint32_t k : {1u, 5u, 16u, 65u, 257u}) {
    Problem p(ops::matmul(), {{"M", 4}, {"N", 5}, {"K", k}});
    p.fill("a", Fill::normal, 3).fill("b", Fill::normal, 4);
    for (Values& v : p.in)
      for (float& x : v) x = std::fabs(x);
    const Reference ref = p.reference();
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 5; ++j) {
        Val s = m.input(0);
        for (std::size_t q = 0; q < k; ++q) s = m.add(s, m.mul(m.input(p["a"][i * k + q]), m.input(p["b"][q * 5 + j])));
        EXPECT_LE(ref.e[i * 5 + j], 4 * s.e + 0x1p-125 * k) << "K=" << k;
      }
  }
}

}  // namespace
}  // namespace warpfuzz::test
