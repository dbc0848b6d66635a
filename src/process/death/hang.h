// What the watchdog's handlers report of a case that runs too long.
#pragma once
#include "exec/backend.h"
#include "process/case_clock.h"

namespace warpfuzz {

// pc: where the signal met the kernel, or the launcher's host code.
ExecStatus hang_status(Backend& backend, const void* pc, Overrun overrun);

}  // namespace warpfuzz
