// Faults of the target's own functions beside its kernel (its reference, its constraints): a target error, exit code 83.
#pragma once
#include <string>

namespace warpfuzz {

// From here on signals that the program itself causes are asked about. The engine's handlers have to be there already.
void watch_target_code();

// Ends the process where such a function runs: "the reference of op scale <what happened> at file:line". Returns
// otherwise.
void blame_target_code(const std::string& what);

}  // namespace warpfuzz
