// A case run again: what was recorded of it against what its target says now.
#pragma once
#include <string>

#include "client/context.h"

namespace warpfuzz::cli {

struct Replayed {
  std::string recorded, now;  // keys; "" = no finding. Of a .case, what its `expect:` line names
  std::string fault;          // the class that shows now
  bool has_record = false, same = false;
  Reply<ReplayResult> reply;  // an answer or a fault event
};
// A Failure where the target does not answer.
Replayed replay_one(const Context& c, TargetClient& target, const CaseFile& file);

}  // namespace warpfuzz::cli
