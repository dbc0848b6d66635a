#include "engine/say.h"

#include <cstdio>
#include <filesystem>

namespace warpfuzz {

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

std::string program_path() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error), here = fs::current_path(error);
  const fs::path relative = self.lexically_relative(here);
  if (relative.empty() || relative.native().starts_with("..")) return self.string();
  return "./" + relative.string();
}

}  // namespace warpfuzz
