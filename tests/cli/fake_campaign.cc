// The fake target's campaigns: what a target does when libFuzzer's arguments are given to it, by its mode.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/count_file.h"
#include "base/option_text.h"
#include "fake_target.h"

namespace {

using namespace warpfuzz;

// A finding whose file is made smaller while a supervisor looks on, and then comes to be another one.
void shrink_slowly(const std::string& folder) {
  const std::string file = folder + "/value-1.wfz";
  save_finding(file, 9);
  std::cerr << "warpfuzz: shrinks/value at execution 1: fake fp32 rows=1 cols=9" << std::endl;
  std::this_thread::sleep_for(std::chrono::milliseconds(3000));
  save_finding(file, 5);
  std::cerr << "SUMMARY: WarpFuzz: shrinks/value\nwarpfuzz: reproducer written to " << file << std::endl;
}

// Counts executions in the file that counts= names, for as long as -max_total_time= says.
int count_cases(const std::string& mode, const std::string& options, int argc, char** argv) {
  CountFile counts;
  const Result<std::vector<OptionPair>> split = split_options(options);
  if (!split) return 80;
  const std::vector<OptionPair>& pairs = *split;
  std::set<std::string> names;
  for (const OptionPair& p : pairs)
    if (!names.insert(p.name).second) return 80;
  const auto file = std::find_if(pairs.begin(), pairs.end(), [](const OptionPair& p) { return p.name == "counts"; });
  if (file == pairs.end() || !counts.open(*file->value).empty()) return 84;
  if (mode == "shrinks")
    for (const OptionPair& p : pairs)
      if (p.name == "crashes") shrink_slowly(*p.value);
  int seconds = 1;
  for (int i = 1; i < argc; ++i)
    if (std::string(argv[i]).starts_with("-max_total_time=")) seconds = std::atoi(argv[i] + 16);
  if (mode == "untold") {
    counts.found("untold/value");
    std::cerr
        << "warpfuzz: untold/value at execution 1: fake fp32 rows=1 cols=3\n"
           "warpfuzz: cannot write 'x.wfz': No space left on device; the finding is not on disk, its case is: 010103\n"
           "==WARPFUZZ== ERROR: value: untold fp32 rows=1 cols=3: y[0] = 1\n"
           "  key          untold/value\n  fault        value: wrong\n  case         fake fp32 rows=1 cols=3\n";
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  for (int i = 0; std::chrono::steady_clock::now() < end; ++i) {
    counts.executed();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (mode == "badref" && i == 5) {
      std::cerr << "warpfuzz: target error: the reference wrote out of bounds\n==1==ABORTING" << std::endl;
      return 83;
    }
  }
  return 0;
}

}  // namespace

// A campaign as libFuzzer runs it: what the exit code and standard error tell.
int fake_campaign(const std::string& mode, int argc, char** argv) {
  const char* options = std::getenv("WARPFUZZ_OPTIONS");
  std::cerr << "options " << (options ? options : "none") << std::endl;
  if (mode == "abort") return 1;
  if (mode == "busy" || mode == "untold" || mode == "badref" || mode == "shrinks")
    return count_cases(mode, options ? options : "", argc, argv);
  if (mode == "full") {
    std::cerr << "warpfuzz: cannot reserve 65536 bytes for 'counts-1': No space left on device; no case is executed"
              << std::endl;
    return 84;
  }
  if (mode == "clean" || mode == "sticky") return 0;
  std::cerr
      << "==WARPFUZZ== ERROR: value: fake: y[0] = 1\n  found        cpu, none, 2026-03-01T12:34:56Z, execution 7 of seed 3\n"
      << "DEDUP_TOKEN: " << mode << "/value" << std::endl;
  return 77;
}
