// The accept rule itself, and that the judge's fast path decides exactly as the rule does.
#include <gtest/gtest.h>

#include <cmath>

#include "numeric/hash.h"
#include "numeric/round.h"
#include "probe.h"

namespace warpfuzz::test {
namespace {

struct One {
  Reference ref;
  ToleranceRow row;
  One(double r, double e, int flags = 0) {
    ref.resize(1);
    ref.r[0] = r, ref.e[0] = e, ref.e_rig[0] = 2 * e, ref.flags[0] = static_cast<std::uint8_t>(flags);
  }
  bool takes(double y, DType t = f32, bool ftz = false, int tier = 0) const {
    return accepts(ref, 0, y, t, row, ftz, tier);
  }
  Interval interval(DType t, bool ftz = false, int tier = 0) const { return allowed(ref, 0, t, row, ftz, tier); }
};

TEST(Accept, RoundsBothEnds) {
  const One x(1 + 0x1p-12, 0);  // between two fp16 values, a tie
  EXPECT_EQ(x.interval(f16).lo, 1);
  EXPECT_TRUE(x.takes(1, f16));
  EXPECT_FALSE(x.takes(1 + 0x1p-10, f16));
  const One wide(1 + 0x1p-11, 0x1p-20);  // a tie widened to both sides
  EXPECT_TRUE(wide.takes(1, f16));
  EXPECT_TRUE(wide.takes(1 + 0x1p-10, f16));
  EXPECT_FALSE(wide.takes(1 + 0x1p-9, f16));
}
TEST(Accept, TiersAndTheFactorC) {
  One x(1, 0.25);
  EXPECT_FALSE(x.takes(1.4));
  EXPECT_TRUE(x.takes(1.4, f32, false, 1));
  EXPECT_FALSE(x.takes(1.6, f32, false, 1));
  x.row.c = 4;
  EXPECT_TRUE(x.takes(1.9));
}
TEST(Accept, OverflowComesOutOfTheRounding) {
  const One x(65519, 2);
  EXPECT_TRUE(x.takes(65504, f16));
  EXPECT_TRUE(x.takes(INFINITY, f16));
  EXPECT_FALSE(x.takes(-INFINITY, f16));
  EXPECT_FALSE(One(65000, 2).takes(INFINITY, f16));
  EXPECT_FALSE(One(70000, 2).takes(65504, f16));
  EXPECT_TRUE(One(70000, 2).takes(INFINITY, f16));
  EXPECT_FALSE(One(1e30, 1).takes(INFINITY));
}
TEST(Accept, InfiniteReferences) {
  EXPECT_TRUE(One(INFINITY, 0).takes(INFINITY));
  EXPECT_FALSE(One(INFINITY, 0).takes(-INFINITY));
  EXPECT_FALSE(One(INFINITY, 0).takes(std::numeric_limits<float>::max()));
  EXPECT_FALSE(One(INFINITY, 0).takes(NAN));
  EXPECT_TRUE(One(INFINITY, 0, kNanOk).takes(NAN));
  EXPECT_FALSE(One(INFINITY, INFINITY).takes(NAN)) << "an unbounded error is no licence for NaN";
}
TEST(Accept, OutputsMayBeFlushed) {
  const double r = 0x1p-130;
  EXPECT_FALSE(One(r, 0).takes(0));
  EXPECT_TRUE(One(r, 0).takes(0, f32, true));
  EXPECT_TRUE(One(r, 0).takes(-0.0, f32, true));
  EXPECT_TRUE(One(-r, 0).takes(0, f32, true));
  EXPECT_TRUE(One(r, 0).takes(0, bf16, true));
  EXPECT_TRUE(One(r, 0).takes(r, f32, true));
  EXPECT_FALSE(One(0x1p-126, 0).takes(0, f32, true)) << "normal numbers are not flushed";
  EXPECT_FALSE(One(0x1p-20, 0).takes(0, f16, true)) << "fp16 never is";
}
TEST(Accept, Flags) {
  EXPECT_TRUE(One(1, 0, kAny).takes(NAN));
  EXPECT_TRUE(One(1, 0, kAny).takes(-7));
  EXPECT_TRUE(One(0, 0, kNanRequired).takes(NAN));
  EXPECT_FALSE(One(0, 0, kNanRequired).takes(0));
  EXPECT_FALSE(One(1, 0.1).takes(NAN));
  EXPECT_TRUE(One(1, 0.1, kNanOk).takes(NAN));
  EXPECT_TRUE(One(1, 0.1, kNanOk).takes(1));
  EXPECT_FALSE(One(1, 0.1, kNanOk).takes(2));
  EXPECT_TRUE(One(1, 0.1, kZeroOk).takes(-0.0));
  EXPECT_FALSE(One(1, 0.1).takes(0));
  for (const double y : {double{INFINITY}, double{-INFINITY}, double{NAN}}) EXPECT_TRUE(One(0, 0, kNonFinite).takes(y));
  EXPECT_FALSE(One(0, 0, kNonFinite).takes(0));
}
TEST(Accept, CopiesAreBitEqual) {
  EXPECT_TRUE(One(-0.0, 0, kBitEqual).takes(-0.0));
  EXPECT_FALSE(One(-0.0, 0, kBitEqual).takes(0.0));
  EXPECT_TRUE(One(0x1p-130, 0, kBitEqual).takes(0x1p-130, f32, true));
  EXPECT_FALSE(One(0x1p-130, 0, kBitEqual).takes(0, f32, true)) << "a pure copy is not flushed";
  EXPECT_TRUE(One(1 + 0x1p-12, 0, kBitEqual).takes(1, f16));
  EXPECT_FALSE(One(1, 0, kBitEqual).takes(NAN));
  EXPECT_TRUE(One(NAN, 0, kBitEqual).takes(NAN)) << "the copy of a NaN";
  EXPECT_FALSE(One(NAN, 0, kBitEqual).takes(1));
  EXPECT_TRUE(One(0.0, 0).takes(-0.0)) << "elsewhere the sign of zero does not matter";
}
TEST(Accept, DirectedStoresAllowAStepMore) {
  One x(1 + 0x1p-12, 0);
  x.row.store = Store::toward_zero;
  EXPECT_TRUE(x.takes(1, f16));
  EXPECT_TRUE(x.takes(1 + 0x1p-10, f16));
  EXPECT_FALSE(x.takes(1 + 0x1p-9, f16));
  x.row.store = Store::nearest;
  EXPECT_FALSE(x.takes(1 + 0x1p-10, f16));
}
TEST(Accept, UnboundedErrorAcceptsEveryNumber) {
  const One x(1, INFINITY);
  for (const double y : {0.0, -1e30, double{INFINITY}}) EXPECT_TRUE(x.takes(y));
  EXPECT_FALSE(x.takes(NAN));
}

// ---- fast path == exact rule ----

struct Setting {
  DType t;
  bool ftz;
  Store store;
  double c;
};
class FastPath : public testing::TestWithParam<Setting> {};

double random_reference(Rng& rng, const DTypeInfo& t) {
  static constexpr double kEdges[] = {0, 1, 2, 0.5, 1024};
  const int e = t.emin - 26 + static_cast<int>(rng.below(static_cast<std::uint32_t>(2 - 2 * t.emin + 28)));
  double x = std::ldexp(1 + static_cast<double>(rng.next() >> 12) * 0x1p-52, e);
  switch (rng.below(12)) {
    case 0: x = kEdges[rng.below(5)]; break;
    case 1: x = std::ldexp(1.0, e); break;                                      // where the spacing changes
    case 2: x = t.max * (1 + static_cast<int>(rng.below(5)) * 0x1p-13); break;  // where Inf begins
    case 3: x = t.min_normal * (1 - 0x1p-12 * rng.below(3)); break;             // where subnormals begin
    case 4: x = t.min_subnormal * (rng.below(9) * 0.25); break;
    default: break;
  }
  return rng.chance(1, 2) ? -x : x;
}

TEST_P(FastPath, DecidesAsTheExactRule) {
  const Setting s = GetParam();
  const DTypeInfo& t = info(s.t);
  Rng rng(mix64(static_cast<std::uint64_t>(s.t) * 2 + s.ftz));
  constexpr std::uint32_t n = 32768;
  Probe p(1, n, s.t);
  p.problem.row.ftz = s.ftz;
  p.problem.row.store = s.store;
  p.problem.row.c = s.c;
  std::size_t accepted = 0;
  for (int round = 0; round < 25; ++round) {
    Values y(n);
    std::size_t wrong = 0, beyond = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      double r = random_reference(rng, t);
      const double step = ulp(s.t, r) * std::ldexp(1.0, -static_cast<int>(rng.below(6)));
      double e = step * rng.below(5);
      if (rng.chance(1, 50)) e = rng.chance(1, 2) ? INFINITY : 1e30;
      if (rng.chance(1, 200)) r = INFINITY;
      if (rng.chance(1, 4)) r = round_to(s.t, r) + 0.5 * ulp(s.t, r);  // a tie
      double out = round_to(s.t, r + e * (static_cast<int>(rng.below(5)) - 2) * 0.5);
      for (std::uint32_t k = rng.below(4); k > 1; --k) out = next_in(s.t, out, rng.chance(1, 2));
      if (rng.chance(1, 50)) out = rng.chance(1, 2) ? INFINITY : rng.chance(1, 2) ? NAN : -0.0;
      p.ref().r[i] = r, p.ref().e[i] = e, p.ref().e_rig[i] = e * (1 + rng.below(3));
      y[i] = static_cast<float>(out);
      const bool tight = accepts(p.ref(), i, out, s.t, p.problem.row, s.ftz, 0),
                 rigorous = accepts(p.ref(), i, out, s.t, p.problem.row, s.ftz, 1);
      ASSERT_TRUE(rigorous || !tight);
      wrong += !rigorous, beyond += !tight, accepted += tight;
    }
    const Verdict v = p.judge(y);
    ASSERT_EQ(v.wrong, wrong) << "round " << round;
    ASSERT_EQ(v.beyond_tight, beyond) << "round " << round;
    ASSERT_EQ(v.total, n);
  }
  EXPECT_GT(accepted, 25 * n / 4);
  EXPECT_LT(accepted, 25 * n * 19 / 20);
}
INSTANTIATE_TEST_SUITE_P(Settings, FastPath,
                         testing::ValuesIn(std::vector<Setting>{{f32, false, Store::nearest, 1},
                                                                {f32, true, Store::nearest, 1},
                                                                {f16, true, Store::nearest, 1},
                                                                {f16, false, Store::toward_zero, 1.5},
                                                                {bf16, false, Store::nearest, 1},
                                                                {bf16, true, Store::nearest, 2},
                                                                {bf16, true, Store::down, 1}}));

TEST(FastPathEdges, EveryFp16ValueAgainstItsNeighbours) {
  // All finite fp16 values y and references at each midpoint around them, exactly on it and a hair to either side.
  std::vector<double> values;
  for (std::uint32_t b = 0; b < 0x7c00; ++b) values.push_back(f16_value(static_cast<std::uint16_t>(b)));
  Probe p(1, 32768, f16);
  p.problem.row.ftz = false;
  for (const double shift : {-0x1p-30, 0.0, 0x1p-30}) {
    Values y(32768, 0);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < 32768; ++i) {
      const double v = values[i % values.size()], sign = i < values.size() ? 1 : -1, next = next_in(f16, v, true);
      const double middle = std::isinf(next) ? 65520 : 0.5 * (v + next);
      p.ref().r[i] = sign * middle * (1 + shift), p.ref().e[i] = p.ref().e_rig[i] = 0;
      y[i] = static_cast<float>(sign * v);
      wrong += !accepts(p.ref(), i, y[i], f16, p.problem.row, false, 0);
    }
    EXPECT_EQ(p.judge(y).wrong, wrong) << shift;
    if (shift < 0) EXPECT_EQ(wrong, 0u);
    if (shift > 0) EXPECT_EQ(wrong, 32768u);
  }
}

}  // namespace
}  // namespace warpfuzz::test
