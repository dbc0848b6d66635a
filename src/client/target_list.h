// What a build says about its targets: bin/targets.json.
#pragma once
#include <string>
#include <vector>

#include "client/context.h"

namespace warpfuzz::cli {

struct ListedTarget {
  std::string name, list;  // list: "controls", "planted_bugs", "subtle_bugs"
};
// Those that stand in one of the build's lists, list by list. A Failure where the file is missing or no list.
std::vector<ListedTarget> listed_targets(const Context& c);

// Names of targets, and `controls`, `bugs` and `all`, which stand for those of the build's lists; where it has no lists, `all` is
// every target of the folder. Each once, in the order given. A target that is called like a list is named fuzz_all; `all` alone is
// refused then.
std::vector<std::string> resolve_targets(const Context& c, const std::vector<std::string>& given);

}  // namespace warpfuzz::cli
