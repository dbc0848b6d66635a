#include "process/say.h"

#include <unistd.h>

#include <cstdio>

#include "base/process/self.h"
#include "base/shell_text.h"

namespace warpfuzz {

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

std::string program_path() { return shell_word(program_as_typed(this_program().string())); }

std::string command_path() {
  const std::string beside = this_program().replace_filename("warpfuzz").string();
  return access(beside.c_str(), X_OK) == 0 ? shell_word(program_as_typed(beside)) : "warpfuzz";
}

}  // namespace warpfuzz
