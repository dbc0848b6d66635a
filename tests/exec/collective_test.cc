// Warp collectives against plain models, over masks, widths and orders; and what lanes may not do.
#include <bit>

#include "kernel_test.h"
#include "numeric/hash.h"

namespace warpfuzz::cpu {
namespace {

using ::testing::HasSubstr;
constexpr std::uint32_t kAll = 0xffffffffu;
constexpr std::uint64_t kUnspecified = 0x7fff7fff7fff7fffull;

class CollectiveTest : public ExecutorTest {
 protected:
  // One warp; lanes outside the mask do nothing. Results by lane.
  std::vector<std::uint64_t> collect(WarpOp op, std::uint32_t mask, const std::vector<std::uint64_t>& value,
                                     const std::vector<int>& arg, int width) {
    std::vector<std::uint64_t> result(32, 0xabcdef);
    EXPECT_EQ(run(1, 32,
                  [&] {
                    if (mask >> tid() & 1)
                      result[tid()] = warp_collective(op, mask, value[tid()], arg[tid()], width, HERE);
                  }),
              0)
        << status().message;
    return result;
  }
};

// The definitions of the PTX manual: c holds the clamp and the segment mask.
std::uint64_t shfl_model(WarpOp op, std::uint32_t mask, const std::vector<std::uint64_t>& value, unsigned lane,
                         unsigned b, unsigned width) {
  unsigned segment = (32 - width) & 31, clamp = op == WarpOp::shfl_up ? 0 : 31;
  unsigned max_lane = (lane & segment) | (clamp & ~segment), min_lane = lane & segment;
  b &= 31;
  int j = 0;
  bool valid = false;
  switch (op) {
    case WarpOp::shfl_up:
      j = static_cast<int>(lane) - static_cast<int>(b);
      valid = j >= static_cast<int>(max_lane);
      break;
    case WarpOp::shfl_down:
      j = static_cast<int>(lane + b);
      valid = j <= static_cast<int>(max_lane);
      break;
    case WarpOp::shfl_xor:
      j = static_cast<int>(lane ^ b);
      valid = j <= static_cast<int>(max_lane);
      break;
    default: j = static_cast<int>(min_lane | (b & ~segment)); valid = j <= static_cast<int>(max_lane);
  }
  unsigned from = valid ? static_cast<unsigned>(j) : lane;
  return mask >> from & 1 ? value[from] : kUnspecified;
}

TEST_F(CollectiveTest, ShufflesOfEveryWidthAndManyMasks) {
  Rng rng(1);
  for (Order order : {Order::ascending, Order::descending, Order::shuffled}) {
    for (WarpOp op : {WarpOp::shfl, WarpOp::shfl_up, WarpOp::shfl_down, WarpOp::shfl_xor}) {
      for (int width : {1, 2, 4, 8, 16, 32}) {
        for (int round = 0; round < 40; ++round) {
          start({order, Order::ascending, rng.next()});
          std::uint32_t mask = round < 10 ? kAll : static_cast<std::uint32_t>(rng.next());
          std::vector<std::uint64_t> value(32);
          std::vector<int> arg(32);
          int same = static_cast<int>(rng.below(40));
          for (int i = 0; i < 32; ++i) {
            value[i] = rng.next();
            arg[i] = round % 2 ? same : static_cast<int>(rng.below(64)) - 8;
          }
          auto got = collect(op, mask, value, arg, width);
          for (unsigned lane = 0; lane < 32; ++lane) {
            if (!(mask >> lane & 1)) continue;
            ASSERT_EQ(got[lane],
                      shfl_model(op, mask, value, lane, static_cast<unsigned>(arg[lane]), static_cast<unsigned>(width)))
                << "lane " << lane << " width " << width << " mask " << mask << " arg " << arg[lane] << " op "
                << static_cast<int>(op);
          }
        }
      }
    }
  }
}

TEST_F(CollectiveTest, UnspecifiedLanesDifferBetweenPoisonVariants) {
  std::vector<std::uint64_t> value(32, 5);
  std::vector<int> arg(32, 31);
  EXPECT_EQ(collect(WarpOp::shfl, 0xff, value, arg, 32)[0], kUnspecified);
  start({}, 1);
  EXPECT_EQ(collect(WarpOp::shfl, 0xff, value, arg, 32)[0], ~0ull);
}

TEST_F(CollectiveTest, VotesMatchesAndReductions) {
  Rng rng(2);
  for (int round = 0; round < 100; ++round) {
    std::uint32_t mask = round == 0 ? kAll : static_cast<std::uint32_t>(rng.next()) | 1u << rng.below(32);
    std::vector<std::uint64_t> value(32);
    for (auto& v : value) v = rng.below(round % 3 + 1) * (round % 2 ? ~0ull : 1);
    std::vector<int> arg(32, 0);
    std::uint32_t yes = 0;
    std::uint64_t sum = 0, all_bits = ~0ull, any_bits = 0, odd_bits = 0;
    std::int64_t least = INT64_MAX, most = INT64_MIN;
    for (std::uint32_t m = mask; m; m &= m - 1) {
      int i = std::countr_zero(m);
      yes |= static_cast<std::uint32_t>(value[i] != 0) << i;
      sum += value[i];
      all_bits &= value[i];
      any_bits |= value[i];
      odd_bits ^= value[i];
      least = std::min(least, static_cast<std::int64_t>(value[i]));
      most = std::max(most, static_cast<std::int64_t>(value[i]));
    }
    struct {
      WarpOp op;
      std::uint64_t expected;
    } cases[] = {{WarpOp::ballot, yes},
                 {WarpOp::all, yes == mask},
                 {WarpOp::any, yes != 0},
                 {WarpOp::reduce_add, sum},
                 {WarpOp::reduce_and, all_bits},
                 {WarpOp::reduce_or, any_bits},
                 {WarpOp::reduce_xor, odd_bits},
                 {WarpOp::reduce_min, static_cast<std::uint64_t>(least)},
                 {WarpOp::reduce_max, static_cast<std::uint64_t>(most)}};
    for (const auto& c : cases) {
      auto got = collect(c.op, mask, value, arg, 32);
      for (std::uint32_t m = mask; m; m &= m - 1)
        ASSERT_EQ(got[std::countr_zero(m)], c.expected) << "op " << static_cast<int>(c.op);
    }
    auto any = collect(WarpOp::match_any, mask, value, arg, 32);
    auto all = collect(WarpOp::match_all, mask, value, arg, 32);
    for (std::uint32_t m = mask; m; m &= m - 1) {
      int i = std::countr_zero(m);
      std::uint32_t same = 0;
      for (int j = 0; j < 32; ++j) same |= static_cast<std::uint32_t>((mask >> j & 1) && value[i] == value[j]) << j;
      ASSERT_EQ(any[i], same);
      ASSERT_EQ(all[i], same == mask ? mask : 0);
    }
  }
}

TEST_F(CollectiveTest, MatchAllSetsThePredicate) {
  EXPECT_EQ(run(1, 32,
                [&] {
                  int same = -1;
                  EXPECT_EQ(warp_collective(WarpOp::match_all, kAll, 7, 0, 32, HERE, &same), kAll);
                  EXPECT_EQ(same, 1);
                  EXPECT_EQ(warp_collective(WarpOp::match_all, kAll, tid() / 31, 0, 32, HERE, &same), 0u);
                  EXPECT_EQ(same, 0);
                }),
            0);
}

TEST_F(CollectiveTest, DisjointMasksGoOnSideBySide) {
  for (Order order : {Order::ascending, Order::descending, Order::shuffled}) {
    start({order, Order::ascending, 5});
    EXPECT_EQ(run(2, 128,
                  [&] {
                    std::uint32_t mask = 0x11111111u << tid() % 4;
                    std::uint64_t sum = tid();
                    unsigned rounds = tid() % 4 * 3 + 1;  // each group as often as it likes
                    for (unsigned i = 0; i < rounds; ++i) {
                      EXPECT_EQ(std::popcount(
                                    static_cast<std::uint32_t>(warp_collective(WarpOp::ballot, mask, 1, 0, 32, HERE))),
                                8);
                    }
                    for (int d = 16; d >= 4; d /= 2) sum += warp_collective(WarpOp::shfl_xor, mask, sum, d, 32, HERE);
                    unsigned first = tid() / 32 * 32 + tid() % 4;
                    EXPECT_EQ(sum, 8 * first + 4 * (0 + 28));
                    warp_collective(WarpOp::sync, kAll, 0, 0, 32, HERE);
                  }),
              0);
    EXPECT_EQ(status().fault, FaultClass::none) << status().message;
  }
}

TEST_F(CollectiveTest, OverlappingMasksWaitForEachOther) {
  // Lane 1 is named by two masks and serves them in turn.
  EXPECT_EQ(run(1, 32,
                [&] {
                  if (tid() <= 1) warp_collective(WarpOp::sync, 3, 0, 0, 32, HERE);
                  if (tid() == 1 || tid() == 2) warp_collective(WarpOp::sync, 6, 0, 0, 32, HERE);
                  if (tid() == 0 || tid() == 2) warp_collective(WarpOp::sync, 5, 0, 0, 32, HERE);
                }),
            0);
  EXPECT_EQ(status().fault, FaultClass::none) << status().message;
}

struct Bad {
  const char* name;
  unsigned threads;
  std::function<void()> kernel;
  const char* why;
};
class BadCollectiveTest : public ExecutorTest, public ::testing::WithParamInterface<Bad> {};

TEST_P(BadCollectiveTest, IsADivergenceInEveryOrder) {
  for (Order order : {Order::ascending, Order::descending, Order::shuffled}) {
    start({order, Order::ascending, 9});
    EXPECT_EQ(run(2, GetParam().threads, GetParam().kernel), 719);
    EXPECT_EQ(status().fault, FaultClass::divergence);
    EXPECT_EQ(status().place.file, "k.cu");
    EXPECT_GT(status().place.line, 0);
    EXPECT_THAT(status().message, HasSubstr(GetParam().why));
  }
}

std::uint64_t shfl(std::uint32_t mask, int line = 5, WarpOp op = WarpOp::shfl) {
  return warp_collective(op, mask, 1, 0, 32, {"k.cu", line, 1});
}

INSTANTIATE_TEST_SUITE_P(
    Collectives, BadCollectiveTest,
    ::testing::Values(Bad{"ExitedLane", 32,
                          [] {
                            if (tid() < 31) shfl(kAll);
                          },
                          "exited"},
                      Bad{"AbsentLane", 33,
                          [] {
                            if (tid() == 32) shfl(3);
                          },
                          "do not exist"},
                      Bad{"PartialWarp", 20, [] { shfl(kAll); }, "do not exist"},
                      Bad{"CallerNotInMask", 32,
                          [] {
                            if (tid() == 3) shfl(0xf0);
                          },
                          "which the mask lacks"},
                      Bad{"TwoPlaces", 32, [] { shfl(kAll, tid() < 16 ? 5 : 6); }, "different collectives"},
                      Bad{"TwoOperations", 32, [] { shfl(kAll, 5, tid() < 16 ? WarpOp::shfl : WarpOp::ballot); },
                          "different collectives"},
                      Bad{"BarrierAgainstCollective", 32,
                          [] {
                            if (tid() < 16) shfl(kAll);
                            else sync_threads({"k.cu", 9, 1});
                          },
                          "wait"},
                      Bad{"CrossedMasks", 32,
                          [] {
                            if (tid() == 0) shfl(3);
                            if (tid() == 1) shfl(6);
                            if (tid() == 2) shfl(5);
                            if (tid() > 2) sync_threads({"k.cu", 9, 1});
                          },
                          "none can go on"}),
    [](const auto& p) { return std::string(p.param.name); });

TEST_F(CollectiveTest, ActiveMaskIsTheSameForAllLanesOfABranch) {
  for (Order order : {Order::ascending, Order::descending, Order::shuffled}) {
    start({order, Order::ascending, 3});
    std::vector<std::uint32_t> masks(64), sums(64);
    EXPECT_EQ(run(1, 64,
                  [&] {
                    if (tid() >= 60) return;
                    if (tid() % 4 == 1) masks[tid()] = active_mask({"k.cu", 5, 1});
                    else masks[tid()] = active_mask({"k.cu", 6, 1});
                    sums[tid()] = static_cast<std::uint32_t>(warp_collective(WarpOp::reduce_add, masks[tid()], 1, 0, 32,
                                                                             {"k.cu", tid() % 4 == 1 ? 8 : 9, 1}));
                    sync_threads(HERE);
                  }),
              0);
    EXPECT_EQ(status().fault, FaultClass::none) << status().message;
    for (unsigned t = 0; t < 60; ++t) {
      std::uint32_t branch = t % 4 == 1 ? 0x22222222u : 0xddddddddu;
      EXPECT_EQ(masks[t], t < 32 ? branch : branch & 0x0fffffffu) << t;
      EXPECT_EQ(sums[t], static_cast<unsigned>(std::popcount(masks[t])));
    }
  }
}

TEST_F(CollectiveTest, ActiveMaskWithoutASiteAndBesideABarrier) {
  EXPECT_EQ(run(1, 32,
                [&] {
                  if (tid() >= 8) return sync_threads(HERE);
                  EXPECT_EQ(active_mask(), 0xffu);
                  sync_threads({"k.cu", 1, 1});
                }),
            719)
      << "two barriers";
  EXPECT_EQ(status().fault, FaultClass::divergence);
}

}  // namespace
}  // namespace warpfuzz::cpu
