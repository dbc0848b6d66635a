// `warpfuzz run`: campaigns of many targets that run for days.
#include <fmt/format.h>

#include <filesystem>
#include <random>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "campaign/supervisor.h"
#include "client/target_list.h"

namespace warpfuzz::cli {
namespace {

// --bin says where binaries are; without it the ones of another backend lie beside those of this executable.
std::string folder_of(const Context& c, const std::string& backend) {
  if (backend == "cpu" || c.bin != own_folder()) return c.bin;
  return (std::filesystem::path(own_folder()) / ".." / ".." / backend / "bin").lexically_normal().string();
}

constexpr double kLeastTime = 1;  // what libFuzzer's clock counts in

}  // namespace

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

}  // namespace warpfuzz::cli
