// Text that a person pastes into a POSIX shell, and paths as they would type them in the current folder.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace warpfuzz {

// One word of a command line: quoted where the shell would read more than a name in it. What would drive a terminal is
// written by its number, so that the line shows as it is.
std::string shell_word(std::string_view text);
// The words with a space between them.
std::string shell_line(const std::vector<std::string>& words);

// A file or folder: relative where it lies below the current folder, else from the root; never read as an option.
std::string as_typed(const std::string& path);
// A program: with a slash in it, so that the shell takes this file and searches for none.
std::string program_as_typed(const std::string& path);

}  // namespace warpfuzz
