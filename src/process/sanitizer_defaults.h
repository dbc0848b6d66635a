// What AddressSanitizer is told where the user's ASAN_OPTIONS say nothing: the default options of the target binaries.
#pragma once

namespace warpfuzz {

// Links the defaults into a binary: called once from its main file.
void use_sanitizer_defaults();

}  // namespace warpfuzz
