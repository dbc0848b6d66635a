// What a target binary says: lines on standard error, at once, among those of the engine.
#pragma once
#include <string>

namespace warpfuzz {

void print(const std::string& text);

// This binary as a person would type it into a shell: relative where it lies below the current folder, quoted where need be.
std::string program_path();
// The command `warpfuzz` beside this binary; where it is not, the one on the PATH.
std::string command_path();

}  // namespace warpfuzz
