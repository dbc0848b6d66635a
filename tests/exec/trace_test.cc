// Compare operands on their way to the engine. This file is instrumented as kernels are; trace_engine.cc stands for
// libFuzzer.
#include <algorithm>

#include "exec/cpu/operands.h"
#include "kernel_test.h"
#include "trace_engine.h"

extern "C" std::uint8_t __start___sancov_cntrs[], __stop___sancov_cntrs[];

namespace warpfuzz::cpu {
namespace {

using ::testing::ElementsAre;

// As kernels see them: values that the compiler cannot know.
volatile int rows = 5;
volatile std::int64_t wide = 1ll << 40;
volatile short small = 7;
volatile int which = 3;
volatile float x = 1.5f;
volatile double y = -2.5;
volatile int sink = 0;

__attribute__((noinline)) void comparing_thread(void*) {
  if (rows == 48) sink = 1;
  if (wide > rows) sink = 2;
  if (small == 9) sink = 3;
  switch (which) {
    case 100: sink = 4; break;
    case 205: sink = 5; break;
    case 1000: sink = 6; break;
    case 30: sink = 7; break;
  }
  __warpfuzz_fcmp32(x, 4.0f);
  __warpfuzz_fcmp64(y, 8.0);
  sink = 8;  // so that the last comparison is no tail call
}

class TraceTest : public ExecutorTest {
 protected:
  TraceTest() {
    clear_compare_operands();
    engine_calls.clear();
  }
  static int compare() { return launch({{1, 1, 1}, {4, 1, 1}, 0}, comparing_thread, nullptr, "k", kSharedDefault, 0); }
  static bool has(std::uint64_t a, std::uint64_t b) {
    Operands o = compare_operands();
    for (std::size_t i = 0; i < o.pairs.size(); i += 2)
      if ((o.pairs[i] == a && o.pairs[i + 1] == b) || (o.pairs[i] == b && o.pairs[i + 1] == a)) return true;
    return false;
  }
};

TEST_F(TraceTest, OperandsOfKernelsAreNoted) {
  ASSERT_EQ(compare(), 0);
  EXPECT_TRUE(has(5, 48));
  EXPECT_TRUE(has(1ull << 40, 5));
  EXPECT_TRUE(has(7, 9));
  EXPECT_TRUE(has(3, 100));
  EXPECT_TRUE(has(3, 1000));
  Operands o = compare_operands();
  std::vector<std::vector<double>> floats;
  for (std::size_t i = 0; i < o.float_pairs.size(); i += 2) floats.push_back({o.float_pairs[i], o.float_pairs[i + 1]});
  EXPECT_THAT(floats, ::testing::UnorderedElementsAre(ElementsAre(1.5, 4.0), ElementsAre(-2.5, 8.0)));
}

// The counters that the compiler made, found by their section.
TEST_F(TraceTest, CountersOfInstrumentedKernelsSaturate) {
  ASSERT_LT(__start___sancov_cntrs, __stop___sancov_cntrs);
  std::fill(__start___sancov_cntrs, __stop___sancov_cntrs, 0);
  ASSERT_EQ(launch({{1, 1, 1}, {256, 1, 1}, 0}, comparing_thread, nullptr, "k", kSharedDefault, 0), 0);
  EXPECT_EQ(*std::max_element(__start___sancov_cntrs, __stop___sancov_cntrs), 255) << "256 threads are not none";
}

TEST_F(TraceTest, TheEngineSeesTheKernelAsItsCaller) {
  ASSERT_EQ(compare(), 0);
  auto kernel = reinterpret_cast<std::uintptr_t>(&comparing_thread);
  int inside = 0;
  for (const EngineCall& c : engine_calls) inside += c.caller > kernel && c.caller < kernel + 2048;
  EXPECT_GE(inside, 4 * 6) << "six comparisons of each of four threads";
}

TEST_F(TraceTest, FloatsReachTheEngineAsIntegersOfTheSameOrder) {
  ASSERT_EQ(compare(), 0);
  auto find = [](unsigned size, std::uint64_t a, std::uint64_t b) {
    for (const EngineCall& c : engine_calls)
      if (c.size == size && c.a == a && c.b == b) return true;
    return false;
  };
  EXPECT_TRUE(find(4, 0x80000000u | 0x3fc00000u, 0x80000000u | 0x40800000u));
  EXPECT_TRUE(find(8, ~0xc004000000000000ull, 0x8000000000000000ull | 0x4020000000000000ull));
}

TEST_F(TraceTest, HostCodeReachesTheEngineButNotTheTable) {
  comparing_thread(nullptr);
  EXPECT_FALSE(engine_calls.empty());
  EXPECT_TRUE(compare_operands().pairs.empty());
}

TEST_F(TraceTest, RunsWithoutCoverageAreSilent) {
  end_case();
  begin_case({}, 0, false);
  engine_calls.clear();
  ASSERT_EQ(compare(), 0);
  auto kernel = reinterpret_cast<std::uintptr_t>(&comparing_thread);
  for (const EngineCall& c : engine_calls) EXPECT_FALSE(c.caller > kernel && c.caller < kernel + 2048);
  EXPECT_TRUE(compare_operands().pairs.empty());
}

}  // namespace
}  // namespace warpfuzz::cpu
