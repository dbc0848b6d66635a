// Launches: every thread once, the orders, the limits of a device.
#include <numeric>
#include <set>

#include "kernel_test.h"

namespace warpfuzz::cpu {
namespace {

using LaunchTest = ExecutorTest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(LaunchTest, RunsEveryThreadOfAThreeDimensionalGridOnce) {
  std::set<std::vector<unsigned>> seen;
  unsigned runs = 0;
  EXPECT_EQ(run({2, 3, 4}, {5, 6, 7},
                [&] {
                  const Index3 &b = warpfuzz_block_idx, &t = warpfuzz_thread_idx;
                  seen.insert({b.x, b.y, b.z, t.x, t.y, t.z});
                  EXPECT_EQ(warpfuzz_block_dim.y, 6u);
                  EXPECT_EQ(warpfuzz_grid_dim.z, 4u);
                  EXPECT_EQ(lane_id(), (t.x + 5 * (t.y + 6 * t.z)) % 32);
                  ++runs;
                }),
            0);
  EXPECT_EQ(runs, 24u * 210);
  EXPECT_EQ(seen.size(), runs);
  EXPECT_FALSE(in_kernel());
  ASSERT_EQ(status().launches.size(), 1u);
  EXPECT_EQ(status().launches[0].kernel, "kernel");
  EXPECT_EQ(status().launches[0].block[2], 7u);
  EXPECT_EQ(status().fault, FaultClass::none);
}

// Blocks times 100 plus thread, in the order of arrival.
std::vector<unsigned> order_of(unsigned grid, unsigned block) {
  std::vector<unsigned> order;
  run(grid, block, [&] { order.push_back(bid() * 100 + tid()); });
  return order;
}

TEST_F(LaunchTest, OrdersOfThreadsAndBlocks) {
  EXPECT_THAT(order_of(2, 3), ElementsAre(0, 1, 2, 100, 101, 102));
  start({Order::descending, Order::ascending});
  EXPECT_THAT(order_of(2, 3), ElementsAre(2, 1, 0, 102, 101, 100));
  start({Order::ascending, Order::descending});
  EXPECT_THAT(order_of(2, 3), ElementsAre(100, 101, 102, 0, 1, 2));
}

TEST_F(LaunchTest, ShuffledOrdersArePermutationsThatDependOnTheSeedAlone) {
  std::vector<unsigned> sorted;
  for (unsigned b = 0; b < 37; ++b)
    for (unsigned t = 0; t < 50; ++t) sorted.push_back(b * 100 + t);
  std::vector<std::vector<unsigned>> orders;
  for (std::uint64_t seed : {1, 2, 1}) {
    start({Order::shuffled, Order::shuffled, seed});
    orders.push_back(order_of(37, 50));
    auto copy = orders.back();
    std::sort(copy.begin(), copy.end());
    EXPECT_EQ(copy, sorted);
  }
  EXPECT_EQ(orders[0], orders[2]);
  EXPECT_NE(orders[0], orders[1]);
  EXPECT_NE(orders[0], sorted);
}

TEST_F(LaunchTest, ShuffledBlocksOfEveryGridSize) {
  for (unsigned n = 1; n < 70; ++n) {
    start({Order::ascending, Order::shuffled, n});
    std::set<unsigned> seen;
    run(n, 1, [&] { seen.insert(bid()); });
    EXPECT_EQ(seen.size(), n);
  }
}

struct Limit {
  Index3 grid, block;
  std::size_t dynamic, max_dynamic, static_shared;
  int error;
  const char* why;
};
class LimitTest : public ExecutorTest, public ::testing::WithParamInterface<Limit> {};

TEST_P(LimitTest, RefusesWhatADeviceRefuses) {
  const Limit& l = GetParam();
  int runs = 0;
  EXPECT_EQ(
      run(l.grid, l.block, [&] { ++runs; }, l.dynamic, "ns::limited<float>", l.max_dynamic, l.static_shared), l.error);
  ASSERT_EQ(status().launches.size(), 1u);
  EXPECT_EQ(status().launches[0].error, l.error);
  EXPECT_EQ(status().launches[0].kernel, "limited");
  if (l.error == 0) {
    EXPECT_GT(runs, 0);
    EXPECT_EQ(status().fault, FaultClass::none) << status().message;
    return;
  }
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(status().fault, FaultClass::launch);
  EXPECT_EQ(status().place.kernel, "limited");
  EXPECT_THAT(status().message, HasSubstr(l.why));
  EXPECT_EQ(peek_last_error(), l.error);
  EXPECT_EQ(take_last_error(), l.error);
  EXPECT_EQ(take_last_error(), 0) << "a refused launch is not sticky";
  EXPECT_EQ(run(1, 1, [&] { ++runs; }), 0);
  EXPECT_EQ(runs, 1);
}

constexpr std::size_t k48 = 48 * 1024, k227 = 227 * 1024;
INSTANTIATE_TEST_SUITE_P(
    Limits, LimitTest,
    ::testing::Values(
        Limit{{1, 1, 1}, {1024, 1, 1}, 0, k48, 0, 0, ""},
        Limit{{1, 1, 1}, {1025, 1, 1}, 0, k48, 0, 9, "more than 1024 threads"},
        Limit{{1, 1, 1}, {33, 32, 1}, 0, k48, 0, 9, "(33,32,1)"}, Limit{{1, 1, 1}, {16, 1, 64}, 0, k48, 0, 0, ""},
        Limit{{1, 1, 1}, {1, 1, 65}, 0, k48, 0, 9, "deeper than 64"},
        Limit{{1, 1, 1}, {0, 1, 1}, 0, k48, 0, 9, "zero dimension"},
        Limit{{0, 1, 1}, {1, 1, 1}, 0, k48, 0, 9, "grid (0,1,1)"}, Limit{{1, 65535, 1}, {1, 1, 1}, 0, k48, 0, 0, ""},
        Limit{{1, 65536, 1}, {1, 1, 1}, 0, k48, 0, 9, "65535"}, Limit{{1, 1, 65536}, {1, 1, 1}, 0, k48, 0, 9, "65535"},
        Limit{{0x80000000u, 1, 1}, {1, 1, 1}, 0, k48, 0, 9, "2147483647"},
        Limit{{1, 1, 1}, {0xffffffffu, 0xffffffffu, 2}, 0, k48, 0, 9, "1024"},
        Limit{{1, 1, 1}, {1, 1, 1}, k48, k48, 0, 0, ""},
        Limit{{1, 1, 1}, {1, 1, 1}, k48 + 1, k48, 0, 1, "without cudaFuncSetAttribute"},
        Limit{{1, 1, 1}, {1, 1, 1}, k48, k48, 4, 1, "4 of static"}, Limit{{1, 1, 1}, {1, 1, 1}, k227, k227, 0, 0, ""},
        Limit{{1, 1, 1}, {1, 1, 1}, k227, k227, 4, 1, "attribute allows"},
        Limit{{1, 1, 1}, {1, 1, 1}, 60000, 50000, 0, 1, "allows 50000"}));

TEST_F(LaunchTest, TheFirstRefusalIsTheFaultAndOthersAreListed) {
  EXPECT_EQ(run(1, 2000, [] {}), 9);
  EXPECT_EQ(run(0, 1, [] {}), 9);
  EXPECT_EQ(run(1, 1, [] {}), 0);
  EXPECT_THAT(status().message, HasSubstr("(2000,1,1)"));
  EXPECT_EQ(status().launches.size(), 3u);
}

TEST_F(LaunchTest, ALaunchInsideAKernelIsUnsupported) {
  EXPECT_EQ(run(1, 1, [] { run(1, 1, [] {}); }), 719);
  EXPECT_EQ(status().fault, FaultClass::unsupported);
  EXPECT_THAT(status().message, HasSubstr("dynamic parallelism"));
}

TEST_F(LaunchTest, BlockEpochsAreNewForEveryBlock) {
  std::set<std::uint64_t> epochs;
  run(5, 2, [&] { epochs.insert(warpfuzz_block_epoch); });
  run(5, 2, [&] { epochs.insert(warpfuzz_block_epoch); });
  EXPECT_EQ(epochs.size(), 10u);
  EXPECT_EQ(epochs.count(0), 0u);
}

}  // namespace
}  // namespace warpfuzz::cpu
