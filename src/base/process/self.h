// The program that this process runs.
#pragma once
#include <filesystem>

namespace warpfuzz {

// For open and exec: the program itself, also where another file has taken its place since.
inline constexpr const char* kThisProgram = "/proc/self/exe";
// Where it lies, for people and for files beside it; "" where nobody knows.
std::filesystem::path this_program();

}  // namespace warpfuzz
