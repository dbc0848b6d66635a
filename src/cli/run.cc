// `warpfuzz run`: campaigns of many targets that run for days.
#include <fmt/format.h>

#include <filesystem>
#include <random>

#include "cli/supervisor.h"
#include "findings/exit_codes.h"
#include "findings/json_fields.h"

namespace warpfuzz::cli {
namespace {

// --bin says where binaries are; without it the ones of another backend lie beside those of this executable.
std::string folder_of(const Context& c, const std::string& backend) {
  if (backend == "cpu" || c.bin != own_folder()) return c.bin;
  return (std::filesystem::path(own_folder()) / ".." / ".." / backend / "bin").lexically_normal().string();
}

}  // namespace

int run(const Context& given, const RunOptions& o) {
  Context c = given;
  c.bin = folder_of(given, o.backend);
  RunOptions options = o;
  while (!options.seed) options.seed = std::random_device{}();
  if (options.folder.empty()) throw Failure(kExitUsage, "--folder: expected a folder, got nothing");
  return Supervisor(c, options).run();
}

}  // namespace warpfuzz::cli
