// How this command is called from the current folder.
#include "client/printed_command.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace warpfuzz::cli {

namespace fs = std::filesystem;

namespace {

// The first `warpfuzz` of PATH is this executable.
bool is_on_path(const fs::path& self) {
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable ? variable : "";
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    const std::string candidate = std::string(rest.substr(0, end)) + "/warpfuzz";
    std::error_code ec;
    if (candidate.starts_with('/') && ::access(candidate.c_str(), X_OK) == 0)
      return fs::equivalent(candidate, self, ec);
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
  }
  return false;
}

std::string own_name() {
  const std::string self = own_folder() + "/warpfuzz";
  return is_on_path(self) ? "warpfuzz" : program_as_typed(self);
}

}  // namespace

std::string printed_command(const Context& c, const std::vector<std::string>& words) {
  std::vector<std::string> line{own_name()};
  std::error_code ec;
  if (!fs::equivalent(c.bin, own_folder(), ec)) line.insert(line.end(), {"--bin", as_typed(c.bin)});
  line.insert(line.end(), words.begin(), words.end());
  return shell_line(line);
}

std::string replay_command(const Context& c, const std::string& target, const std::string& file) {
  const std::string binary = c.bin + "/fuzz_" + target;
  std::error_code ec;
  return shell_line({fs::exists(binary, ec) ? program_as_typed(binary) : "fuzz_" + target, as_typed(file)});
}

}  // namespace warpfuzz::cli
