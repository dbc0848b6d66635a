// `warpfuzz run`: campaigns of many targets that run for days.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <random>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "campaign/supervisor.h"
#include "cli/parser/command.h"
#include "cli/parser/shared_options.h"
#include "client/target_list.h"

namespace warpfuzz::cli {
namespace {

void declare(CLI::App& a, RunOptions& o) {
  a.add_option("TARGET", o.targets, "Targets; controls, bugs or all: those of the build's lists")->required();
  a.add_option("--workers", o.workers, "Processes at a time (default: 1)")->check(CLI::Range(1, 1024));
  add_time(a, "--time", o.time, "How long: 90, 45m, 12h, 7d; 0: until it is stopped (default: 0)");
  a.add_option("--backend", o.backend, "cpu or cuda: whose binaries (default: cpu)")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  a.add_option("--folder", o.folder, "Where corpus/, crashes/new/ and campaign/ are (default: here)")->type_name("DIR");
  a.add_option("--seed", o.seed, "Seed of the workers' seeds (default: drawn and printed)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62));
  add_time(a, "--slice", o.slice,
           "Turn of a target where there are fewer workers than targets (default: 60, less in short runs)");
  add_time(a, "--merge-every", o.merge_every, "How often a corpus is merged and minimised; 0: never (default: 30m)");
  add_time(a, "--recycle", o.recycle, "Age at which a worker is replaced; 0: none (default: 1h)");
  a.add_option("--chores", o.chores,
               "Percent of the workers' time for merges, shrinking and error records; 0: none (default: 10)")
      ->check(CLI::Range(0, 90));
  a.add_option("--corpus-limit", o.corpus_limit, "MiB of a target's corpus (default: 256)")
      ->check(CLI::Range(1, 1 << 20));
  a.add_option("--crashes-limit", o.crashes_limit, "MiB of a target's folder of new findings (default: 64)")
      ->check(CLI::Range(1, 1 << 20));
  a.add_option("--memory-limit", o.memory_limit, "MiB of a worker (default: 2048)")->check(CLI::Range(64, 1 << 20));
}

// --bin says where binaries are; without it the ones of another backend lie beside those of this executable.
std::string folder_of(const Context& c, const std::string& backend) {
  if (backend == "cpu" || c.bin != own_folder()) return c.bin;
  return (std::filesystem::path(own_folder()) / ".." / ".." / backend / "bin").lexically_normal().string();
}

constexpr double kLeastTime = 1;  // what libFuzzer's clock counts in

int run(const Context& given, const RunOptions& o) {
  Context c = given;
  c.bin = folder_of(given, o.backend);
  RunOptions options = o;
  while (!options.seed) options.seed = std::random_device{}();
  if (options.time > 0 && options.time < kLeastTime)
    throw Failure(kExitUsage, fmt::format("--time: expected 0 (until it is stopped) or at least {:g} s, got {:g} s",
                                          kLeastTime, options.time));
  if (options.folder.empty()) throw Failure(kExitUsage, "--folder: expected a folder, got nothing");
  resolve_targets(c, options.targets);  // a name that is wrong leaves no folder and no index behind
  return Supervisor(c, options).run();
}

}  // namespace

extern const Command kRun{
    "run",
    "A campaign of many targets: workers, corpora, an index of findings; exit code 77 for new keys (docs/campaigns.md)",
    declare, run};

}  // namespace warpfuzz::cli
