// Changes to the text, collected in any order and applied at once. Nothing removes a line break, so line markers and
// line numbers stay the user's.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "toolchain/rewriter/lexer.h"

namespace warpfuzz::rewrite {

class Edits {
 public:
  explicit Edits(const TokenText& t) : t_(t) {}

  // Insertions at one place keep the order of the calls.
  void insert_before(std::size_t token, std::string text) { add(t_.tokens[token].offset, 0, std::move(text)); }
  void insert_after(std::size_t token, std::string text) {
    add(t_.tokens[token].offset + t_.tokens[token].length, 0, std::move(text));
  }
  void replace(std::size_t token, std::string text) {
    add(t_.tokens[token].offset, t_.tokens[token].length, std::move(text));
  }
  void remove(std::size_t token) { replace(token, " "); }
  void remove(std::size_t first, std::size_t last) {  // [first, last)
    for (std::size_t i = first; i < last; ++i) remove(i);
  }
  std::string apply();

 private:
  struct Edit {
    std::uint32_t offset, length, order;
    std::string text;
  };
  void add(std::uint32_t offset, std::uint32_t length, std::string text) {
    edits_.push_back({offset, length, static_cast<std::uint32_t>(edits_.size()), std::move(text)});
  }

  const TokenText& t_;
  std::vector<Edit> edits_;
};

// As a string literal.
std::string quoted(std::string_view s);

// Source text of the tokens [first, last) on one line.
std::string flat_text(const TokenText& t, std::size_t first, std::size_t last);

}  // namespace warpfuzz::rewrite
