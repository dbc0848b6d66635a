// Faults inside kernels: recorded once with their place, the launch left at once, the next case clean.
#include <atomic>
#include <csignal>
#include <cstring>
#include <thread>

#include "exec/cpu/coverage.h"
#include "exec/cpu/operands.h"
#include "kernel_test.h"

namespace warpfuzz::cpu {
namespace {

using FaultTest = ExecutorTest;
using FaultDeathTest = ExecutorTest;
using ::testing::ExitedWithCode;
using ::testing::HasSubstr;

TEST_F(FaultTest, RecordsPlaceAndStopsAllThreads) {
  int after = 0, started = 0;
  EXPECT_EQ(run(
                {3, 1, 1}, {8, 4, 1},
                [&] {
                  ++started;
                  sync_threads(HERE);
                  if (warpfuzz_block_idx.x == 1 && warpfuzz_thread_idx.x == 5 && warpfuzz_thread_idx.y == 2) {
                    kernel_fault(FaultClass::assertion, {"dir/k.cu", 42, 7}, "n > 0 failed");
                  }
                  sync_threads(HERE);
                  ++after;
                },
                0, "ns::kernel<float, 4>"),
            719);
  EXPECT_EQ(after, 32) << "block 0 alone";
  EXPECT_EQ(started, 64);
  EXPECT_FALSE(in_kernel());
  const ExecStatus& s = status();
  EXPECT_EQ(s.fault, FaultClass::assertion);
  EXPECT_EQ(s.message, "n > 0 failed");
  EXPECT_EQ(s.place.kernel, "kernel");
  EXPECT_EQ(s.place.block[0], 1u);
  EXPECT_EQ(s.place.thread[0], 5u);
  EXPECT_EQ(s.place.thread[1], 2u);
  EXPECT_EQ(s.place.file, "dir/k.cu");
  EXPECT_EQ(s.place.line, 42);
}

TEST_F(FaultTest, TheErrorIsStickyUntilTheNextCase) {
  auto fail = [] { kernel_fault(FaultClass::assertion, {"k.cu", 1, 1}, "first"); };
  EXPECT_EQ(run(1, 1, fail), 719);
  int runs = 0;
  EXPECT_EQ(run(1, 1, [&] { ++runs; }), 719);
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(take_last_error(), 719);
  EXPECT_EQ(take_last_error(), 719);
  EXPECT_EQ(status().message, "first");
  start({});
  EXPECT_EQ(peek_last_error(), 0);
  EXPECT_EQ(run(1, 1, [&] { ++runs; }), 0);
  EXPECT_EQ(runs, 1);
}

TEST_F(FaultTest, ThousandsOfFaultsLeakNothing) {
  for (int i = 0; i < 5000; ++i) {
    start({i % 3 == 0   ? Order::shuffled
           : i % 3 == 1 ? Order::descending
                        : Order::ascending,
           Order::ascending, static_cast<std::uint64_t>(i)});
    unsigned bad = static_cast<unsigned>(i % 96);  // in a full warp
    int kind = i % 4;
    EXPECT_EQ(run(1, 97 + static_cast<unsigned>(i % 50),
                  [&] {
                    sync_threads(HERE);
                    if (tid() == bad && kind == 0) kernel_fault(FaultClass::assertion, {"k.cu", 1, 1}, "x");
                    if (tid() == bad && kind == 1) return;
                    if (tid() == bad && kind == 2) sync_threads(HERE);
                    if (tid() == bad && kind == 3) warp_collective(WarpOp::shfl, ~0u, 0, 0, 32, {"k.cu", 1, 1});
                    else if (kind != 0)
                      warp_collective(WarpOp::sync, tid() / 32 == 3 ? 1u << tid() % 32 : ~0u, 0, 0, 32, HERE);
                    sync_threads(HERE);
                  }),
              719)
        << i;
    start({});
    unsigned sum = 0;
    EXPECT_EQ(run(2, 64,
                  [&] {
                    sync_threads(HERE);
                    sum += static_cast<unsigned>(warp_collective(WarpOp::reduce_add, ~0u, 1, 0, 32, HERE));
                  }),
              0)
        << i << status().message;
    ASSERT_EQ(sum, 2u * 64 * 32);
    ASSERT_EQ(status().fault, FaultClass::none);
  }
}

__attribute__((noinline)) int recurse(volatile int* depth) {
  volatile char frame[2000];
  frame[*depth % 2000] = 1;
  *depth = *depth + 1;
  return *depth < 0 ? 0 : recurse(depth) + frame[7];
}

TEST_F(FaultTest, StackOverflowIsAFaultThatNamesTheKernel) {
  for (int round = 0; round < 3; ++round) {
    start({});
    EXPECT_EQ(run(1, 40,
                  [&] {
                    sync_threads(HERE);
                    volatile int depth = 0;
                    if (tid() == 33) recurse(&depth);
                    sync_threads(HERE);
                  }),
              719);
    EXPECT_EQ(status().fault, FaultClass::oob_write);
    EXPECT_THAT(status().message, HasSubstr("stack overflow"));
    EXPECT_EQ(status().place.kernel, "kernel");
    EXPECT_EQ(status().place.thread[0], 33u);
  }
}

TEST_F(FaultTest, NullAndWildPointersAreFaultsOfTheKernel) {
  volatile int* null = nullptr;
  EXPECT_EQ(run(1, 40,
                [&] {
                  if (tid() == 39) null[4] = 1;
                }),
            719);
  EXPECT_EQ(status().fault, FaultClass::oob_write);
  EXPECT_THAT(status().message, HasSubstr("null pointer (offset 16)"));
  EXPECT_EQ(status().place.thread[0], 39u);
  start({});
  int sum = 0;
  EXPECT_EQ(run(1, 40, [&] { sum += null[0]; }), 719);
  EXPECT_EQ(status().fault, FaultClass::oob_read);
  start({});
  volatile int* wild = reinterpret_cast<int*>(0x7000000000000000ull);
  EXPECT_EQ(run(1, 1, [&] { *wild = 1; }), 719);
  EXPECT_THAT(status().message, HasSubstr("wild pointer"));
  start({});
  volatile int zero = 0;
  EXPECT_EQ(run(1, 1, [&] { sum += 7 / zero; }), 719);
  EXPECT_EQ(status().fault, FaultClass::assertion);
  EXPECT_THAT(status().message, HasSubstr("division by zero"));
  start({});
  EXPECT_EQ(run(1, 1,
                [&] {
                  if (zero == 0) __builtin_trap();
                }),
            719);
  EXPECT_EQ(status().fault, FaultClass::assertion);
}

TEST_F(FaultTest, SignalsOutsideKernelsKeepTheirMeaning) {
  EXPECT_EQ(run(1, 1, [] {}), 0);  // handlers are there
  EXPECT_EXIT(
      {
        volatile int* null = nullptr;
        *null = 1;
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(FaultTest, SpinWaitsAreReported) {
  std::atomic<int> flag{0};
  for (int round = 0; round < 2; ++round) {
    start({});
    EXPECT_EQ(run(1, 64,
                  [&] {
                    if (tid() == 0) {
                      do atomic_touch(&flag, false, {"spin.cu", 3, 4});
                      while (flag == 0);
                    } else {
                      flag = 1;
                    }
                  }),
              719);
    flag = 0;
    EXPECT_EQ(status().fault, FaultClass::unsupported);
    EXPECT_THAT(status().message, HasSubstr("spin-wait"));
    EXPECT_EQ(status().place.file, "spin.cu");
    EXPECT_EQ(status().place.line, 3);
  }
}

TEST_F(FaultTest, ManyAtomicsWithBarriersBetweenAreFine) {
  int value = 0;
  EXPECT_EQ(run(1, 2,
                [&] {
                  for (int i = 0; i < 6; ++i) {
                    for (int k = 0; k < 1 << 20; ++k) atomic_touch(&value, true, HERE);
                    sync_threads(HERE);
                  }
                }),
            0);
  EXPECT_EQ(status().fault, FaultClass::none) << status().message;
  EXPECT_TRUE(status().float_atomics);
  start({});
  EXPECT_FALSE(status().float_atomics);
}

TEST_F(FaultTest, MisalignedAccess) {
  alignas(16) char bytes[32];
  EXPECT_EQ(run(1, 1, [&] { __warpfuzz_misaligned(bytes + 4, 16, 16, 0, "v.cu", 12); }), 719);
  EXPECT_EQ(status().fault, FaultClass::misaligned);
  EXPECT_EQ(status().message,
            "load of 16 bytes at an address 4 past a multiple of 16: the hardware needs 16-byte alignment");
  EXPECT_EQ(status().place.line, 12);
}

TEST_F(FaultTest, PlaceFromAnotherThread) {
  EXPECT_EQ(run({1, 2, 1}, {4, 1, 1},
                [&] {
                  sync_threads({"k.cu", 17, 1});
                  if (tid() != 2 || warpfuzz_block_idx.y != 1) return;
                  Place p;
                  std::thread([&] { p = current_place(); }).join();
                  EXPECT_EQ(p.kernel, "kernel");
                  EXPECT_EQ(p.block[1], 1u);
                  EXPECT_EQ(p.thread[0], 2u);
                  EXPECT_EQ(p.line, 17);
                }),
            0);
  EXPECT_EQ(current_place().kernel, "");
}

TEST_F(FaultDeathTest, BarrierOutsideAKernelIsATargetError) {
  EXPECT_EXIT(sync_threads({"host.cu", 3, 1}), ExitedWithCode(83),
              "__syncthreads is used outside a kernel, at host.cu:3");
  EXPECT_EXIT(kernel_fault(FaultClass::assertion, {"host.cu", 3, 1}, "trap"), ExitedWithCode(83),
              "trap is used outside");
}

class CoverageTest : public ExecutorTest {
 protected:
  CoverageTest() {
    use_counters(counters_.data(), counters_.size());
    start({});
  }
  ~CoverageTest() override { use_counters(nullptr, 0); }
  std::vector<std::uint8_t> counters_ = std::vector<std::uint8_t>(37, 0);
};

TEST_F(CoverageTest, CountersSaturateInsteadOfWrapping) {
  run(2, 256, [&] {
    ++counters_[0];
    sync_threads(HERE);
    ++counters_[20];
    if (tid() == 0) ++counters_[36];
  });
  EXPECT_EQ(counters_[0], 255);
  EXPECT_EQ(counters_[20], 255);
  EXPECT_EQ(counters_[36], 2);
  EXPECT_EQ(counters_[1], 0);
  std::fill(counters_.begin(), counters_.end(), 0);
  run(1, 100, [&] { ++counters_[3]; });
  EXPECT_EQ(counters_[3], 100);
}

TEST_F(CoverageTest, HostCountsBetweenLaunchesAreKept) {
  counters_[5] = 9;
  run(1, 1, [&] { ++counters_[5]; });
  counters_[5] += 3;
  run(1, 256, [&] { ++counters_[6]; });
  EXPECT_EQ(counters_[5], 13);
  EXPECT_EQ(counters_[6], 255);
}

TEST_F(CoverageTest, WarpLoopsWithoutBarriers) {
  run(1, 32, [&] {
    for (int i = 0; i < 64; ++i) {
      ++counters_[7];  // 2048 times
      warp_collective(WarpOp::sync, ~0u, 0, 0, 32, HERE);
    }
  });
  EXPECT_EQ(counters_[7], 255);
}

TEST_F(CoverageTest, CountsOfALaunchThatFaultedAreKept) {
  run(1, 64, [&] {
    ++counters_[8];
    if (tid() == 63) kernel_fault(FaultClass::assertion, {}, "x");
  });
  EXPECT_EQ(counters_[8], 64);
}

TEST_F(CoverageTest, RunsWithoutCoverageLeaveNoTrace) {
  counters_[2] = 7;
  end_case();
  begin_case({}, 0, false);
  EXPECT_FALSE(trace_compares());
  run(1, 300, [&] {
    ++counters_[2];
    ++counters_[30];
  });
  end_case();
  EXPECT_EQ(counters_[2], 7);
  EXPECT_EQ(counters_[30], 0);
  begin_case({}, 0, true);
  EXPECT_TRUE(trace_compares());
}

TEST(Operands, FirstAndLastPairOfEachComparison) {
  clear_compare_operands();
  for (std::uint64_t i = 0; i < 1000; ++i) record_operands(0x1000, i, 77, false);
  record_operands(0x2000, 3, 48, false);
  double x = 1.5, y = 2.25;
  std::uint64_t bits[2];
  std::memcpy(&bits[0], &x, 8);
  std::memcpy(&bits[1], &y, 8);
  record_operands(0x3000, bits[0], bits[1], true);
  Operands seen = compare_operands();
  std::vector<std::vector<std::uint64_t>> pairs;
  for (std::size_t i = 0; i < seen.pairs.size(); i += 2) pairs.push_back({seen.pairs[i], seen.pairs[i + 1]});
  EXPECT_THAT(pairs, ::testing::UnorderedElementsAre(::testing::ElementsAre(0, 77), ::testing::ElementsAre(999, 77),
                                                     ::testing::ElementsAre(3, 48)));
  EXPECT_THAT(std::vector<double>(seen.float_pairs.begin(), seen.float_pairs.end()), ::testing::ElementsAre(1.5, 2.25));
  for (std::uint64_t pc = 1; pc < 100000; ++pc) record_operands(pc * 16, pc, 1, false);
  EXPECT_LE(compare_operands().pairs.size(), 2u * 2 * kOperandSlots);
  clear_compare_operands();
  EXPECT_TRUE(compare_operands().pairs.empty());
}

}  // namespace
}  // namespace warpfuzz::cpu
