// Decides when a case takes too long, from what the watchdog sees of the thread that runs it. No clock is read here: each
// look is handed in.
#pragma once
#include <cstdint>

namespace warpfuzz {

// Seconds; 0: no limit. Time that the thread waits for a processor (a busy machine) or that the process is stopped (a
// debugger, a suspended machine) counts for neither.
struct CaseLimits {
  int processor = 0;  // of the thread's own work
  int total = 0;      // of its work, and of sleeping or waiting for something other than a processor
};

struct CaseLook {
  std::uint64_t number = 0;        // of the case that runs; 0: none
  std::uint64_t processor_ns = 0;  // what the thread has used since it started
  std::uint64_t wall_ns = 0;
  bool asleep = false;  // the thread wants no processor
};

struct Overrun {
  enum class By : std::uint8_t { nothing, processor, total, sleep };  // sleep: over the total, mostly asleep
  By by = By::nothing;
  int limit = 0;  // seconds
};

class CaseClock {
 public:
  explicit CaseClock(CaseLimits limits) : limits_(limits) {}
  Overrun look(const CaseLook& now);

 private:
  CaseLimits limits_;
  CaseLook first_, last_;  // of the case that is watched
  std::uint64_t asleep_ns_ = 0;
};

}  // namespace warpfuzz
