// `warpfuzz version`.
#include <fmt/format.h>

#include "base/exit_codes.h"
#include "base/version.h"
#include "cli/parser/command.h"
#include "findings/container.h"

namespace warpfuzz::cli {
namespace {

int run(const Context& c) {
  if (!c.json) {
    print(fmt::format("warpfuzz {}, .wfz format {}.{}, built with {}\n", kVersion, kContainerMajor, kContainerMinor,
                      __VERSION__));
    return kExitOk;
  }
  nlohmann::json codes = nlohmann::json::object();
  for (const ExitCodeInfo& e : kExitCodes) codes[e.name] = e.code;
  print_json({{"version", kVersion},
              {"wfz", fmt::format("{}.{}", kContainerMajor, kContainerMinor)},
              {"compiler", __VERSION__},
              {"exit_codes", codes}});
  return kExitOk;
}

}  // namespace

extern const Command kVersion{"version", "Print the versions of the command and of its formats", run};

}  // namespace warpfuzz::cli
