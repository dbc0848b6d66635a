// The end of a process that has a finding.
#pragma once
#include "schema/fault.h"

namespace warpfuzz {

// Ends the process the way a fuzzer expects: an illegal instruction in a function that carries the fault's name, so that a
// clustering service sees one stack token a class.
[[noreturn]] void die(FaultClass fault);

}  // namespace warpfuzz
