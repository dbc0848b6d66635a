// A file as the user wrote it, in tokens with their lines, to find out from where the preprocessor took the text of a macro's arguments.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "toolchain/rewriter/lexer.h"

namespace warpfuzz::rewrite {

class Original {
 public:
  // Throws RewriteError for text that has no tokens (a raw string without its end).
  explicit Original(std::string text);
  Original(const Original&) = delete;  // the tokens point into the text
  Original& operator=(const Original&) = delete;

  const std::vector<std::string_view>& tokens() const { return tokens_; }
  std::uint32_t line(std::size_t token) const { return lines_[token]; }

  // The first token on `line`; tokens().size() where none begins there.
  std::size_t first_on(std::uint32_t line) const;

  // Behind the last token that the preprocessor puts on the line of `first`, where the next one that it writes stands on `next_line`:
  // an invocation that spans lines, what follows it on its last line, another one that begins there, and so on.
  std::size_t end_of_folded(std::size_t first, std::uint32_t next_line) const;

 private:
  bool may_invoke(std::size_t token) const;  // an identifier before a '(' that is closed

  std::string text_;
  std::vector<std::string_view> tokens_;
  std::vector<std::uint32_t> lines_, close_;  // per token; close_: the partner of a '(', else npos
};

}  // namespace warpfuzz::rewrite
