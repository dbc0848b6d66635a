// The program that this process runs, as /proc says it.
#include "base/process/self.h"

#include <system_error>

namespace warpfuzz {

std::filesystem::path this_program() {
  std::error_code error;
  return std::filesystem::read_symlink(kThisProgram, error);
}

}  // namespace warpfuzz
