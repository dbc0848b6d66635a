// The last name that stands outside of a template's arguments.
#include "exec/kernel_name.h"

#include <algorithm>

namespace warpfuzz {

std::string plain_kernel_name(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" &(*"), text.size()));
  text = text.substr(0, text.find('('));
  text = text.substr(0, text.find_last_not_of(" )") + 1);
  constexpr std::size_t kOpen = std::string_view::npos;
  std::size_t begin = 0, end = kOpen;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<' && depth++ == 0 && end == kOpen) end = i;
    if (text[i] == '>') --depth;
    if (depth > 0) continue;
    // A template's result type stands before its name. A blank in front of its arguments ends nothing.
    const bool before_arguments = text[i] == ' ' && text[text.find_first_not_of(' ', i)] == '<';
    if (text[i] == ':' || (text[i] == ' ' && !before_arguments)) {
      begin = i + 1;
      end = kOpen;
    }
  }
  text = text.substr(begin, end == kOpen ? end : end - begin);
  return std::string(text.substr(0, text.find_last_not_of(' ') + 1));
}

}  // namespace warpfuzz
