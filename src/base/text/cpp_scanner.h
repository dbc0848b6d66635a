// C++ and CUDA source as a sequence of pieces without a gap: just enough of a lexer to tell code from comments, literals and
// directives. The rewriter reads preprocessed text with it, `warpfuzz export` the source of a target.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace warpfuzz {

// Code stands behind `directive`: see is_code().
enum class PieceKind : std::uint8_t { blank, comment, directive, identifier, number, string, character, punct };

struct Piece {
  // blank: spaces and newlines. directive: a line that starts with #, with its continuations and its newline. identifier: keywords too.
  // string, character: with prefix and suffix (u8"x"_s). punct: one character, but for << :: -> ... and the operators that hold a < or a
  // > without being a bracket (<= >= <=> <<= ->*). > is always a piece of its own, so that it can close template arguments.
  PieceKind kind = PieceKind::blank;
  std::string_view text;
  bool whole = true;  // of a raw string: false where its end is missing and `text` is all that is left
};

class CppScanner {
 public:
  explicit CppScanner(std::string_view source) : s_(source) {}
  // False at the end of the source.
  bool next(Piece& piece);

 private:
  char peek(std::size_t ahead) const { return at_ + ahead < s_.size() ? s_[at_ + ahead] : '\0'; }
  PieceKind kind_and_size(std::size_t& size, bool& whole) const;
  PieceKind word(std::size_t& size, bool& whole) const;
  std::size_t line_size() const;
  std::size_t comment_size() const;
  std::size_t number_size() const;
  std::size_t quoted_size(std::size_t prefix) const;
  std::size_t raw_string_size(std::size_t prefix, bool& whole) const;
  std::size_t punct_size() const;

  std::string_view s_;
  std::size_t at_ = 0;
  bool line_start_ = true;  // nothing but blanks and comments stands before at_ on its line
};

// Neither blank nor comment nor directive.
inline bool is_code(const Piece& p) { return p.kind > PieceKind::directive; }
std::vector<Piece> pieces_of(std::string_view source);

}  // namespace warpfuzz
