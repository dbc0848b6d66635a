// How a campaign goes on behind a fault that ended its process: the same process begins anew, with what is left to do.
#include <cstdlib>

#include <fmt/format.h>

#include "base/exit_codes.h"
#include "engine/campaign.h"
#include "numeric/hash.h"
#include "process/say.h"
#include "process/service_build.h"

namespace warpfuzz {

bool Campaign::restarts() const {
  return options_.restart && can_restart_ && !invocation_.merge && !invocation_.minimize && !invocation_.fork_parent &&
         !kServiceBuild;
}

void Campaign::take_up() {
  carried_ = take_over();
  tally_ = carried_.tally;
  store_.take_up(carried_.known);
}

// A case that ended a process of this campaign would end this one too.
bool Campaign::ended_a_process(std::span<const std::uint8_t> bytes) {
  if (carried_.fatal.empty()) return false;
  const auto at = carried_.fatal.find(hash_bytes(bytes.data(), bytes.size()));
  if (at == carried_.fatal.end()) return false;
  ++tally_.executions;
  store_.executed();
  if (at->second == kUnsupported) {
    ++tally_.unsupported;
    return true;
  }
  ++tally_.keys[at->second];
  store_.found(at->second);
  return true;
}

// The engine runs its whole corpus first, whatever -runs says. The first process did; one that began anew stops at the number that was left.
bool Campaign::did_its_runs() const {
  if (carried_.deaths == 0 || mutates_ || invocation_.runs < 0) return false;
  return tally_.executions - carried_.tally.executions >= static_cast<std::uint64_t>(invocation_.runs);
}

// Comes back where the process has to end after all.
void Campaign::begin_anew_after(const std::string& key) {
  if (!restarts()) return;
  ++tally_.executions;
  if (key == kUnsupported) ++tally_.unsupported;
  else count_known(key);
  ++carried_.deaths;
  carried_.in_vain = completed_ ? 0 : carried_.in_vain + 1;
  if (carried_.fatal.size() < kMostFatal) carried_.fatal[hash_bytes(current().data(), current().size())] = key;
  leave_nothing_open();
  if (carried_.in_vain >= kMostInVain) {
    print(fmt::format(
        "warpfuzz: {} processes in a row ended before one case ran to its end, the last by {}: the campaign ends; mend that first, or "
        "narrow the target\n",
        carried_.in_vain, key));
    end_early(kExitFinding);
  }
  const auto arguments = remaining_arguments(invocation_, carried_, tally_.executions - carried_.tally.executions);
  print(fmt::format("warpfuzz: {} ended the process at execution {} ({} so far); {}\n", key, tally_.executions,
                    carried_.deaths, arguments ? "it begins anew" : "nothing is left to do"));
  if (!arguments) end_early(kExitOk);
  carried_.tally = tally_;
  carried_.known = store_.known();
  can_restart_ = false;
  print(fmt::format("warpfuzz: {}\n", begin_anew(invocation_, *arguments, carried_)));
}

}  // namespace warpfuzz
