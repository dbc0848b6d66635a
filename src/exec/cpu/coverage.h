// The inline 8-bit counters of SanitizerCoverage: folded with saturation, so that an edge that each of 256 threads
// takes once does not wrap to "never". Internal to exec/cpu and its tests.
#pragma once
#include <cstddef>
#include <cstdint>

namespace warpfuzz::cpu {

// False: what the case adds is taken back at its end.
void begin_coverage(bool enabled);
void end_coverage();
// The counters of this process are found by their section; tests may put others in their place (null: the section
// again).
void use_counters(std::uint8_t* begin, std::size_t size);

}  // namespace warpfuzz::cpu
