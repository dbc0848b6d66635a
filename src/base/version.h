// The version of this build, as the project's CMake file says it.
#pragma once

namespace warpfuzz {

extern const char* const kVersion;  // "0.1.0"

}  // namespace warpfuzz
