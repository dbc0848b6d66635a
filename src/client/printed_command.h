// Commands that are printed to be copied: each works as it stands, pasted into a shell in the current folder. Paths among
// their words go through as_typed() first.
#pragma once
#include <string>
#include <vector>

#include "base/shell_text.h"
#include "client/context.h"

namespace warpfuzz::cli {

// A call of this very `warpfuzz`: printed_command(c, {"show", file}). It is named as a person would type it here, and --bin
// where the target binaries are not beside it.
std::string printed_command(const Context& c, const std::vector<std::string>& words);

// A target's binary on a case: "./build/cpu/bin/fuzz_softmax FILE".
std::string replay_command(const Context& c, const std::string& target, const std::string& file);

}  // namespace warpfuzz::cli
