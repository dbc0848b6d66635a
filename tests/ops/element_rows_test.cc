// Values and bounds of the elementwise ops and of l2norm: computed a second time in long double from docs/oracle.md,
// against the composition of running_error.h, and against what fp32 formulations reach.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "element_kernels.h"
#include "numeric/hash.h"
#include "numeric/round.h"
#include "numeric/running_error.h"

namespace warpfuzz::test {
namespace {

using Real = long double;
constexpr Real u = 0x1p-24L, kEta = 0x1p-125L;
const Values kPoints = {-87.5f, -20, -3, -1, -0.25f, -0x1p-12f, -0.0f, 0, 0x1p-20f, 0.5f, 2, 9, 30};

void expect_near(double got, Real want, const std::string& what) {
  EXPECT_NEAR(got, static_cast<double>(want), std::fabs(static_cast<double>(want)) * 1e-9) << what;
}

using Formula = std::function<Real(Real)>;
struct Row {
  const char* name;
  TargetSpec spec;
  Formula r, e;
};
void PrintTo(const Row& row, std::ostream* os) { *os << row.name; }

Real sigmoid(Real x) { return std::exp(x) / (1 + std::exp(x)); }
Real spread(Real x) { return std::exp(x) / ((1 + std::exp(x)) * (1 + std::exp(x))); }  // s * (1 - s)
Real tanh(Real x) { return std::expm1(2 * x) / (std::exp(2 * x) + 1); }
Formula positive(Formula below) {
  return [below](Real x) { return x > 0 ? x : below(x); };
}
Formula exact_above(Formula below) {
  return [below](Real x) { return x > 0 ? 0 : below(x); };
}

class GoldenElements : public testing::TestWithParam<Row> {};
TEST_P(GoldenElements, ValueAndBound) {
  Problem p(GetParam().spec, {{"n", static_cast<std::uint32_t>(kPoints.size())}});
  const Reference ref = p.set("x", kPoints).reference();
  for (std::size_t i = 0; i < kPoints.size(); ++i) {
    const std::string at = std::string(GetParam().name) + " at " + std::to_string(kPoints[i]);
    if (ref.flags[i] == kZeroOk) continue;  // of -0
    EXPECT_EQ(ref.flags[i], 0) << at;
    expect_near(ref.r[i], GetParam().r(kPoints[i]), at + ": r");
    expect_near(ref.e[i], GetParam().e(kPoints[i]), at + ": E");
    EXPECT_EQ(ref.e_rig[i], ref.e[i]) << at;
  }
}
INSTANTIATE_TEST_SUITE_P(
    Rows, GoldenElements,
    testing::ValuesIn(std::vector<Row>{
        {"silu", ops::silu(), [](Real x) { return x * sigmoid(x); },
         [](Real x) { return 4 * u * std::fabs(x) + kEta; }},
        {"silu_fast", ops::silu().dialect("fast"), [](Real x) { return x * sigmoid(x); },
         [](Real x) { return 4 * u * std::fabs(x) + 3 * u * x * x * spread(x) + kEta; }},
        {"silu_hardware_tanh", ops::silu().dialect("tanh.approx"), [](Real x) { return x * sigmoid(x); },
         [](Real x) { return u * std::fabs(x) * (4 + 93.5L * std::fabs(tanh(x / 2))) + kEta; }},
        {"sigmoid", ops::sigmoid(), sigmoid, [](Real x) { return 3 * u * (spread(x) + sigmoid(x)) + kEta; }},
        {"sigmoid_fast", ops::sigmoid().dialect("fast"), sigmoid,
         [](Real x) { return 3 * u * (spread(x) + sigmoid(x) + std::fabs(x) * spread(x)) + kEta; }},
        {"sigmoid_tanh", ops::sigmoid().dialect("via=tanh"), sigmoid, [](Real) { return 3 * u + kEta; }},
        {"sigmoid_hardware_tanh", ops::sigmoid().dialect("via=tanh").dialect("fast"), sigmoid,
         [](Real x) { return u * (3 + 93.5L * std::fabs(tanh(x / 2))) + kEta; }},
        {"tanh", ops::tanh(), tanh, [](Real x) { return 4 * u * std::fabs(tanh(x)) + kEta; }},
        {"tanh_hardware", ops::tanh().dialect("tanh.approx"), tanh,
         [](Real x) { return 187 * u * std::fabs(tanh(x)) + kEta; }},
        {"tanh_exp", ops::tanh().dialect("via=exp"), tanh, [](Real) { return 5 * u + kEta; }},
        {"tanh_fast_exp", ops::tanh().dialect("via=exp").dialect("fast"), tanh, [](Real) { return 7 * u + kEta; }},
        {"relu", ops::relu(), positive([](Real) { return 0; }), [](Real) { return 0; }},
        {"leaky_relu", ops::leaky_relu(), positive([](Real x) { return Real{0.01f} * x; }),
         [](Real x) { return x >= 0 ? 0 : 2 * u * 0.01f * -x + kEta; }},
        {"elu", ops::elu().scalar("alpha", {0.5}), positive([](Real x) { return std::expm1(x) / 2; }),
         exact_above([](Real x) { return (3 * u * std::exp(x) - 2 * u * std::expm1(x)) / 2 + kEta; })},
        {"elu_fast", ops::elu().dialect("fast"), positive([](Real x) { return std::expm1(x); }),
         exact_above([](Real x) { return (3 - 1.25L * x) * u * std::exp(x) - 2 * u * std::expm1(x) + kEta; })},
        {"elu_expm1", ops::elu().scalar("alpha", {2}).dialect("via=expm1"),
         positive([](Real x) { return 2 * std::expm1(x); }),
         exact_above([](Real x) { return -8 * u * std::expm1(x) + 3 * kEta; })},
    }),
    [](const auto& info) { return info.param.name; });

TEST(GoldenL2norm, EpsInItsThreePlaces) {
  const float x[] = {3e-4f, -4e-4f, 1.2e-3f};
  const Real eps = 1e-3f;
  const auto run = [&](const char* form) {
    Problem p(ops::l2norm().dialect(form), {{"rows", 1}, {"cols", 3}});
    return p.scalar("eps", 1e-3).set("x", {x[0], x[1], x[2]}).reference();
  };
  const auto check = [&](const Reference& ref, const char* form, const Formula& scale) {
    Real squares = 0;
    for (const float v : x) squares += Real{v} * v;
    const Real ev = 3 * u * squares + 3 * kEta + 3 * u * squares + 0x1p-126L;
    const Real exact = scale(squares), lo = scale(squares + ev), hi = scale(squares - ev);
    const Real error = std::max(hi - exact, exact - lo) + 4 * u * hi;
    for (int i = 0; i < 3; ++i) {
      const Real r = x[i] * exact, abs_x = std::fabs(x[i]);
      expect_near(ref.r[i], r, form);
      expect_near(ref.e[i], abs_x * error + 3 * u * std::fabs(r) + kEta * (2 + hi + abs_x), form);
    }
  };
  check(run("form=max"), "max", [&](Real q) { return 1 / std::max(std::sqrt(q), eps); });
  check(run("form=sqrt"), "sqrt", [&](Real q) { return 1 / std::sqrt(q + eps); });
  check(run("form=add"), "add", [&](Real q) { return 1 / (std::sqrt(q) + eps); });
}

// The row stays within 4x of what the composition gives for the usual formulation.
TEST(RowsAgainstComposition, Elementwise) {
  const RunningError m{.flush = true}, fast{.flush = true, .fast = true};
  const auto one = RunningError::input(1), half = RunningError::input(0.5);
  const auto add = [](Val a, Val b) { return RunningError::add(a, b); };
  const auto exp_of_minus = [&](const RunningError& a, Val x) { return a.exp(RunningError::neg(x)); };
  const auto half_tanh = [&](Val x) { return add(m.mul(half, m.tanh(m.mul(half, x))), half); };
  struct Composed {
    TargetSpec spec;
    std::function<Val(Val)> formula;
    double from;  // absolute forms: smaller |x| have less error than the row allows
  };
  const auto negative = [&](std::function<Val(Val)> below) {
    return [below](Val x) { return x.v > 0 ? x : below(x); };
  };
  const std::vector<Composed> rows = {
      {ops::silu(), [&](Val x) { return m.mul(x, half_tanh(x)); }, 0.5},
      {ops::sigmoid(), [&](Val x) { return m.div(one, add(one, exp_of_minus(m, x))); }, 0},
      {ops::sigmoid().dialect("fast"), [&](Val x) { return fast.div(one, add(one, exp_of_minus(fast, x))); }, 0},
      {ops::sigmoid().dialect("via=tanh"), half_tanh, 0.5},
      {ops::tanh(), [&](Val x) { return m.tanh(x); }, 0},
      {ops::tanh().dialect("via=exp"),
       [&](Val x) {  // each is accurate on one side
         const Val a = RunningError::sub(one, m.div({2, 0}, add(m.exp({2 * x.v, 0}), one)));
         const Val b = RunningError::sub(m.div({2, 0}, add(one, m.exp({-2 * x.v, 0}))), one);
         return a.e > b.e ? a : b;
       },
       0},
      {ops::leaky_relu(), negative([&](Val x) { return m.mul({0.01f, 0}, x); }), 0},
      {ops::elu(), negative([&](Val x) { return RunningError::sub(m.exp(x), one); }), 0},
      {ops::elu().dialect("via=expm1"),
       negative([&](Val x) { return m.monotone(x, [](double v) { return std::expm1(v); }, 3); }), 0},
      {ops::relu(), [](Val x) { return Val{std::max(x.v, 0.0), 0}; }, 0},
  };
  Rng rng(31);
  for (const Composed& row : rows) {
    Values x(3000);
    for (float& v : x) v = static_cast<float>(rng.below(1u << 24)) * 0x1p-20f - 8;
    Problem p(row.spec, {{"n", 3000}});
    const Reference ref = p.set("x", x).reference();
    for (std::size_t i = 0; i < x.size(); ++i)
      if (std::fabs(x[i]) >= row.from)
        ASSERT_LE(ref.e[i], 4 * row.formula(m.input(x[i])).e)
            << p.schema().op << ' ' << describe(row.spec.dialects()) << " x=" << x[i];
  }
}
TEST(RowsAgainstComposition, L2norm) {
  const RunningError m{.flush = true};
  Rng rng(32);
  for (const std::uint32_t n : {1u, 2u, 7u, 33u, 129u}) {
    Values x(n);
    for (float& v : x) v = static_cast<float>(rng.below(1u << 24)) * 0x1p-21f - 4;
    Val squares = m.mul(m.input(x[0]), m.input(x[0]));
    for (std::size_t i = 1; i < n; ++i) squares = RunningError::add(squares, m.mul(m.input(x[i]), m.input(x[i])));
    const Val eps = m.input(1e-12f);
    const std::pair<const char*, Val> forms[] = {{"form=max", m.sqrt(squares)},
                                                 {"form=sqrt", m.sqrt(RunningError::add(squares, eps))},
                                                 {"form=add", RunningError::add(m.sqrt(squares), eps)}};
    for (const auto& [form, divisor] : forms) {
      Problem p(ops::l2norm().dialect(form), {{"rows", 1}, {"cols", n}});
      const Reference ref = p.set("x", x).reference();
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_LE(ref.e[i], 4 * m.div(m.input(x[i]), divisor).e) << form << " n=" << n;
    }
  }
}

// What one formulation is off by, before the store, against E: every element inside, and the largest share of it.
double reached(const ElementKernel& k, const Problem& p, const Functions& f) {
  double most = 0;
  const Reference ref = p.reference();
  const Values y = run(k, p, f);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (ref.flags[i] != 0) continue;
    const float lo = static_cast<float>(ref.r[i] - ref.e[i]), hi = static_cast<float>(ref.r[i] + ref.e[i]);
    EXPECT_TRUE(y[i] >= lo && y[i] <= hi) << k.op << ' ' << k.name << " x=" << p["x"][i] << " got " << y[i]
                                          << " reference " << ref.r[i] << " E " << ref.e[i];
    if (std::isfinite(y[i]) && ref.e[i] > 0) most = std::max(most, std::fabs(y[i] - ref.r[i]) / ref.e[i]);
  }
  return most;
}

// Over floats of every sign and exponent, with functions as bad as CUDA's may be: the bound holds and is approached.
TEST(ElementRows, CoverEveryFormulationAndAreApproached) {
  Values x;
  Rng rng(33);
  for (std::uint32_t exponent = 0; exponent < 256; ++exponent)
    for (int i = 0; i < (exponent > 110 && exponent < 136 ? 400 : 8); ++i)
      for (const std::uint32_t sign : {0u, 1u})
        x.push_back(std::bit_cast<float>(sign << 31 | exponent << 23 | rng.below(1u << 23)));
  for (const ElementKernel& k : element_kernels()) {
    if (!k.correct) continue;
    Problem p(k.spec(), {{"n", static_cast<std::uint32_t>(x.size())}});
    p.set("x", x);
    reached(k, p, {});
    const double share = reached(k, p, {.worst = true});
    if (k.op != "relu") EXPECT_GT(share, 0.35) << k.op << ' ' << k.name;
  }
}
// All 65,536 values of fp16 and bf16. Their stores hide most errors below half a spacing; the values before do not.
TEST(ElementRows, HoldForEveryValueOf16Bits) {
  for (const DType t : {f16, bf16})
    for (const bool negative : {false, true}) {
      Values x(32768);
      for (std::uint32_t i = 0; i < 32768; ++i) {
        const auto bits = static_cast<std::uint16_t>(i | (negative ? 0x8000 : 0));
        x[i] = t == f16 ? f16_value(bits) : bf16_value(bits);
      }
      for (const ElementKernel& k : element_kernels()) {
        if (!k.correct) continue;
        TargetSpec spec = k.spec();
        Problem p(spec.mixed({mixed_dtype(t, f32)}), {{"n", 32768}}, t, f32);
        const double share = reached(k, p.set("x", x), {.worst = true});
        if (negative && k.op != "relu") EXPECT_GT(share, 0.3) << k.op << ' ' << k.name << ' ' << dtype_name(t);
      }
    }
}

}  // namespace
}  // namespace warpfuzz::test
