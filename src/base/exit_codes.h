// Exit codes of the target binaries and of `warpfuzz`. exit_codes.def is the list; docs/exit-codes.md shows it to people.
#pragma once
#include <cstddef>

namespace warpfuzz {

enum ExitCode : int {
#define WARPFUZZ_EXIT_CODE(ID, CODE, NAME, MEANING) kExit##ID = CODE,
#include "base/exit_codes.def"
#undef WARPFUZZ_EXIT_CODE
};

struct ExitCodeInfo {
  int code;
  const char* name;
  const char* meaning;
};

inline constexpr ExitCodeInfo kExitCodes[] = {
#define WARPFUZZ_EXIT_CODE(ID, CODE, NAME, MEANING) {CODE, NAME, MEANING},
#include "base/exit_codes.def"
#undef WARPFUZZ_EXIT_CODE
};
inline constexpr std::size_t kExitCodeCount = sizeof kExitCodes / sizeof kExitCodes[0];

}  // namespace warpfuzz
