// Who runs next: every target a turn, the one that has waited longest first, chores in between where the budget has room for them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/text/counted.h"
#include "campaign/supervisor.h"

namespace warpfuzz::cli {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
constexpr double kShortestTurn = 1.5;  // that a process is certain to run cases in, its start included

}  // namespace

std::size_t Supervisor::usable() const {
  return static_cast<std::size_t>(
      std::count_if(targets_.begin(), targets_.end(), [](const TargetState& t) { return t.row.problem.empty(); }));
}

int Supervisor::most_workers_each() const {
  const int n = static_cast<int>(usable());
  return n ? (options_.workers + n - 1) / n : 0;
}

bool Supervisor::all_had_turn() const {
  return std::all_of(targets_.begin(), targets_.end(),
                     [](const TargetState& t) { return t.had_turn || !t.row.problem.empty(); });
}

// The one that has waited longest; before it those that this run has not reached.
std::size_t Supervisor::next_target(double now) const {
  std::size_t best = kNone;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const TargetState& t = targets_[i];
    if (t.busy || !t.row.problem.empty() || t.not_before > now || t.fuzzing >= most_workers_each()) continue;
    if (t.had_turn && merge_next(t, now)) continue;  // as soon as nothing fuzzes it
    const auto rank = [](const TargetState& s) { return std::tuple(s.fuzzing, s.had_turn, s.waits_since); };
    if (best == kNone || rank(t) < rank(targets_[best])) best = i;
  }
  return best;
}

bool Supervisor::start_chore() {
  if (!all_had_turn()) return false;
  const double now = clock_now();
  if (std::none_of(jobs_.begin(), jobs_.end(), [](const auto& j) { return j->kind == JobKind::shrink; }) &&
      start_shrink())
    return true;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const TargetState& t = targets_[i];
    if (!t.row.problem.empty() || t.busy) continue;
    if (t.fuzzing == 0 && merge_next(t, now)) return start_merge(i);
    if (t.errors_due && room_for(errors_seconds(t))) return start_errors(i);
  }
  return false;
}

double Supervisor::turn_length() const {
  const std::size_t n = usable();
  if (static_cast<std::size_t>(options_.workers) >= n)
    return options_.recycle > 0 ? options_.recycle : 1e9;  // no turns
  if (options_.slice > 0) return options_.slice;
  if (!std::isfinite(end_)) return 60;
  const double share = options_.time * options_.workers / static_cast<double>(n);
  return std::clamp(share / 3, std::clamp(share * 0.8, 1.0, 2.0), 60.0);
}

bool Supervisor::start_something() {
  if (start_chore()) return true;
  const double now = clock_now();
  const std::size_t next = next_target(now);
  return next != kNone &&
         start_fuzz(next, {now, now + std::min(turn_length(), time_left()), 0, targets_[next].row.corpus, 0});
}

void Supervisor::fill_slots() {
  while (static_cast<int>(jobs_.size()) < options_.workers && !stop_ && start_something()) {}
}

std::string Supervisor::too_short() const {
  if (options_.time <= 0) return "";
  const double turn = options_.slice > 0 ? std::max(options_.slice, kShortestTurn) : kShortestTurn;
  const auto workers = static_cast<std::size_t>(options_.workers),
             turns = (targets_.size() + workers - 1) / workers;  // one after another
  const double needed = turn * static_cast<double>(turns);
  if (turns < 2 || options_.time >= needed) return "";
  const auto reached = static_cast<std::size_t>(std::max(1.0, options_.time / turn)) * workers;
  return fmt::format(
      "--time {:g} is too short for {} and {}: about {} have a turn; all need --time {:.0f}, or more --workers",
      options_.time, counted(targets_.size(), "target"), counted(workers, "worker"), std::min(reached, targets_.size()),
      std::ceil(needed));
}

// Of a moment with free places.
std::string Supervisor::why_idle() const {
  if (stop_) return "the run is stopping";
  if (usable() == 0) return "no target can be run";
  const double now = clock_now();
  std::vector<std::string> reasons;
  double first = 0;
  int waiting = 0, merging = 0;
  for (const TargetState& t : targets_) {
    if (!t.row.problem.empty()) continue;
    if (t.busy) ++merging;
    else if (t.not_before > now) first = waiting++ ? std::min(first, t.not_before) : t.not_before;
  }
  if (waiting)
    reasons.push_back(fmt::format("{} target{} after many deaths, the first goes on in {:.0f} s", waiting,
                                  waiting == 1 ? " waits" : "s wait", std::ceil(first - now)));
  if (merging)
    reasons.push_back(
        fmt::format("{} corp{} merged, which nothing else may work on", merging, merging == 1 ? "us is" : "ora are"));
  if (time_left() < 1) reasons.push_back("less than a second is left");
  return reasons.empty() ? "the next process is about to start" : fmt::format("{}", fmt::join(reasons, "; "));
}

}  // namespace warpfuzz::cli
