// The `warpfuzz` command. It links no kernel: it reads findings itself and asks the target binaries everything else.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "cli/parser/command_line.h"
#include "client/printed_command.h"

namespace warpfuzz::cli {
namespace {

// An error as one line for people and, under --json, as an object on standard output.
int failed(bool json, int code, const std::string& message) {
  if (json) {
    const auto known = std::find_if(std::begin(kExitCodes), std::end(kExitCodes),
                                    [&](const ExitCodeInfo& e) { return e.code == code; });
    print_json({{"error",
                 {{"code", code},
                  {"name", known == std::end(kExitCodes) ? "" : known->name},
                  {"message", printable(message, false)}}}});
  }
  note(message);
  return code;
}

int run_command(int argc, char** argv) {
  CommandLine line;
  try {
    line.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(line.help());
    return kExitOk;
  } catch (const CLI::ParseError& e) {
    // The options may not have been read up to --json.
    const bool json = std::any_of(argv + 1, argv + argc, [](const char* a) { return std::string_view(a) == "--json"; });
    return failed(json, kExitUsage,
                  fmt::format("{}; see {}", line.problem(argc, argv, e.what()),
                              printed_command({own_folder(), 0, false}, {"--help"})));
  }
  try {
    return line.run();
  } catch (const Failure& f) { return failed(line.context.json, f.code, f.what()); } catch (const std::exception& e) {
    return failed(line.context.json, kExitInternal, fmt::format("internal error: {}; please report it", e.what()));
  }
}

}  // namespace
}  // namespace warpfuzz::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a target that dies, or a reader that goes away, is an error to report
  const int code = warpfuzz::cli::run_command(argc, argv);
  // Buffered output may fail as late as now: a full disk must not look like success.
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    warpfuzz::cli::note("cannot write to standard output");
    return code == warpfuzz::kExitOk ? static_cast<int>(warpfuzz::kExitCannotWrite) : code;
  }
  return code;
}
