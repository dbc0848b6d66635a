// A number of things in words.
#pragma once
#include <cstdint>
#include <string>

namespace warpfuzz {

// "1 target", "3 targets"; `what` is the singular.
inline std::string counted(std::uint64_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

}  // namespace warpfuzz
