// Commands and paths as they are printed: what a person can copy from a log, a page or the screen and run where this command ran.
#pragma once
#include <string>
#include <vector>

#include "cli/context.h"

namespace warpfuzz::cli {

// A path from the current folder where it lies below it, else an absolute one; never one that looks like an option.
std::string as_typed(const std::string& path);
// A call of this very `warpfuzz`, quoted for a shell: printed_command(c, {"show", file}). It names --bin where the target binaries
// are not beside it.
std::string printed_command(const Context& c, const std::vector<std::string>& words);

}  // namespace warpfuzz::cli
