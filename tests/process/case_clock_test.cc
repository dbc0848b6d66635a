// When a case takes too long, with clocks of the test's own: machines that are busy, suspended, slow.
#include "process/case_clock.h"

#include <gtest/gtest.h>

namespace warpfuzz {
namespace {

using By = Overrun::By;
constexpr std::uint64_t kMs = 1000000;

// A thread and the watchdog that looks at it.
struct Scene {
  explicit Scene(CaseLimits limits) : clock(limits) { now.number = 1; }
  CaseClock clock;
  CaseLook now;
  Overrun last = {};

  // For `seconds` on the wall: looks every `every` ms, the thread using `share` of a processor.
  By pass(double seconds, double share, bool asleep, double every = 50) {
    for (double t = 0; t < seconds * 1000; t += every) {
      now.wall_ns += static_cast<std::uint64_t>(every * kMs);
      now.processor_ns += static_cast<std::uint64_t>(every * kMs * share);
      now.asleep = asleep;
      last = clock.look(now);
      if (last.by != By::nothing) return last.by;
    }
    return By::nothing;
  }
};

TEST(CaseClock, ProcessorTimeIsWhatHangs) {
  Scene s({.processor = 10, .total = 25});
  EXPECT_EQ(s.pass(9.9, 1, false), By::nothing);
  EXPECT_EQ(s.pass(0.2, 1, false), By::processor);
  EXPECT_EQ(s.last.limit, 10);
}

TEST(CaseClock, ABusyMachineMakesNoHang) {
  Scene s({.processor = 10, .total = 25});
  // A kernel of 8 s with a twentieth of a processor: 160 s on the wall, its thread ready to run at every look.
  EXPECT_EQ(s.pass(160, 0.05, false), By::nothing);
  // The watchdog's own looks come late, too, and by chance meet the thread asleep.
  EXPECT_EQ(s.pass(20, 0.05, true, 2000), By::nothing);
}

TEST(CaseClock, ASuspendedMachineMakesNoHang) {
  Scene s({.processor = 10, .total = 25});
  EXPECT_EQ(s.pass(5, 1, false), By::nothing);
  s.now.wall_ns += 8 * 3600 * 1000 * kMs;
  s.now.asleep = true;
  EXPECT_EQ(s.clock.look(s.now).by, By::nothing);
  EXPECT_EQ(s.pass(4.5, 1, false), By::nothing);
  EXPECT_EQ(s.pass(1, 1, false), By::processor);
}

TEST(CaseClock, SleepCountsForTheTotal) {
  Scene s({.processor = 10, .total = 25});
  EXPECT_EQ(s.pass(24.8, 0, true), By::nothing);
  EXPECT_EQ(s.pass(0.4, 0, true), By::sleep);
  EXPECT_EQ(s.last.limit, 25);
}

TEST(CaseClock, WorkCountsForTheTotalToo) {
  Scene s({.processor = 10, .total = 2});
  EXPECT_EQ(s.pass(1.9, 1, false), By::nothing);
  EXPECT_EQ(s.pass(0.2, 1, false), By::total);
  EXPECT_EQ(s.last.limit, 2);
}

// The state says asleep, the time says that it works: a container whose /proc knows no better.
TEST(CaseClock, AThreadThatUsesTimeIsNotAsleep) {
  Scene s({.processor = 0, .total = 30});
  EXPECT_EQ(s.pass(29, 0.5, true), By::nothing);
  EXPECT_EQ(s.pass(40, 0.5, true), By::total);
}

TEST(CaseClock, EachCaseStartsAnew) {
  Scene s({.processor = 10, .total = 25});
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(s.pass(9, 1, false), By::nothing);
    ++s.now.number;
  }
  s.now.number = 0;
  EXPECT_EQ(s.pass(100, 1, false), By::nothing);
}

TEST(CaseClock, ZeroIsNoLimit) {
  Scene s({.processor = 0, .total = 0});
  EXPECT_EQ(s.pass(1000, 1, true), By::nothing);
  EXPECT_EQ(s.pass(1000, 0, true), By::nothing);
}

}  // namespace
}  // namespace warpfuzz
