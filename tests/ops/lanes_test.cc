// Loops over lanes against the same one element after the other, in every instruction set that the machine has.
#include "ops/lanes/lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "numeric/hash.h"
#include "numeric/sum_bound.h"
#include "ops/lanes/product_sums.h"
#include "ops/lanes/running_sums.h"
#include "ops/parts/softmax_bound.h"

namespace warpfuzz {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

// ---- running sums ----

// terms: eight lanes a step.
struct SumTerms {
  template <class Set>
  static WARPFUZZ_INLINE void run(const std::vector<float>& terms, RunningSums& s) {
    const Floats one = factor_one();
    Floats x;
    for (std::size_t at = 0; at < terms.size(); at += kLanes) {
      load(x, terms.data() + at);
      add_term(Set{}, s, x, one);
    }
  }
};
RunningSums sum_with(LaneSet set, const std::vector<float>& terms) {
  RunningSums s;
  if (set == LaneSet::avx512)
    Avx512Lanes::call<SumTerms::run<Avx512Lanes>, const std::vector<float>&, RunningSums&>(terms, s);
  else if (set == LaneSet::avx2)
    Avx2Lanes::call<SumTerms::run<Avx2Lanes>, const std::vector<float>&, RunningSums&>(terms, s);
  else PlainLanes::call<SumTerms::run<PlainLanes>, const std::vector<float>&, RunningSums&>(terms, s);
  return s;
}

// kind 0 to 2: ever wider ranges, 2 down to subnormals; 3: few values of both signs, which cancel; 4: large ones.
float draw_term(Rng& rng, int kind) {
  const auto digits = static_cast<float>(static_cast<int>(rng.below(1u << 24)) - (1 << 23));
  const int exponent = static_cast<int>(rng.below(kind == 2 ? 140 : kind == 1 ? 60 : 3));
  if (kind == 3) return static_cast<float>(static_cast<int>(rng.below(5)) - 2) * 0.1f;
  if (kind == 4) return digits * 0x1p90f;
  return std::ldexp(digits, kind == 2 ? -exponent - 23 : exponent - 53);
}

TEST(RunningSums, GiveTheSameBitsInEveryInstructionSet) {
  Rng rng(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<float> terms(kLanes * (1 + rng.below(300)));
    for (float& x : terms) x = draw_term(rng, round % 5);
    for (const LaneSet set : {LaneSet::plain, LaneSet::avx2, LaneSet::avx512}) {
      if (!has_lanes(set)) continue;
      const RunningSums got = sum_with(set, terms);
      for (std::size_t l = 0; l < kLanes; ++l) {
        RunningSum want;
        for (std::size_t at = l; at < terms.size(); at += kLanes) want.add(terms[at]);
        ASSERT_EQ(got.sum[l], want.sum) << "set " << static_cast<int>(set) << ", round " << round;
        ASSERT_EQ(got.lost[l], want.lost) << "set " << static_cast<int>(set) << ", round " << round;
        ASSERT_EQ(got.drift[l], want.drift) << "set " << static_cast<int>(set) << ", round " << round;
      }
    }
  }
}

// ---- panels ----

std::vector<float> some_values(std::size_t n, Rng& rng) {
  std::vector<float> x(n);
  for (float& v : x) v = draw_term(rng, 1);
  return x;
}

TEST(ProductPanels, HoldEveryElementAtItsPlace) {
  Rng rng(3);
  for (const std::size_t n : {1u, 2u, 7u, 8u, 9u, 17u, 33u})
    for (const std::size_t k : {1u, 2u, 7u, 8u, 9u, 20u}) {
      const std::vector<float> b = some_values(n * k, rng);
      std::vector<float> turned(n * k);
      for (std::size_t q = 0; q < k; ++q)
        for (std::size_t j = 0; j < n; ++j) turned[j * k + q] = b[q * n + j];
      std::vector<float> least(whole_lanes(n), kInf), most(whole_lanes(n), -kInf);
      std::vector<double> sums(whole_lanes(n), 0);
      ProductPanels rows, columns;
      rows.assign(b, n, k, {}, {least.data(), most.data(), sums.data()});
      columns.assign_transposed(turned, n, k);
      EXPECT_TRUE(rows.finish());
      EXPECT_TRUE(columns.finish());
      for (std::size_t j = 0; j < rows.stride(); ++j) {
        float lo = kInf, hi = -kInf;
        double sum = 0;
        for (std::size_t q = 0; q < k; ++q) {
          const std::size_t at = j / kLanes * kLanes * k + q * kLanes + j % kLanes;
          const float want = j < n ? b[q * n + j] : 0;
          ASSERT_EQ(rows.values[at], want) << n << "x" << k;
          ASSERT_EQ(columns.values[at], want) << n << "x" << k;
          lo = std::min(lo, want), hi = std::max(hi, want), sum += std::fabs(want);
        }
        EXPECT_EQ(least[j], lo);
        EXPECT_EQ(most[j], hi);
        EXPECT_EQ(sums[j], sum);
      }
    }
}

TEST(ProductPanels, TellWhereAnElementIsSpecial) {
  struct Case {
    OrdinaryRange range;
    float x;
    bool ordinary;
  };
  const float least = 0x1p-126f, below = std::nextafter(least, 0.0f), limit = 0x1p100f;
  const OrdinaryRange all, some{least, limit};
  const Case cases[] = {{all, std::numeric_limits<float>::max(), true},
                        {all, std::numeric_limits<float>::denorm_min(), true},
                        {all, kInf, false},
                        {all, -kInf, false},
                        {all, kNan, false},
                        {all, -kNan, false},
                        {all, 0, true},
                        {some, 0, true},
                        {some, -0.0f, true},
                        {some, least, true},
                        {some, -least, true},
                        {some, below, false},
                        {some, -below, false},
                        {some, std::numeric_limits<float>::denorm_min(), false},
                        {some, limit, false},
                        {some, -limit, false},
                        {some, std::nextafter(limit, 0.0f), true},
                        {some, kNan, false}};
  for (const Case& c : cases)
    for (const std::size_t n : {1u, 8u, 11u})
      for (std::size_t at = 0; at < n * 9; ++at) {
        std::vector<float> b(n * 9, 1.0f);
        b[at] = c.x;
        ProductPanels rows, columns;
        rows.assign(b, n, 9, c.range);
        columns.assign_transposed(b, n, 9, c.range);
        ASSERT_EQ(rows.finish(), c.ordinary) << c.x << " at " << at << " of " << n << " columns";
        ASSERT_EQ(columns.finish(), c.ordinary) << c.x << " at " << at << " of " << n << " columns";
      }
}

TEST(ProductPanels, AreFilledByTheFirstRunThatNeedsThem) {
  Rng rng(4);
  std::vector<float> b = some_values(21 * 30, rng);
  const std::vector<double> a(30, 0.7);
  ProductPanels early, late;
  early.assign(b, 21, 30), late.assign(b, 21, 30);
  early.finish();
  ProductSums want, got;
  want.run({.a = a, .drift = true}, early, 21);
  got.run({.a = a, .drift = true}, late, 9);  // two of three panels
  std::fill(b.begin(), b.end(), 0.0f);
  for (std::size_t j = 0; j < 16; ++j) EXPECT_EQ(got.value[j], want.value[j]);
  got.run({.a = a, .drift = true}, late, 21);
  for (std::size_t j = 0; j < 21; ++j)
    EXPECT_EQ(got.value[j], j < 16 ? want.value[j] : 0) << "filled once, when needed";
}

// ---- moves of a maximum ----

template <class T>
int plain_rescales(const std::vector<T>& x) {
  const auto moves = [&](std::size_t first, std::ptrdiff_t step, std::size_t count) {
    T top = -std::numeric_limits<T>::infinity();
    int n = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (const T v = x[first + static_cast<std::size_t>(step * static_cast<std::ptrdiff_t>(i))]; v > top) top = v, ++n;
    return n;
  };
  int most = 0, levels = 0;
  if (!x.empty()) most = std::max(moves(0, 1, x.size()), moves(x.size() - 1, -1, x.size()));
  for (std::size_t lane = 0; lane < 32 && lane < x.size(); ++lane)
    most = std::max(most, moves(lane, 32, (x.size() - lane + 31) / 32));
  while ((std::size_t{1} << levels) < x.size()) ++levels;
  return most + levels;
}
template <class T>
void compare_rescales() {
  Rng rng(9);
  for (std::size_t n = 0; n < 300; n += n < 80 ? 1 : 37)
    for (int kind = 0; kind < 6; ++kind) {
      std::vector<T> x(n);
      for (std::size_t i = 0; i < n; ++i) {
        const T unit = static_cast<T>(rng.below(1000)), at = static_cast<T>(i);
        x[i] = kind == 0   ? unit
               : kind == 1 ? at
               : kind == 2 ? -at
               : kind == 3 ? T(3)
               : kind == 4 ? T(i / 32)
                           : T(rng.below(3));
        if (kind == 5 && x[i] == 0) x[i] = -std::numeric_limits<T>::infinity();
      }
      ASSERT_EQ(rescales(std::span<const T>(x)), plain_rescales(x)) << n << " elements, kind " << kind;
    }
}
TEST(Rescales, CountTheMovesOfARunningMaximum) {
  compare_rescales<double>();
  compare_rescales<float>();
  const double up_and_down[] = {1, 2, 3, 2, 1, 0};
  EXPECT_EQ(rescales(std::span<const double>(up_and_down)), 4 + 3)
      << "backward 0, 1, 2, 3; six elements merge in three levels";
}

}  // namespace
}  // namespace warpfuzz
