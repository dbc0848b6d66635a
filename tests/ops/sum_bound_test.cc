// The sum bound against sums as kernels form them, and the tensor-core model against values computed by hand.
#include "numeric/sum_bound.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <vector>

#include "numeric/hash.h"

namespace warpfuzz {
namespace {

using Terms = std::vector<double>;

const SumModel kPlain = sum_model(ToleranceRow{}, false);

SumBound bound_of(const Terms& t, const SumModel& m = kPlain) {
  return sum_bound(t.size(), [&](std::size_t i) { return t[i]; }, m);
}
float sum_in_order(const Terms& t, const std::vector<std::size_t>& order) {
  float s = 0;
  for (const std::size_t i : order) s += static_cast<float>(t[i]);
  return s;
}
float sum_in_lanes(const Terms& t, std::size_t lanes) {
  std::vector<float> part(lanes);
  for (std::size_t i = 0; i < t.size(); ++i) part[i % lanes] += static_cast<float>(t[i]);
  float s = 0;
  for (const float p : part) s += p;
  return s;
}
double draw(Rng& rng, int kind, std::size_t i) {
  const double unit = static_cast<double>(rng.below(1u << 24)) / (1 << 24);
  switch (kind) {
    case 0: return unit * 2 - 1;
    case 1: return 0.1f;
    case 2: return 0.001f * static_cast<float>(i);
    case 3: return (i & 1) ? -1.1f : 1.1f;
    case 4: return static_cast<float>(std::ldexp(unit - 0.5, static_cast<int>(rng.below(60)) - 30));
    default: return static_cast<float>(100 + unit);
  }
}

TEST(SumBound, RigorousArmHoldsForEveryOrder) {
  Rng rng(1);
  for (int round = 0; round < 400; ++round) {
    const std::size_t n = 1 + rng.below(700);
    Terms t(n);
    for (std::size_t i = 0; i < n; ++i) t[i] = static_cast<float>(draw(rng, round % 6, i));
    const SumBound b = bound_of(t);
    EXPECT_GE(b.rigorous, b.tight);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    for (int k = 0; k < 4; ++k) {
      EXPECT_LE(std::fabs(sum_in_order(t, order) - b.value), b.rigorous) << "n=" << n << " kind=" << round % 6;
      for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[rng.below(static_cast<std::uint32_t>(i))]);
    }
  }
}

TEST(SumBound, TightArmHoldsForSequentialManyLaneAndReverseSums) {
  Rng rng(2);
  for (int round = 0; round < 600; ++round) {
    const std::size_t n = 1 + rng.below(3000);
    Terms t(n);
    for (std::size_t i = 0; i < n; ++i) t[i] = static_cast<float>(draw(rng, round % 6, i));
    const SumBound b = bound_of(t);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    EXPECT_LE(std::fabs(sum_in_order(t, order) - b.value), b.tight);
    EXPECT_LE(std::fabs(sum_in_order(t, {order.rbegin(), order.rend()}) - b.value), b.tight);
    for (const std::size_t lanes : {32, 256})
      EXPECT_LE(std::fabs(sum_in_lanes(t, lanes) - b.value), b.tight) << n << " " << lanes;
  }
}

TEST(SumBound, DriftOfASequentialSumOfConstantsIsSeen) {
  const Terms t(4096, 0.1f);
  const SumBound b = bound_of(t);
  EXPECT_GT(b.drift, 30 * kPlain.u * b.abs_sum);
  SumModel blind = kPlain;
  blind.kap = 0;  // without D the statistical arm would reject this sum
  const double error = std::fabs(sum_in_lanes(t, 1) - b.value);
  EXPECT_GT(error, (blind.c0 + std::sqrt(4096.0)) * blind.u * b.abs_sum * 0.4);
  EXPECT_LE(error, b.tight);
}

TEST(SumBound, DriftIsTakenInBothDirections) {
  Terms t(2000, 0.1f);  // beside a large term every constant rounds the same way
  for (const bool first : {true, false}) {
    (first ? t.front() : t.back()) = 1e4;
    const SumBound b = bound_of(t);
    EXPECT_GT(b.drift, 0.5) << first;
    (first ? t.front() : t.back()) = 0.1f;
  }
}

TEST(SumBound, SmallSumsUseTheRigorousArmAndItsExactValue) {
  const SumBound b = bound_of({1, 2, 3});
  EXPECT_EQ(b.value, 6);
  EXPECT_EQ(b.abs_sum, 6);
  EXPECT_EQ(b.tight, 3 * 0x1p-24 * 6 + 3 * 0x1p-149);
  EXPECT_EQ(b.rigorous, b.tight);
}

TEST(SumBound, FlushingRaisesTheFloor) {
  EXPECT_EQ(bound_of({0, 0}, sum_model(ToleranceRow{}, true)).tight, 2 * 0x1p-125);
  EXPECT_EQ(bound_of({0, 0}, kPlain).tight, 2 * 0x1p-149);
}

TEST(SumBound, NothingIsRequiredNearOverflow) {
  EXPECT_FALSE(bound_of({0.44 * kFloatMax, 0.45 * kFloatMax}).overflow);
  EXPECT_TRUE(bound_of({0.5 * kFloatMax, -0.5 * kFloatMax}).overflow);
  const SumModel half = sum_model(ToleranceRow{}, true, DType::f16);
  EXPECT_TRUE(bound_of({40000, 30000}, half).overflow);
  EXPECT_FALSE(bound_of({30000, 20000}, half).overflow);
}

TEST(SumBound, SixteenBitAccumulatorHasItsOwnUnits) {
  Rng rng(3);
  const SumModel m = sum_model(ToleranceRow{}, true, DType::f16);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 1 + rng.below(300);
    Terms t(n);
    for (std::size_t i = 0; i < n; ++i) t[i] = round_to(DType::f16, draw(rng, round % 2, i));
    const SumBound b = bound_of(t, m);
    double s = 0;
    for (const double x : t) s = round_to(DType::f16, s + x);
    EXPECT_LE(std::fabs(s - b.value), b.tight);
    EXPECT_GE(b.rigorous, b.tight);
  }
  const Terms ones(100, 1);
  EXPECT_EQ(bound_of(ones, m).rigorous, 100 * 0x1p-11 * 100 + 100 * 0x1p-25);
}

TEST(SumBound, OverflowingRunningSumLeavesTheRigorousArm) {
  Terms t(100, 0.001 * kFloatMax);
  for (std::size_t i = 0; i < 100; i += 2) t[i] = -t[i];
  const SumBound b = bound_of(t);
  EXPECT_TRUE(std::isfinite(b.tight));
  EXPECT_LE(b.tight, b.rigorous);
}

// ---- tensor cores ----

SumBound tensor_core(const Terms& a, const Terms& b, DType t, bool tf32 = false) {
  const SumBound plain = sum_bound(a.size(), [&](std::size_t i) { return a[i] * b[i]; }, kPlain);
  return tensor_core_bound(
      a.size(), [&](std::size_t i) { return a[i]; }, [&](std::size_t i) { return b[i]; }, tensor_core_format(t, tf32),
      kPlain, plain);
}

TEST(TensorCore, BlockTruncatesToTheLargestExponent) {
  // 1 and 2^-25: aligned to exponent 0, 2^-25 is the last place that is kept, and the sum is cut to 24 bits.
  detail::AlignedProduct p[3] = {{1, 0}, {0x1p-25, -25}, {0x1p-26, -26}};
  EXPECT_EQ(detail::tensor_core_block(p, 3, 0), 1);
  p[1] = {0x1.8p-23, -23};
  EXPECT_EQ(detail::tensor_core_block(p, 2, 0), 1 + 0x1p-23);
  p[1] = {-0x1p-25, -25};
  EXPECT_EQ(detail::tensor_core_block(p, 2, 0), 1 - 0x1p-24);  // truncated toward zero
  EXPECT_EQ(detail::tensor_core_block(p, 2, 3), 4);            // 2^-25 is below the last place beside 3
  p[1] = {-0x1p-24, -24};
  EXPECT_EQ(detail::tensor_core_block(p, 2, 3), 4 - 0x1p-22);
}

TEST(TensorCore, AlignmentUsesTheSumOfOperandExponents) {
  // 1.5 * 1.5 = 2.25 has exponent 1, but counts with 0: a term of 2^-25 beside it is kept.
  const detail::AlignedProduct p[2] = {{2.25, 0}, {0x1p-25, -25}};
  EXPECT_EQ(detail::tensor_core_block(p, 2, 0), 2.25);
  const detail::AlignedProduct cancel[3] = {{2.25, 0}, {-2.25, 0}, {0x1p-25, -25}};
  EXPECT_EQ(detail::tensor_core_block(cancel, 3, 0), 0x1p-25);
}

TEST(TensorCore, OneSubnormalOperandCountsWithTheSmallestExponent) {
  // 1000 * 2^-24 counts as 1000 * 2^-14: its neighbours of 2^-31 are cut away, which a plain sum would keep.
  Terms a(16, 0x1p-14), b(16, 0x1p-17);
  a[0] = 0x1p-24, b[0] = 1000;
  const SumBound plain = sum_bound(
                     16, [&](std::size_t i) { return a[i] * b[i]; }, kPlain),
                 tc = tensor_core(a, b, DType::f16);
  EXPECT_GT(tc.tight, 5 * plain.tight);
  EXPECT_GE(tc.rigorous, tc.tight);
}

TEST(TensorCore, BoundHoldsForTheHardwareModel) {
  Rng rng(5);
  for (int round = 0; round < 300; ++round) {
    const DType t = round % 2 ? DType::f16 : DType::bf16;
    const std::size_t n = 1 + rng.below(400);
    Terms a(n), b(n);
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = std::clamp(round_to(t, draw(rng, round % 5, i)), -info(t).max, info(t).max);
      b[i] = round_to(t, rng.chance(1, 8) ? 0x1p-20 * draw(rng, 0, i) : draw(rng, 0, i));
    }
    double acc = 0, exact = 0;
    for (std::size_t k = 0; k < n; k += 16) {
      detail::AlignedProduct p[16];
      int count = 0;
      for (std::size_t i = k; i < std::min(n, k + 16); ++i) {
        const int emin = info(t).emin;
        p[count++] = {a[i] * b[i], std::max(std::ilogb(a[i]), emin) + std::max(std::ilogb(b[i]), emin)};
        exact += a[i] * b[i];
      }
      acc = detail::tensor_core_block(p, count, acc);
    }
    const SumBound s = tensor_core(a, b, t);
    EXPECT_LE(std::fabs(acc - exact), s.tight);
    EXPECT_LE(s.tight, s.rigorous);
  }
}

TEST(TensorCore, ArmsOfBothFormats) {
  const Terms ones(64, 1);
  EXPECT_DOUBLE_EQ(tensor_core(ones, ones, DType::f16).rigorous,
                   std::max(64.0, 0.66 * 64 + 10.5) * 0x1p-24 * 64 + 64 * 0x1p-149);
  EXPECT_DOUBLE_EQ(tensor_core(ones, ones, DType::f32, true).rigorous,
                   (1.13 * 64 + 4.5) * 0x1p-24 * 64 + 64 * 0x1p-149);
}

}  // namespace
}  // namespace warpfuzz
