// What a target binary says: lines on standard error, at once, among those of the engine.
#pragma once
#include <string>

namespace warpfuzz {

void print(const std::string& text);

// This binary as a person would type it: relative where it lies below the current folder.
std::string program_path();

}  // namespace warpfuzz
