// `warpfuzz version`.
#include <fmt/format.h>

#include "cli/commands.h"
#include "findings/container.h"
#include "findings/exit_codes.h"

namespace warpfuzz::cli {

int version(const Context& c) {
  if (!c.json) {
    print(fmt::format("warpfuzz {}, .wfz format {}.{}, built with {}\n", WARPFUZZ_VERSION, kContainerMajor,
                      kContainerMinor, __VERSION__));
    return kExitOk;
  }
  nlohmann::json codes = nlohmann::json::object();
  for (const ExitCodeInfo& e : kExitCodes) codes[e.name] = e.code;
  print_json({{"version", WARPFUZZ_VERSION},
              {"wfz", fmt::format("{}.{}", kContainerMajor, kContainerMinor)},
              {"compiler", __VERSION__},
              {"exit_codes", codes}});
  return kExitOk;
}

}  // namespace warpfuzz::cli
