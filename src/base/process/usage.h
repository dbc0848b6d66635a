// What a process uses of the machine.
#pragma once
#include <sys/types.h>

#include <cstdint>

namespace warpfuzz {

std::uint64_t memory_kb(pid_t pid);   // resident; 0 where there is no such process
double processor_seconds(pid_t pid);  // that it has used

}  // namespace warpfuzz
