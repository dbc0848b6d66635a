// Lines and parentheses of a source file.
#include "toolchain/rewriter/original.h"

#include <algorithm>

namespace warpfuzz::rewrite {

Original::Original(std::string text) : text_(std::move(text)) {
  std::uint32_t line = 1;
  std::size_t at = 0;
  std::vector<std::uint32_t> open;
  const TokenText t = lex(text_);
  for (const Token& token : t.tokens) {
    line += static_cast<std::uint32_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at),
                                                  text_.begin() + static_cast<std::ptrdiff_t>(token.offset), '\n'));
    at = token.offset;
    if (token.first == '\\') continue;  // joins two lines
    const auto index = static_cast<std::uint32_t>(tokens_.size());
    tokens_.push_back(t.text.substr(token.offset, token.length));
    lines_.push_back(line);
    close_.push_back(TokenText::npos);
    // Other brackets are not looked at: the branches of an #if may open one twice.
    if (tokens_.back() == "(") open.push_back(index);
    if (tokens_.back() == ")" && !open.empty()) {
      close_[open.back()] = index;
      open.pop_back();
    }
  }
}

std::size_t Original::first_on(std::uint32_t line) const {
  const auto at = std::lower_bound(lines_.begin(), lines_.end(), line);
  return at != lines_.end() && *at == line ? static_cast<std::size_t>(at - lines_.begin()) : tokens_.size();
}

bool Original::may_invoke(std::size_t token) const {
  const char c = tokens_[token][0];
  const bool name = c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return name && token + 1 < tokens_.size() && close_[token + 1] != TokenText::npos;
}

std::size_t Original::end_of_folded(std::size_t first, std::uint32_t next_line) const {
  std::uint32_t last = lines_[first];
  std::size_t i = first;
  for (; i < tokens_.size() && lines_[i] <= last; ++i) {
    const auto inside = std::count(tokens_[i].begin(), tokens_[i].end(), '\n');  // of a raw string
    std::uint32_t end = lines_[i] + static_cast<std::uint32_t>(inside);
    if (may_invoke(i)) end = std::max(end, lines_[close_[i + 1]]);
    if (end < next_line) last = std::max(last, end);
  }
  return i;
}

}  // namespace warpfuzz::rewrite
