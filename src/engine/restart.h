// A campaign that outlives the faults it knows: where one ends the process, the same process begins anew (exec) with what is
// left to do, and takes up the counts of the campaign. Signals, the process number and the open terminal stay as they are.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/invocation.h"
#include "engine/store/known_findings.h"
#include "pipeline/tally.h"

namespace warpfuzz {

// What one process of a campaign hands to the next.
struct Carried {
  Tally tally;
  std::int64_t began = 0;       // this process; nanoseconds of the monotonic clock
  int deaths = 0, in_vain = 0;  // processes that ended; the last of them in a row that brought no case to its end
  std::map<std::uint64_t, std::string> fatal;  // hash of a case that ended a process -> its key: it is not run again
  std::map<std::string, KnownFindings::Variants> known;
};

inline constexpr const char* kUnsupported = "unsupported";  // stands for a key, of a case that cannot be run
inline constexpr int kMostInVain = 20;
inline constexpr std::size_t kMostFatal = 10000;

// Of the process before; an empty one where this is the first.
Carried take_over();

// The command line with what remains of -runs and -max_total_time behind so many executions of this process, and a seed of its own, or the same cases would be tried
// again. Nothing where nothing is left to do.
std::optional<std::vector<std::string>> remaining_arguments(const Invocation& in, const Carried& state,
                                                            std::uint64_t executions);

// Does not return where it succeeds; else one line about why not.
std::string begin_anew(const Invocation& in, const std::vector<std::string>& arguments, const Carried& state);

}  // namespace warpfuzz
