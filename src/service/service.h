// The line protocol of docs/protocol.md: JSON requests on standard input, JSON answers on standard output.
#pragma once
#include "pipeline/run_case.h"

namespace warpfuzz {

// Serves until the end of input; returns the exit code. engine: "libfuzzer" or "replay".
int serve(const Target& target, Backend& backend, const char* engine);

}  // namespace warpfuzz
