// Values and bounds of a few elements, computed here a second time by hand in long double from the formulas of
// docs/oracle.md, without the code under test.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "problem.h"

namespace warpfuzz::test {
namespace {

using Real = long double;
constexpr Real u = 0x1p-24L, kEta = 0x1p-125L;

void expect_near(double got, Real want, const char* what, std::size_t i) {
  EXPECT_NEAR(got, static_cast<double>(want), std::fabs(static_cast<double>(want)) * 1e-9)
      << what << " of element " << i;
}

TEST(Golden, SoftmaxOfThree) {
  // n <= 6: the sum's bound is n*u*S. Records forward 1, 2, 3: R = 3 + ceil(log2 3).
  const float x[] = {0.5f, 1.25f, 3};
  Problem p(ops::softmax(), {{"rows", 1}, {"cols", 3}});
  const Reference ref = p.set("x", {x[0], x[1], x[2]}).reference();
  Real t[3], rel[3], l = 0, weighted = 0;
  for (int i = 0; i < 3; ++i) {
    t[i] = std::exp(Real(x[i]) - 3);
    rel[i] = std::expm1(2.25L * u * (x[i] + 3) + 0x1p-125L) + 3 * u;
    l += t[i], weighted += t[i] * rel[i];
  }
  const Real rel_l = (weighted + 3 * u * l) / l + 4 * 5 * u;
  for (int i = 0; i < 3; ++i) {
    expect_near(ref.r[i], t[i] / l, "r", i);
    expect_near(ref.e[i], t[i] / l * (rel[i] + rel_l + 3 * u) * 1.2L + kEta, "E", i);
    EXPECT_EQ(ref.e_rig[i], ref.e[i]);
  }
}

TEST(Golden, SoftmaxKnownOnlyToLieInItsRange) {
  // 4u|x| = 59: rel is far above 1/4, the bound is max(p, 1-p) + u.
  Problem p(ops::softmax(), {{"rows", 1}, {"cols", 2}});
  const Reference ref = p.set("x", {2.4e8f, 2.4e8f}).reference();
  expect_near(ref.e[0], 0.5L + u + kEta, "E", 0);
}

TEST(Golden, RmsnormWithWeight) {
  const float x[] = {1, -2, 3.5f}, g[] = {0.5f, 2, -1};
  Problem p(ops::rmsnorm(), {{"rows", 1}, {"cols", 3}});
  const Reference ref = p.set("x", {x[0], x[1], x[2]}).set("gamma", {g[0], g[1], g[2]}).reference();
  const Real eps = 1e-5f, ms = (1 + 4 + 12.25L) / 3, ev = (3 * u * 17.25L + 3 * kEta) / 3 + 3 * u * ms + 0x1p-126L;
  const Real rstd = 1 / std::sqrt(ms + eps), lo = 1 / std::sqrt(ms + ev + eps), hi = 1 / std::sqrt(ms - ev + eps);
  const Real dr = std::max(hi - rstd, rstd - lo) + 4 * u * hi;
  for (int i = 0; i < 3; ++i) {
    const Real r = x[i] * rstd * g[i], ax = std::fabs(x[i]), ag = std::fabs(g[i]);
    expect_near(ref.r[i], r, "r", i);
    expect_near(ref.e[i], ax * ag * dr + 3 * u * std::fabs(r) + kEta * (1 + hi + ag + ax), "E", i);
  }
}

TEST(Golden, LayernormWithWeightAndOffset) {
  const float x[] = {1, 2, 6}, g[] = {2, 0.5f, 1}, b[] = {0, 1, -3};
  Problem p(ops::layernorm(), {{"rows", 1}, {"cols", 3}});
  const Reference ref = p.set("x", {1, 2, 6}).set("gamma", {2, 0.5f, 1}).set("beta", {0, 1, -3}).reference();
  // Running fp32 Welford of 1, 2, 6 is exact up to the last mean: 1.5 + 4.5f/3 = 3; M2 = 0, 0.5, 14.
  const Real eps = 1e-5f, mean = 3, var = 14.0L / 3, eta = 3 * 0x1p-126L;
  const Real em = (3 * u * 9 + 3 * kEta) / 3 + 2 * u * 3;
  const Real ev = (3 * u * 14 + 3 * kEta) / 3 + 5 * u * var + 1.01L * em * em + 0x1p-126L;
  const Real rstd = 1 / std::sqrt(var + eps), lo = 1 / std::sqrt(var + ev + eps), hi = 1 / std::sqrt(var - ev + eps);
  const Real dr = std::max(hi - rstd, rstd - lo) + 4 * u * hi;
  for (int i = 0; i < 3; ++i) {
    const Real d = std::fabs(x[i] - mean), ag = std::fabs(g[i]), ax = std::fabs(x[i]);
    const Real e0 =
        std::min((em + u * d + 0x1p-125L) * hi + d * dr, 2 * std::sqrt(3.0L) + 1) + 3 * u * (ax + mean) * hi;
    const Real e = ag * e0 * (1 + u) + u * (3 * d * rstd * ag + 2 * std::fabs(b[i])) + eta * (1 + hi + ag + ax + mean);
    expect_near(ref.r[i], (x[i] - mean) * rstd * g[i] + b[i], "r", i);
    expect_near(ref.e[i], e, "E", i);
  }
}

TEST(Golden, Gelu) {
  const float x[] = {-3, -0.5f, 0.25f, 4};
  const auto run = [&](const char* form, const char* dialect) {
    TargetSpec s = ops::gelu().dialect(form);
    if (dialect) s.dialect(dialect);
    Problem p(std::move(s), {{"n", 4}});
    return p.set("x", {x[0], x[1], x[2], x[3]}).reference();
  };
  const Reference erf = run("form=erf", nullptr), tanh = run("form=tanh", nullptr),
                  approx = run("form=tanh", "tanh.approx"), portable = run("form=tanh", "tanh.approx=portable"),
                  either = run("form=either", nullptr), no_tanh = run("form=erf", "tanh.approx=portable");
  for (int i = 0; i < 4; ++i) {
    const Real v = x[i], a = 0.5L * v * (1 + std::erf(v / std::sqrt(2.0L)));
    const Real b = 0.5L * v * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0L)) * (v + 0.044715L * v * v * v)));
    expect_near(erf.r[i], a, "r erf", i);
    expect_near(tanh.r[i], b, "r tanh", i);
    expect_near(erf.e[i], 4 * u * std::fabs(v) + kEta, "E erf", i);
    expect_near(approx.e[i], 76 * u * std::fabs(v) + kEta, "E approx", i);
    expect_near(portable.e[i], (4 * u + 0.53L / 2048) * std::fabs(v) + kEta, "E portable", i);
    expect_near(no_tanh.e[i], 4 * u * std::fabs(v) + kEta, "E erf, whatever tanh is", i);
    EXPECT_LE(either.r[i] - either.e[i], std::min(erf.r[i] - erf.e[i], tanh.r[i] - tanh.e[i]));
    EXPECT_GE(either.r[i] + either.e[i], std::max(erf.r[i] + erf.e[i], tanh.r[i] + tanh.e[i]));
  }
}

TEST(Golden, MatmulElement) {
  // K = 8: arms 8uS against (4 + sqrt 8)uS + 4D.
  Problem p(ops::matmul(), {{"M", 1}, {"N", 1}, {"K", 8}});
  const Reference ref =
      p.set("a", {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f}).set("b", {1, 1, 1, 1, 1, 1, 1, -1}).reference();
  Real v = 0, s = 0;
  float forward = 0, backward = 0;
  Real w = 0, wb = 0, drift = 0;
  for (int i = 0; i < 8; ++i) {
    const Real t = Real(p["a"][i]) * p["b"][i], tb = Real(p["a"][7 - i]) * p["b"][7 - i];
    v += t, s += std::fabs(t);
    forward += static_cast<float>(t), w += t, backward += static_cast<float>(tb), wb += tb;
    drift = std::max({drift, std::fabs(forward - w), std::fabs(backward - wb)});
  }
  expect_near(ref.r[0], v, "r", 0);
  expect_near(ref.e[0], std::min(8 * u * s, (4 + std::sqrt(8.0L)) * u * s + 4 * drift) + 8 * kEta, "E", 0);
  expect_near(ref.e_rig[0], 8 * u * s + 8 * kEta, "E_rig", 0);
}

TEST(Golden, MatmulDialects) {
  const auto e_of = [](std::initializer_list<const char*> dialects, DType in, DType out) {
    TargetSpec s = all_dtypes(ops::matmul());
    for (const char* d : dialects) s.dialect(d);
    Problem p(std::move(s), {{"M", 1}, {"N", 1}, {"K", 2}}, in, out);
    return p.set("a", {1, 0x1p-13f}).set("b", {3, 0x1p-13f}).reference().e[0];  // too wide a range to be exact
  };
  const Real s = 3 + 0x1p-26L, plain = 2 * u * s;
  expect_near(e_of({}, f32, f32), plain + 2 * kEta, "plain", 0);
  expect_near(e_of({}, f16, f32), plain + 2 * kEta, "mixed", 0);
  expect_near(e_of({"rpr"}, f16, f16), plain + 1.05L * 0x1p-11L * s + 2 * 0x1p-25L + 2 * kEta, "rpr", 0);
  expect_near(e_of({"acc=16"}, bf16, bf16), 2 * 0x1p-8L * s, "acc16", 0);
  // Tensor cores: min((1.13*2 + 4.5)uS, (4 + sqrt 2)uS + 4D), the second product is cut off: D = 2^-26; tf32 rounds both operands on top.
  const Real cores = (4 + std::sqrt(2.0L)) * u * s + 4 * 0x1p-26L;
  expect_near(e_of({"tf32"}, f32, f32), cores + (2 * 0x1p-11L + 0x1p-22L) * s, "tf32", 0);
  expect_near(e_of({"tf32=truncated"}, f32, f32), cores + (2 * 0x1p-10L + 0x1p-20L) * s, "tf32=truncated", 0);
}

TEST(Golden, FlushableOperandsCountInFull) {
  const auto e_of = [](bool flush, DType t) {
    TargetSpec s = all_dtypes(ops::matmul());
    if (!flush) s.dialect("ftz=never");
    Problem p(std::move(s), {{"M", 1}, {"N", 2}, {"K", 1}}, t, t);
    return p.set("a", {0x1p-127f}).set("b", {0x1p60f, 0}).reference().e[0];
  };
  expect_near(e_of(true, f32), 0x1p-67L + u * 0x1p-67L, "flushed", 0);
  expect_near(e_of(false, f32), u * 0x1p-67L, "kept", 0);
}

}  // namespace
}  // namespace warpfuzz::test
