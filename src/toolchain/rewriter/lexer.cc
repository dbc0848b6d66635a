// One pass over the pieces of the text, then one over the tokens for the brackets.
#include "toolchain/rewriter/lexer.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "base/text/cpp_scanner.h"

namespace warpfuzz::rewrite {
namespace {

TokenKind token_kind(PieceKind kind) {
  switch (kind) {
    case PieceKind::identifier: return TokenKind::identifier;
    case PieceKind::number: return TokenKind::number;
    case PieceKind::string: return TokenKind::string;
    case PieceKind::character: return TokenKind::character;
    default: return TokenKind::punct;
  }
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) { out_.text = text; }

  TokenText run() {
    const std::string_view s = out_.text;
    if (s.size() >= TokenText::npos) throw RewriteError({"<input>", 1}, "the preprocessed text is larger than 4 GiB");
    out_.tokens.reserve(s.size() / 4);
    CppScanner scanner(s);
    for (Piece piece; scanner.next(piece); at_ += piece.text.size()) {
      if (!piece.whole)
        throw RewriteError(out_.location(static_cast<std::uint32_t>(at_)), "raw string without its end");
      if (piece.kind == PieceKind::directive) directive(piece.text);
      else if (is_code(piece)) emit(piece);
    }
    return std::move(out_);
  }

 private:
  void emit(const Piece& piece) {
    out_.tokens.push_back({static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(piece.text.size()),
                           token_kind(piece.kind), piece.text[0]});
  }

  // `# 12 "file" 1 3` is a line marker; any other directive (#pragma) is passed over.
  void directive(std::string_view whole) {
    const std::string_view line = whole.substr(1, whole.size() - (whole.back() == '\n' ? 2 : 1));
    std::size_t i = line.find_first_not_of(" \t");
    if (i != std::string_view::npos && line.substr(i).starts_with("line ")) i += 5;
    if (i == std::string_view::npos || !std::isdigit(static_cast<unsigned char>(line[i]))) return;
    std::uint32_t number = 0;
    for (; i < line.size() && std::isdigit(static_cast<unsigned char>(line[i])); ++i)
      number = number * 10 + (line[i] - '0');
    std::uint32_t file = out_.spans.empty() ? 0 : out_.spans.back().file;
    bool system = false;
    if (const std::size_t open = line.find('"', i); open != std::string_view::npos) {
      std::string name;
      std::size_t k = open + 1;
      for (; k < line.size() && line[k] != '"'; ++k) {
        name += line[k] == '\\' && k + 1 < line.size() ? escaped(line, ++k) : line[k];
      }
      file = file_index(name);
      system = k + 1 < line.size() && line.find('3', k + 1) != std::string_view::npos;
    }
    if (out_.files.empty()) out_.files.emplace_back("<input>");
    out_.spans.push_back({static_cast<std::uint32_t>(at_ + whole.size()), number, file, system});
  }

  // What stands behind a backslash: clang writes a file's name with its bytes outside of ASCII as three octal digits each. `k` ends at
  // the last character read.
  static char escaped(std::string_view line, std::size_t& k) {
    const auto octal = [&](std::size_t i) { return i < line.size() && line[i] >= '0' && line[i] <= '7'; };
    if (!octal(k) || !octal(k + 1) || !octal(k + 2)) return line[k];
    const int byte = (line[k] - '0') * 64 + (line[k + 1] - '0') * 8 + (line[k + 2] - '0');
    k += 2;
    return static_cast<char>(byte);
  }

  std::uint32_t file_index(const std::string& name) {
    const auto [entry, added] = index_.try_emplace(name, static_cast<std::uint32_t>(out_.files.size()));
    if (added) out_.files.push_back(name);
    return entry->second;
  }

  TokenText out_;
  std::unordered_map<std::string, std::uint32_t> index_;
  std::size_t at_ = 0;
};

void match_brackets(TokenText& t) {
  t.match.assign(t.size(), TokenText::npos);
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < t.size(); ++i) {
    if (t.tokens[i].kind != TokenKind::punct) continue;
    const char c = t.tokens[i].first;
    if (c == '(' || c == '[' || c == '{') {
      open.push_back(i);
    } else if (c == ')' || c == ']' || c == '}') {
      const char want = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (open.empty() || t.tokens[open.back()].first != want) {
        t.fail(i, std::string("'") + c + "' without a matching '" + want + "'");
      }
      t.match[i] = open.back();
      t.match[open.back()] = i;
      open.pop_back();
    }
  }
  if (!open.empty()) { t.fail(open.back(), std::string("'") + t.tokens[open.back()].first + "' is never closed"); }
}

}  // namespace

const Span* TokenText::span(std::uint32_t offset) const {
  auto after =
      std::upper_bound(spans.begin(), spans.end(), offset, [](std::uint32_t o, const Span& s) { return o < s.offset; });
  return after == spans.begin() ? nullptr : &*(after - 1);
}

Location TokenText::location(std::uint32_t offset) const {
  const Span* s = span(offset);
  const std::uint32_t from = s ? s->offset : 0;
  const auto lines = std::count(text.begin() + std::min<std::size_t>(from, text.size()),
                                text.begin() + std::min<std::size_t>(offset, text.size()), '\n');
  return {s ? std::string_view(files[s->file]) : std::string_view("<input>"),
          static_cast<int>(lines) + static_cast<int>(s ? s->line : 1)};
}

bool TokenText::in_system_header(std::uint32_t offset) const {
  const Span* s = span(offset);
  return s && s->system;
}

TokenText lex(std::string_view text) { return Lexer(text).run(); }

TokenText tokenize(std::string_view text) {
  TokenText t = lex(text);
  match_brackets(t);
  return t;
}

}  // namespace warpfuzz::rewrite
