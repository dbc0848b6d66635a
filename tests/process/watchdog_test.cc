// The watchdog's signal finds its owner: each has a hook of its own, and a case that has ended is left alone.
#include "process/watchdog.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

namespace warpfuzz {
namespace {

struct Owner {
  int code;
  void late(void*, Overrun overrun) { std::_Exit(overrun.by == Overrun::By::processor ? code : 1); }
};

// Works until it is ended.
void work() {
  for (volatile unsigned n = 0;;) n = n + 1;
}

void run_late(int idle, int busy) {
  Owner first{busy}, second{idle};
  Watchdog watching({.processor = 1}, Watchdog::Handler::to<&Owner::late>(first));
  Watchdog other({.processor = 1}, Watchdog::Handler::to<&Owner::late>(second));
  watching.begin();
  work();
}

TEST(WatchdogDeathTest, EndsACaseThroughTheHookOfItsOwner) {
  EXPECT_EXIT(run_late(42, 43), ::testing::ExitedWithCode(43), "");
}

// A signal of this number that nobody here has sent says nothing about a case.
void get_a_signal() {
  Owner owner{44};
  Watchdog watching({.processor = 100}, Watchdog::Handler::to<&Owner::late>(owner));
  watching.begin();
  std::raise(SIGRTMIN + 4);
  std::_Exit(7);
}

TEST(WatchdogDeathTest, IgnoresASignalOfSomebodyElse) { EXPECT_EXIT(get_a_signal(), ::testing::ExitedWithCode(7), ""); }

}  // namespace
}  // namespace warpfuzz
