// The target of this binary, checked, narrowed by the user's options, with everything derived from it once.
#pragma once
#include <string>

#include "exec/run.h"
#include "ops/spec.h"

namespace warpfuzz {

struct Target {
  std::string name;
  TargetSpec spec;
  Launcher launcher;
  const Schema& schema() const { return spec.schema(); }
};

// The definition that WARPFUZZ_TARGET made. Ends the process with one line and exit code 83 when it is not usable,
// with 80 when WARPFUZZ_OPTIONS narrows it to nothing.
const Target& this_target();
// The source file that it stands in, as the compiler named it; "" where there is none.
const char* this_target_file();

// Narrows to one of the spec's dtypes by its name; "" or one line that lists them.
std::string hold_dtype(TargetSpec& spec, const std::string& name);

// The range in force of a dim: "cols 4..1024 by 4".
std::string range_of(const DimSpec& d);

// What the target declares, as the lines that -help=1 prints: op, dims, narrowings, dialects, tolerance table.
std::string target_help(const Target& t);

}  // namespace warpfuzz
