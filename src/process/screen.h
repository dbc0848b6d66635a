// Our report is the last thing on the screen of a target that dies: what the engine and the sanitizer have to say goes to a file,
// or comes first. (A fuzzing service reads their text: there none of this is used.)
#pragma once
#include <string>

namespace warpfuzz {

// "dir/value-1234.wfz" -> "dir/value-1234.log"
std::string log_beside(const std::string& reproducer);

// From here on standard error goes to the file, which starts empty; `last` is printed before. False: it cannot be written, and
// nothing has changed.
bool leave_screen(const std::string& file, const std::string& last);

// Inside of an AddressSanitizer report: prints `text` when the sanitizer has printed its own, and nothing after it. False: no
// sanitizer is there that could be asked.
bool print_after_sanitizer(std::string text);

}  // namespace warpfuzz
