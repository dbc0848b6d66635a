// Many cases of one target, split over several processes of it. What comes out does not depend on the split.
#pragma once
#include <functional>
#include <map>
#include <string>

#include "client/context.h"
#include "oracle/statistics.h"

namespace warpfuzz::cli {

struct Swept {
  ErrorTable records;
  std::map<std::string, std::uint64_t> keys;
  std::uint64_t executions = 0, failed = 0;
  std::string first_death;           // message of the first case that ended its process
  std::optional<WorstCase> worst;    // of the answers: the one with the largest ratio
  std::optional<CalibratedRow> row;  // of a calibration, the same in all answers
  std::optional<Evidence> evidence;
};
// The answer to a portion: to `stats` its first part alone.
using PortionReply = Reply<CalibrationResult>;
PortionReply of_stats(Reply<WholeStats> reply);

// Portions of the cases 0 .. cases - 1; `ask` sends the request for `count` of them from `first` on.
// A case that ends its process counts as failed; the rest of its portion is run again.
Swept sweep(
    const Context& c, const std::string& target, std::uint64_t cases, int jobs,
    const std::function<PortionReply(TargetClient&, std::uint64_t first, std::uint64_t count, double seconds)>& ask);

// Runs `work`, which must not throw, on so many threads at once; returns when all have ended.
void on_threads(int jobs, const std::function<void()>& work);

}  // namespace warpfuzz::cli
