// What WARPFUZZ_TARGET defines, and how the one of a binary is found. Apart from target.h, which needs CUDA's headers.
#pragma once
#include "exec/launch.h"
#include "ops/spec.h"

namespace warpfuzz {

struct TargetDefinition {
  const char* name;
  TargetSpec spec;
  void (*launcher)(const Launch&);
};

// Where a WARPFUZZ_TARGET stands. Each makes one before main() runs, so that a binary with none, or with two, says so in a line
// instead of in the linker's words.
struct TargetRegistration {
  TargetRegistration(const char* file, int line, const TargetDefinition& (*definition)());
  const char* file;
  int line;
  const TargetDefinition& (*definition)();
  const TargetRegistration* next;  // another one of this binary; nullptr
};

// The only one. Ends the process with one line and exit code 83 where there are none or several.
const TargetDefinition& only_definition();

}  // namespace warpfuzz
