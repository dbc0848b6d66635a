// Reading bin/targets.json.
#include "client/target_list.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "base/exit_codes.h"
#include "base/json_fields.h"

namespace warpfuzz::cli {

using nlohmann::json;

namespace {
const std::set<std::string> kLists{"all", "controls", "bugs"};
}

std::vector<ListedTarget> listed_targets(const Context& c) {
  const std::string path = c.bin + "/targets.json";
  const Result<Bytes> bytes = read_file(path);
  if (!bytes)
    throw Failure(kExitNoTarget, fmt::format("{}; name the folder of the target binaries with --bin", bytes.line()));
  const json j = parse_json(*bytes, 8).value_or({});
  if (!j.is_object() || !j.value("targets", json()).is_array())
    throw Failure(kExitBadFile, fmt::format("'{}': expected the list of a build's targets; build again", path));
  std::vector<ListedTarget> targets;
  for (const char* list : {"controls", "planted_bugs", "subtle_bugs"})
    for (const json& t : j["targets"]) {
      ListedTarget listed;
      std::string error;
      Fields in(t, "targets", error);
      in.text("name", listed.name);
      in.text("list", listed.list);
      if (listed.list == list) targets.push_back(listed);
    }
  return targets;
}

std::vector<std::string> resolve_targets(const Context& c, const std::vector<std::string>& given) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    target_binary(c, name);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const std::string& g : given) {
    if (kLists.contains(g) && ::access((c.bin + "/fuzz_" + g).c_str(), X_OK) == 0)
      throw Failure(
          kExitUsage,
          fmt::format(
              "'{}' is one of the build's lists and, in '{}', a target too: write fuzz_{} for the target, or rename it to name the list",
              g, printable(c.bin, false), g));
    if (!kLists.contains(g)) {
      add(plain_target(g));
      continue;
    }
    std::vector<ListedTarget> listed;
    if (g != "all" || std::ifstream(c.bin + "/targets.json")) listed = listed_targets(c);
    for (const ListedTarget& t : listed)
      if (g == "all" || (g == "controls") == (t.list == "controls")) add(t.name);
    if (g == "all" && listed.empty())
      for (const std::string& name : target_names(c)) add(name);
    if (names.empty())
      throw Failure(kExitNoTarget, fmt::format("'{}': the build in '{}' has no such targets", g, c.bin));
  }
  return names;
}

}  // namespace warpfuzz::cli
