// What the watchdog's handlers report of a case that runs too long.
#pragma once
#include "exec/exec.h"

namespace warpfuzz {

// pc: where the signal met the kernel.
ExecStatus hang_status(Backend& backend, const void* pc, int seconds);

}  // namespace warpfuzz
