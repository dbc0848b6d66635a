#include "process/say.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "base/shell_text.h"

namespace warpfuzz {
namespace {

std::filesystem::path self() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

}  // namespace

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

std::string program_path() { return shell_word(program_as_typed(self().string())); }

std::string command_path() {
  const std::string beside = self().replace_filename("warpfuzz").string();
  return access(beside.c_str(), X_OK) == 0 ? shell_word(program_as_typed(beside)) : "warpfuzz";
}

}  // namespace warpfuzz
