// Small questions about text.
#pragma once
#include <string>
#include <string_view>

namespace warpfuzz {

// The last line that is not empty, without its newline; "" where there is none.
std::string last_line(std::string_view text);

}  // namespace warpfuzz
