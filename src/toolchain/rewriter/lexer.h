// Tokens of preprocessed C++ and CUDA, with the place of each in the user's files. Literals and comments are never looked into, and every byte of the text keeps its position.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace warpfuzz::rewrite {

// Those pieces of base/text/cpp_scanner.h that are code.
enum class TokenKind : std::uint8_t { identifier, number, string, character, punct };

struct Token {
  std::uint32_t offset, length;
  TokenKind kind;
  char first;  // first character: most tests need no more
};

// Where the text between two line markers comes from.
struct Span {
  std::uint32_t offset;  // in the preprocessed text, start of the line after the marker
  std::uint32_t line;    // its number in the file
  std::uint32_t file;    // index into TokenText::files
  bool system;           // flag 3 of the marker: a system header
};

struct Location {
  std::string_view file;
  int line;
};

// Ends the rewrite. what() is the whole line: "file:line: error: warpfuzz: ...".
struct RewriteError : std::runtime_error {
  RewriteError(Location where, std::string_view what)
      : std::runtime_error(std::string(where.file) + ":" + std::to_string(where.line) +
                           ": error: warpfuzz: " + std::string(what)) {}
};

struct TokenText {
  static constexpr std::uint32_t npos = 0xffffffffu;

  std::string_view text;
  std::vector<Token> tokens;
  std::vector<std::uint32_t> match;  // per token: the partner of ( ) [ ] { }, else npos
  std::vector<Span> spans;
  std::vector<std::string> files;

  std::size_t size() const { return tokens.size(); }
  std::string_view str(std::size_t i) const { return text.substr(tokens[i].offset, tokens[i].length); }
  bool is(std::size_t i, char c) const { return i < size() && tokens[i].first == c && tokens[i].length == 1; }
  bool is(std::size_t i, std::string_view s) const { return i < size() && tokens[i].first == s[0] && str(i) == s; }
  bool identifier(std::size_t i) const { return i < size() && tokens[i].kind == TokenKind::identifier; }
  bool adjacent(std::size_t i) const {  // token i + 1 follows without a space
    return i + 1 < size() && tokens[i].offset + tokens[i].length == tokens[i + 1].offset;
  }
  const Span* span(std::uint32_t offset) const;
  Location location(std::uint32_t offset) const;
  bool in_system_header(std::uint32_t offset) const;
  [[noreturn]] void fail(std::size_t token, std::string_view what) const {
    throw RewriteError(location(tokens[token].offset), what);
  }
};

// The tokens alone, without partners of brackets. Throws RewriteError for a raw string without its end.
TokenText lex(std::string_view text);

// Throws RewriteError for brackets that do not match too.
TokenText tokenize(std::string_view text);

}  // namespace warpfuzz::rewrite
