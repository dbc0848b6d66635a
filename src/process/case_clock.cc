#include "process/case_clock.h"

#include <algorithm>

namespace warpfuzz {
namespace {

constexpr std::uint64_t kSecond = 1000000000;
// Looks come every 50 ms. A longer gap means that the watchdog itself did not run: then nobody knows what the thread did.
constexpr std::uint64_t kLongestGap = kSecond / 5;

bool over(int limit, std::uint64_t ns) { return limit > 0 && ns >= static_cast<std::uint64_t>(limit) * kSecond; }

}  // namespace

Overrun CaseClock::look(const CaseLook& now) {
  if (now.number == 0 || now.number != first_.number) {
    first_ = last_ = now;
    asleep_ns_ = 0;
    return {};
  }
  const std::uint64_t gap = std::min(now.wall_ns - last_.wall_ns, kLongestGap);
  const bool worked = now.processor_ns - last_.processor_ns > gap / 10;
  if (now.asleep && !worked) asleep_ns_ += gap;
  last_ = now;
  const std::uint64_t used = now.processor_ns - first_.processor_ns;
  if (over(limits_.processor, used)) return {Overrun::By::processor, limits_.processor};
  if (!over(limits_.total, used + asleep_ns_)) return {};
  return {asleep_ns_ > used ? Overrun::By::sleep : Overrun::By::total, limits_.total};
}

}  // namespace warpfuzz
