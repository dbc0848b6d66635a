// The main of the replay build: runs files through the same pipeline without a fuzzing engine, for a debugger.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/exit_codes.h"
#include "engine/flags.h"
#include "engine/replayer.h"
#include "pipeline/load_case.h"
#include "process/death/interrupt.h"
#include "process/sanitizer_defaults.h"
#include "service/service.h"

// Of a binary with gcov's counters: writes them. A death by the sanitizer or a hang skips what would at exit.
extern "C" void __gcov_dump() __attribute__((weak));

int main(int argc, char** argv) {
  using namespace warpfuzz;
  use_sanitizer_defaults();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const Target& target = this_target();
  static Invocation invocation = parse_invocation(arguments);
  if (invocation.serve) return serve(target, this_backend(), "replay");
  if (const std::string error = invocation.help ? "" : check_flags(arguments); !error.empty()) {
    std::fprintf(stderr, "warpfuzz: %s\n", error.c_str());
    return kExitUsage;
  }
  if (invocation.inputs.empty() || invocation.help) {
    std::printf(
        "%susage: %s FILE...   replays .wfz reproducers, .case files and raw cases; exit code %d when one has a finding\n",
        target_help(target).c_str(), argv[0], static_cast<int>(kExitFinding));
    return invocation.help ? 0 : kExitUsage;
  }
  invocation.replay = true;
  Replayer& replayer =
      *new Replayer(target, this_backend(), options(), invocation,
                    Replayer::Behind::next_file);  // never destroyed: a signal may come while the process ends
  if (!replayer.debugged())
    watch_for_interrupts({.last_words = [&replayer](const char* signal) { replayer.on_interrupt(signal); }});
  if (__gcov_dump) replayer.before_death = [] { __gcov_dump(); };
  for (const std::string& path : invocation.inputs) {
    const Result<LoadedCase> loaded = load_case(target, path);
    if (!loaded) {
      std::fprintf(stderr, "warpfuzz: %s\n", loaded.line().c_str());
      return loaded.error().exit_code;
    }
    std::fprintf(stderr, "Running: %s\n", path.c_str());
    replayer.add(path, *loaded);
    replayer.test_one(loaded->bytes);
  }
  return replayer.exit_code();
}
