// Paths relative to the current folder; words quoted.
#include "cli/printed_command.h"

#include <filesystem>

namespace warpfuzz::cli {

namespace fs = std::filesystem;

std::string as_typed(const std::string& path) {
  std::error_code ec;
  const fs::path absolute = fs::weakly_canonical(fs::absolute(path, ec), ec), here = fs::current_path(ec);
  const fs::path relative = absolute.lexically_relative(here);
  if (relative.empty() || relative.native().starts_with("..")) return absolute.string();
  return (relative.native().starts_with("-") ? "./" : "") + relative.string();
}

std::string printed_command(const Context& c, const std::vector<std::string>& words) {
  std::string line = shell_word(as_typed(own_folder()) + "/warpfuzz");
  std::error_code ec;
  if (!fs::equivalent(c.bin, own_folder(), ec)) line += " --bin " + shell_word(as_typed(c.bin));
  for (const std::string& word : words) line += " " + shell_word(word);
  return line;
}

}  // namespace warpfuzz::cli
