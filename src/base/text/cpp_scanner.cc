// One pass over the text; nothing is kept but the place.
#include "base/text/cpp_scanner.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace warpfuzz {
namespace {

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)); }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
bool word_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80); }
bool word_char(char c) { return word_start(c) || is_digit(c); }

}  // namespace

bool CppScanner::next(Piece& piece) {
  if (at_ >= s_.size()) return false;
  std::size_t size = 0;
  piece.whole = true;
  piece.kind = kind_and_size(size, piece.whole);
  size = std::min(size, s_.size() - at_);
  piece.text = s_.substr(at_, size);
  at_ += size;
  const bool code = piece.kind != PieceKind::blank && piece.kind != PieceKind::comment;
  if (code) line_start_ = piece.kind == PieceKind::directive;
  else line_start_ = line_start_ || piece.text.find('\n') != s_.npos;
  return true;
}

PieceKind CppScanner::kind_and_size(std::size_t& size, bool& whole) const {
  const char c = s_[at_];
  if (is_blank(c)) {
    size = 1;
    while (at_ + size < s_.size() && is_blank(s_[at_ + size])) ++size;
    return PieceKind::blank;
  }
  if (word_start(c)) return word(size, whole);
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
    size = number_size();
    return PieceKind::number;
  }
  if (c == '"' || c == '\'') {
    size = quoted_size(0);
    return c == '"' ? PieceKind::string : PieceKind::character;
  }
  if (c == '/' && (peek(1) == '/' || peek(1) == '*')) {
    size = comment_size();
    return PieceKind::comment;
  }
  if (c == '#' && line_start_) {
    size = line_size();
    return PieceKind::directive;
  }
  size = punct_size();
  return PieceKind::punct;
}

PieceKind CppScanner::word(std::size_t& size, bool& whole) const {
  std::size_t n = 1;
  while (at_ + n < s_.size() && word_char(s_[at_ + n])) ++n;
  const std::string_view w = s_.substr(at_, n);
  const char after = peek(n);
  size = n;
  if (after == '"' && (w == "R" || w == "LR" || w == "uR" || w == "UR" || w == "u8R")) {
    size = raw_string_size(n, whole);
    return size == n ? PieceKind::identifier : PieceKind::string;
  }
  if ((after == '"' || after == '\'') && (w == "L" || w == "u" || w == "U" || w == "u8")) {
    size = quoted_size(n);
    return after == '"' ? PieceKind::string : PieceKind::character;
  }
  return PieceKind::identifier;
}

// To behind the newline; one behind a backslash does not count.
std::size_t CppScanner::line_size() const {
  for (std::size_t at = at_; at < s_.size(); ++at) {
    if (s_[at] != '\n') continue;
    const std::size_t last = at > at_ && s_[at - 1] == '\r' ? at - 1 : at;
    if (last == at_ || s_[last - 1] != '\\') return at + 1 - at_;
  }
  return s_.size() - at_;
}

// A comment to the end of the line is one without its newline.
std::size_t CppScanner::comment_size() const {
  if (peek(1) == '/') {
    const std::size_t line = line_size();
    return s_[at_ + line - 1] == '\n' ? line - 1 : line;
  }
  const std::size_t end = s_.find("*/", at_ + 2);
  return end == s_.npos ? s_.size() - at_ : end + 2 - at_;
}

std::size_t CppScanner::number_size() const {
  for (std::size_t n = 1;; ++n) {
    const char c = peek(n), before = peek(n - 1);
    if (word_char(c) || c == '.') continue;
    if (c == '\'' && word_char(peek(n + 1))) continue;  // 1'000
    if ((c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P')) continue;
    return n;
  }
}

// A literal that its line does not close ends with the line.
std::size_t CppScanner::quoted_size(std::size_t prefix) const {
  const char quote = s_[at_ + prefix];
  std::size_t n = prefix + 1;
  while (at_ + n < s_.size() && s_[at_ + n] != quote && s_[at_ + n] != '\n') n += s_[at_ + n] == '\\' ? 2 : 1;
  if (peek(n) == quote) ++n;
  while (at_ + n < s_.size() && word_char(s_[at_ + n])) ++n;  // user-defined literal
  return n;
}

// `prefix` where no raw string begins here.
std::size_t CppScanner::raw_string_size(std::size_t prefix, bool& whole) const {
  const std::size_t open = s_.find('(', at_ + prefix);
  if (open == s_.npos) return prefix;
  const std::string close = ")" + std::string(s_.substr(at_ + prefix + 1, open - at_ - prefix - 1)) + "\"";
  const std::size_t end = s_.find(close, open);
  whole = end != s_.npos;
  return whole ? end + close.size() - at_ : s_.size() - at_;
}

std::size_t CppScanner::punct_size() const {
  static constexpr std::array<std::string_view, 9> kLong = {"<<=", "<=>", "->*", "...", "<<", "::", "->", "<=", ">="};
  for (const std::string_view p : kLong)
    if (s_.substr(at_, p.size()) == p) return p.size();
  return 1;
}

std::vector<Piece> pieces_of(std::string_view source) {
  std::vector<Piece> all;
  CppScanner scanner(source);
  for (Piece p; scanner.next(p);) all.push_back(p);
  return all;
}

}  // namespace warpfuzz
