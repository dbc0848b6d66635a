// C++ source as a list of tokens, as far as telling code from comments, strings and directives needs it.
#pragma once
#include <string_view>
#include <vector>

namespace warpfuzz::cli {

struct Token {
  enum class Kind { blank, comment, directive, text, word, other } kind;  // text: string and character literals
  std::string_view text;  // a directive: the whole line with its continuations and newline
};
// Together the tokens are the source, without a gap.
std::vector<Token> tokens_of(std::string_view source);

}  // namespace warpfuzz::cli
