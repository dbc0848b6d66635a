// `warpfuzz crosscheck`: the same cases on two builds, one of each backend. What they say of each case must agree.
#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "base/text/counted.h"
#include "cli/parser/command.h"
#include "client/target_list.h"

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Options {
  std::vector<std::string> targets;                      // names; all, controls, bugs
  std::string with;                                      // folder of the other build's binaries
  std::vector<std::string> folders{"seeds", "crashes"};  // with a folder of cases for each target
};

void declare(CLI::App& a, Options& o) {
  a.add_option("TARGET", o.targets, "Targets; controls, bugs or all (default: all)");
  a.add_option("--with", o.with, "Folder of the other build's binaries, for instance build/cuda/bin")
      ->required()
      ->type_name("DIR");
  a.add_option("--cases", o.folders, "Folders that hold a folder of cases for each target (default: seeds crashes)")
      ->type_name("DIR");
}

struct Said {
  std::string fault, key, message;
};
struct Compared {
  std::string target, file;
  Said here, there;
  bool same = false;
};
struct Counts {
  std::size_t files = 0, findings = 0, differ = 0;
};

// A kernel that lacks a barrier is wrong in its values on a device, and only in another order on the executor.
bool same_class(const std::string& a, const std::string& b) {
  const auto unordered = [](const std::string& f) { return f == "value" || f == "race" || f == "nondeterministic"; };
  return a == b || (unordered(a) && unordered(b));
}

// Keys name a kernel where the fault has a place; of classes that count as one the key is of no matter.
bool agree(const Said& a, const Said& b) {
  if (a.fault != b.fault) return same_class(a.fault, b.fault);
  return a.key == b.key;
}

Said ask(const Context& c, TargetClient& target, const std::string& path) {
  std::error_code ec;
  const Reply<ReplayResult> r = target.ask(ReplayRequest{fs::absolute(path, ec).string(), {}}, c.limit(kRunSeconds));
  if (!r.error.empty()) throw Failure(r.exit_code, r.error);
  if (r.died) return {std::string(fault_name(r.died->fault)), r.died->key, r.died->message};
  const RunResult& result = r.answer.result;
  return {std::string(fault_name(result.fault)), result.key, result.message};
}

// seeds/<target>, crashes/<target> and corpus/<target> below the given roots, or of the folders themselves.
std::vector<std::string> files_of(const std::string& target, const std::vector<std::string>& roots) {
  std::vector<std::string> files;
  for (const std::string& root : roots) {
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(fs::path(root) / target, ec))
      if (entry.is_regular_file(ec) && entry.path().filename().string()[0] != '.')
        files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

json to_json(const Compared& r) {
  const auto said = [](const Said& s) { return json{{"fault", s.fault}, {"key", s.key}, {"message", s.message}}; };
  return {{"target", r.target}, {"file", r.file}, {"same", r.same}, {"here", said(r.here)}, {"there", said(r.there)}};
}

std::string shown(const Said& s) { return s.key.empty() ? "pass" : s.key; }

int run(const Context& c, const Options& o) {
  Context there = c;
  there.bin = o.with;
  for (const std::string& folder : o.folders)
    if (std::error_code ec; !fs::is_directory(folder, ec))
      throw Failure(kExitBadFile, fmt::format("--cases: {}: no such folder", printable(folder, false)));
  const std::vector<std::string> targets =
      resolve_targets(c, o.targets.empty() ? std::vector<std::string>{"all"} : o.targets);
  std::map<std::string, Counts> counts;
  std::vector<Compared> results;
  std::string names[2];
  for (const std::string& target : targets) {
    const std::vector<std::string> files = files_of(target, o.folders);
    if (files.empty()) continue;
    TargetClient first(target_binary(c, target)), second(target_binary(there, target));
    int i = 0;
    for (TargetClient* client : {&first, &second}) { names[i++] = must(client->hello()).backend; }
    if (names[0] == names[1])
      throw Failure(kExitUsage,
                    fmt::format("--with: expected a build of another backend, {} and {} are both builds for {}", c.bin,
                                o.with, names[0]));
    for (const std::string& file : files) {
      Compared r{target, file, ask(c, first, file), ask(there, second, file)};
      r.same = agree(r.here, r.there);
      Counts& n = counts[target];
      n.files++;
      n.findings += !r.here.key.empty();
      n.differ += !r.same;
      if (!c.json && !r.same)
        print(fmt::format("{}: {} on {}, {} on {}{}\n", printable(file, false), shown(r.here), names[0], shown(r.there),
                          names[1], r.there.message.empty() ? "" : ": " + r.there.message));
      results.push_back(std::move(r));
    }
  }
  if (results.empty())
    throw Failure(
        kExitBadFile,
        fmt::format(
            "no case of these targets in the folders given: expected FOLDER/<target>/*, for instance seeds and crashes"));
  std::size_t differ = 0;
  for (const auto& [target, n] : counts) differ += n.differ;
  if (c.json) {
    json list = json::array();
    for (const Compared& r : results) list.push_back(to_json(r));
    print_json({{"here", names[0]}, {"there", names[1]}, {"cases", list}, {"differ", differ}});
  } else {
    std::vector<std::vector<std::string>> rows{
        {"target", "cases", fmt::format("findings on {}", names[0]), "differ on " + names[1]}};
    for (const auto& [target, n] : counts)
      rows.push_back({target, std::to_string(n.files), std::to_string(n.findings), std::to_string(n.differ)});
    print(table(rows, {false, true, true, true}));
    print(fmt::format("{}, {} differ\n", counted(results.size(), "case"), differ));
  }
  return differ ? kExitBackendsDiffer : kExitOk;
}

}  // namespace

extern const Command kCrosscheck{
    "crosscheck",
    "Run the same cases on another backend's build too: exit code 94 where the two disagree (docs/cuda.md)", declare,
    run};

}  // namespace warpfuzz::cli
