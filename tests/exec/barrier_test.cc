// __syncthreads: what it orders, who counts, and what threads may not do at it.
#include "kernel_test.h"

namespace warpfuzz::cpu {
namespace {

using BarrierTest = ExecutorTest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Schedule kSchedules[] = {{}, {Order::descending, Order::descending}, {Order::shuffled, Order::shuffled, 7}};

TEST_F(BarrierTest, EveryThreadArrivesBeforeAnyGoesOn) {
  for (const Schedule& s : kSchedules) {
    for (unsigned threads : {1u, 2u, 31u, 32u, 33u, 256u, 1000u, 1024u}) {
      start(s);
      std::vector<unsigned> phase(threads, 0);
      EXPECT_EQ(run(3, threads,
                    [&] {
                      if (tid() == 0 && s.threads == Order::ascending) std::fill(phase.begin(), phase.end(), 0u);
                      sync_threads(HERE);
                      unsigned own = phase[tid()];
                      for (unsigned round = own; round < own + 20; ++round) {
                        ++phase[tid()];
                        sync_threads(HERE);
                        EXPECT_EQ(phase[(tid() * 7 + round) % threads], round + 1);
                        sync_threads(HERE);
                      }
                    }),
                0);
      EXPECT_EQ(status().fault, FaultClass::none) << status().message;
    }
  }
}

TEST_F(BarrierTest, ThreadsGoOnInTheOrderOfTheSchedule) {
  auto order = [&] {
    std::vector<unsigned> seen;
    run(1, 4, [&] {
      sync_threads(HERE);
      seen.push_back(tid());
      sync_threads(HERE);
      seen.push_back(10 + tid());
    });
    return seen;
  };
  EXPECT_THAT(order(), ElementsAre(0, 1, 2, 3, 10, 11, 12, 13));
  start({Order::descending});
  EXPECT_THAT(order(), ElementsAre(3, 2, 1, 0, 13, 12, 11, 10));
  start({Order::shuffled, Order::ascending, 3});
  auto first = order();
  start({Order::shuffled, Order::ascending, 3});
  EXPECT_EQ(order(), first);
}

TEST_F(BarrierTest, AMissingBarrierShowsInOneOrderOrTheOther) {
  // Each thread reads its neighbour's element, which the neighbour writes without a barrier between.
  auto differs = [&](bool synced) {
    std::vector<std::vector<int>> results;
    for (const Schedule& s : kSchedules) {
      start(s);
      std::vector<int> shared(64, -1), out(64);
      run(1, 64, [&] {
        shared[tid()] = static_cast<int>(tid());
        if (synced) sync_threads(HERE);
        out[tid()] = shared[(tid() + 1) % 64];
      });
      results.push_back(out);
    }
    return results[0] != results[1] || results[0] != results[2];
  };
  EXPECT_TRUE(differs(false));
  EXPECT_FALSE(differs(true));
}

TEST_F(BarrierTest, Reductions) {
  EXPECT_EQ(run(2, 100,
                [&] {
                  EXPECT_EQ(sync_threads_reduce(BarrierReduce::count, tid() % 3 == 0 ? 5 : 0, HERE), 34);
                  EXPECT_EQ(sync_threads_reduce(BarrierReduce::all, tid() < 99, HERE), 0);
                  EXPECT_EQ(sync_threads_reduce(BarrierReduce::all, 1, HERE), 1);
                  EXPECT_EQ(sync_threads_reduce(BarrierReduce::any, tid() == 99, HERE), 1);
                  EXPECT_EQ(sync_threads_reduce(BarrierReduce::any, 0, HERE), 0);
                }),
            0);
}

TEST_F(BarrierTest, ExitedThreadsCountAsArrived) {
  for (const Schedule& s : kSchedules) {
    start(s);
    int after = 0;
    EXPECT_EQ(run(1, 100,
                  [&] {
                    if (tid() >= 70) return;
                    sync_threads(HERE);
                    if (tid() == 69) return;
                    EXPECT_EQ(sync_threads_reduce(BarrierReduce::all, 1, HERE), 1);
                    ++after;
                  }),
              0);
    EXPECT_EQ(after, 69);
    EXPECT_EQ(status().fault, FaultClass::none) << status().message;
  }
}

TEST_F(BarrierTest, StrictBarriersReportExitedThreads) {
  for (Order o : {Order::ascending, Order::descending, Order::shuffled}) {
    start({o, Order::ascending, 1, true});
    EXPECT_EQ(run(1, 64,
                  [&] {
                    if (tid() >= 60) return;
                    sync_threads({"k.cu", 12, 3});
                  }),
              719);
    EXPECT_EQ(status().fault, FaultClass::divergence);
    EXPECT_EQ(status().place.line, 12);
    EXPECT_THAT(status().message, HasSubstr("4 of 64 threads exited"));
  }
  start({Order::ascending, Order::ascending, 0, true});
  EXPECT_EQ(run(1, 64, [&] { sync_threads(HERE); }), 0) << "full barriers are fine";
}

TEST_F(BarrierTest, TwoBarriersAreADivergenceThatNamesBoth) {
  for (const Schedule& s : kSchedules) {
    start(s);
    EXPECT_EQ(run(2, 64, [&] { sync_threads({"k.cu", tid() < 10 ? 7 : 9, 3}); }), 719);
    EXPECT_EQ(status().fault, FaultClass::divergence);
    EXPECT_EQ(status().place.kernel, "kernel");
    EXPECT_EQ(status().place.file, "k.cu");
    int here = status().place.line;
    EXPECT_TRUE(here == 7 || here == 9);
    EXPECT_THAT(status().message, HasSubstr(here == 7 ? "k.cu:9:3" : "k.cu:7:3"));
  }
}

TEST_F(BarrierTest, TwoBarriersOnOneLineAreToldApart) {
  auto kernel = [&] {
    if (tid() == 0) sync_threads(HERE);
    else sync_threads(HERE);
  };
  EXPECT_EQ(run(1, 2, kernel), 719);
  EXPECT_EQ(status().fault, FaultClass::divergence);
  EXPECT_THAT(status().place.file, HasSubstr("barrier_test.cc"));
}

TEST_F(BarrierTest, TheSameFileUnderTwoPointersIsOnePlace) {
  static const std::string copies[2] = {"k.cu", "k.cu"};
  EXPECT_EQ(run(1, 2, [&] { sync_threads({copies[tid()].c_str(), 5, 3}); }), 0);
  EXPECT_EQ(status().fault, FaultClass::none);
}

TEST_F(BarrierTest, SomeAtTheBarrierAndSomeInAWarpIsADeadlockThatSaysWho) {
  for (const Schedule& s : kSchedules) {
    start(s);
    EXPECT_EQ(run(1, 64,
                  [&] {
                    if (tid() < 31) sync_threads(HERE);
                    else if (tid() == 31) warp_collective(WarpOp::shfl, 0xffffffffu, 1, 0, 32, HERE);
                    else sync_threads(HERE);
                  }),
              719);
    EXPECT_EQ(status().fault, FaultClass::divergence);
  }
  start({});
  EXPECT_EQ(run(1, 64,
                [&] {
                  if (tid() != 31) sync_threads({"k.cu", 8, 1});
                  else warp_collective(WarpOp::shfl, 0xffffffffu, 1, 0, 32, {"k.cu", 9, 2});
                }),
            719);
  EXPECT_THAT(status().message, HasSubstr("63 of 64 threads wait at __syncthreads at k.cu:8:1"));
  EXPECT_THAT(status().message,
              HasSubstr("warp 0, lanes 0x80000000 of mask 0xffffffff wait at __shfl_sync at k.cu:9:2"));
}

}  // namespace
}  // namespace warpfuzz::cpu
