// A small lexer.
#include "export/tokens.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace warpfuzz::cli {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }

class Lexer {
 public:
  explicit Lexer(std::string_view s) : s_(s) {}

  std::vector<Token> run() {
    bool line_start = true;
    while (at_ < s_.size()) {
      const std::size_t begin = at_;
      const Token::Kind kind = next(line_start);
      at_ = std::min(at_, s_.size());
      const std::string_view text = s_.substr(begin, at_ - begin);
      if (kind == Token::Kind::blank || kind == Token::Kind::comment)
        line_start = line_start || text.find('\n') != text.npos;
      else line_start = kind == Token::Kind::directive;
      out_.push_back({kind, text});
    }
    return std::move(out_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < s_.size() ? s_[at_ + ahead] : '\0'; }

  Token::Kind next(bool line_start) {
    const char c = peek();
    if (is_blank(c)) {
      while (at_ < s_.size() && is_blank(peek())) ++at_;
      return Token::Kind::blank;
    }
    if (c == '/' && peek(1) == '/') {
      skip_line();
      return Token::Kind::comment;
    }
    if (c == '/' && peek(1) == '*') {
      const std::size_t end = s_.find("*/", at_ + 2);
      at_ = end == s_.npos ? s_.size() : end + 2;
      return Token::Kind::comment;
    }
    if (c == '#' && line_start) {
      skip_line();
      return Token::Kind::directive;
    }
    if (c == '"' || c == '\'') {
      skip_quoted(c);
      return Token::Kind::text;
    }
    if (is_word(c)) {
      const std::size_t begin = at_;
      const bool number = std::isdigit(static_cast<unsigned char>(c));
      while (is_word(peek()) || (number && (peek() == '\'' || peek() == '.'))) ++at_;
      const std::string_view word = s_.substr(begin, at_ - begin);
      if (peek() == '"' && (word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R")) {
        skip_raw();
        return Token::Kind::text;
      }
      return Token::Kind::word;
    }
    ++at_;
    return Token::Kind::other;
  }

  // To behind the newline; one behind a backslash does not count.
  void skip_line() {
    while (at_ < s_.size()) {
      if (peek() == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) at_ += peek(1) == '\n' ? 2 : 3;
      else if (s_[at_++] == '\n') return;
    }
  }
  void skip_quoted(char quote) {
    ++at_;
    while (at_ < s_.size() && peek() != quote && peek() != '\n') at_ += peek() == '\\' ? 2 : 1;
    ++at_;
  }
  void skip_raw() {
    const std::size_t open = s_.find('(', at_);
    if (open == s_.npos) return void(at_ = s_.size());
    const std::string close = ")" + std::string(s_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t end = s_.find(close, open);
    at_ = end == s_.npos ? s_.size() : end + close.size();
  }

  std::string_view s_;
  std::size_t at_ = 0;
  std::vector<Token> out_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source) { return Lexer(source).run(); }

}  // namespace warpfuzz::cli
