// Small questions about text.
#include "base/text.h"

namespace warpfuzz {

std::string last_line(std::string_view text) {
  const std::size_t end = text.find_last_not_of('\n');
  if (end == std::string_view::npos) return "";
  const std::size_t before = text.rfind('\n', end);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return std::string(text.substr(begin, end + 1 - begin));
}

}  // namespace warpfuzz
