// How a campaign ends: its summary, a signal, and what stands on the screen last when the process dies.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include <fmt/format.h>

#include "engine/campaign.h"
#include "engine/family.h"
#include "process/say.h"
#include "process/screen.h"
#include "process/service_build.h"

namespace warpfuzz {
namespace {

// Lines that libFuzzer's parent of -fork reads in the log of a process; libFuzzer's own go elsewhere when a process dies.
std::string final_statistics(std::uint64_t executions, std::chrono::duration<double> time) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return fmt::format(
      "stat::number_of_executed_units: {}\nstat::average_exec_per_sec:     {:.0f}\nstat::peak_rss_mb:              {}\n",
      executions, static_cast<double>(executions) / std::max(1.0, time.count()), usage.ru_maxrss >> 10);
}

}  // namespace

void Campaign::print_statistics() {
  const Tally counted = family_.empty() ? tally_ : family_total(family_);
  family_.clear();
  if (!counted.executions || invocation_.replays()) return;
  print(fmt::format("warpfuzz: {}: {}{}\n", target_.name, counted.text(), counted.dims_text(target_)));
  if (saves()) tell_family(counted);
}

void Campaign::on_interrupt(const char* signal) {
  // A finding that is being reported ends the process by itself, with its own exit code.
  for (int i = 0; i < 50 && dying_; ++i) usleep(100'000);
  print(fmt::format("warpfuzz: interrupted by {}\n", signal));
  if (const std::unique_lock lock(counting_, std::chrono::milliseconds(300)); lock) print_statistics();
  in_flight_.drop();
  if (before_death) before_death();
}

void Campaign::leave_nothing_open() {
  dying_ = true;
  in_flight_.close();
  if (saves()) tell_family(tally_);
  if (before_death) before_death();
}

void Campaign::on_sanitizer_error(const ExecStatus& status) {
  // A fault of host code is explained by the sanitizer's stack, and a replay writes no files: there it comes first.
  const bool first = !kServiceBuild && (invocation_.replays() || status.place.kernel.empty());
  on_fatal(status, first);
  if (!first) before_engine_dies();
}

std::string Campaign::last_statistics() const {
  if (!invocation_.final_stats) return "";
  return final_statistics(tally_.executions, std::chrono::steady_clock::now() - begun_);
}

void Campaign::before_engine_dies() {
  if (kServiceBuild) return;
  const std::string last = last_statistics();
  if (invocation_.replays()) {
    leave_screen("/dev/null", last);
  } else if (!log_.empty()) {
    leave_screen(log_, last + fmt::format("warpfuzz: the stack, and what else libFuzzer says: {}\n", log_));
  }
}

}  // namespace warpfuzz
