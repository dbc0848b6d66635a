// What the surface's headers share: how its functions are declared, and the place of a call in the user's source.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "exec/cpu/surface/surface.h"

// Inlined, and without debug lines of its own: faults and sanitizer reports then name the line of the call.
#define WARPFUZZ_FN inline __attribute__((always_inline, nodebug))
// The same for functions that some version of NVIDIA's headers defines on the host too: those, being no templates, win.
#define WARPFUZZ_FALLBACK_FN \
  template <int = 0>         \
  WARPFUZZ_FN
// A last parameter: where the call stands.
#define WARPFUZZ_HERE \
  ::warpfuzz::cpu::Site { __builtin_FILE(), __builtin_LINE(), __builtin_COLUMN() }
#define WARPFUZZ_SITE ::warpfuzz::cpu::Site site = WARPFUZZ_HERE

namespace warpfuzz::cpu {

template <class To, class From>
WARPFUZZ_FN To reinterpret_bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(static_cast<void*>(&to), &from, sizeof(To));
  return to;
}

// A lane's operand as the executor carries it, and back.
template <class T>
WARPFUZZ_FN std::uint64_t lane_bits(const T& value) {
  static_assert(sizeof(T) <= 8);
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T>
WARPFUZZ_FN T from_lane_bits(std::uint64_t bits) {
  T value;
  __builtin_memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return value;
}

}  // namespace warpfuzz::cpu
