// The lexer: one pass over the text, then one over the tokens for the brackets.
#include "toolchain/rewriter/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>

namespace warpfuzz::rewrite {
namespace {

bool word_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80); }
bool word_char(char c) { return word_start(c) || std::isdigit(static_cast<unsigned char>(c)); }

class Lexer {
 public:
  explicit Lexer(std::string_view text) { out_.text = text; }

  TokenText run() {
    const std::string_view s = out_.text;
    if (s.size() >= TokenText::npos) throw RewriteError({"<input>", 1}, "the preprocessed text is larger than 4 GiB");
    out_.tokens.reserve(s.size() / 4);
    bool line_start = true;
    while (at_ < s.size()) {
      const char c = s[at_];
      if (c == '\n') {
        line_start = true;
        ++at_;
        continue;
      }
      if (std::isspace(static_cast<unsigned char>(c))) {
        ++at_;
        continue;
      }
      if (c == '#' && line_start) {
        directive();
        continue;
      }
      line_start = false;
      token(c);
    }
    return std::move(out_);
  }

 private:
  char peek(std::size_t n) const { return at_ + n < out_.text.size() ? out_.text[at_ + n] : '\0'; }

  void emit(TokenKind kind, std::size_t length) {
    out_.tokens.push_back({static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(length), kind, out_.text[at_]});
    at_ += length;
  }

  // The newline that ends a directive: not one behind a backslash.
  std::size_t directive_end() const {
    const std::string_view s = out_.text;
    std::size_t end = s.find('\n', at_);
    while (end != std::string_view::npos) {
      const std::size_t last = s[end - 1] == '\r' ? end - 2 : end - 1;
      if (s[last] != '\\') return end;
      end = s.find('\n', end + 1);
    }
    return s.size();
  }

  // `# 12 "file" 1 3` is a line marker; any other directive (#pragma) is passed over.
  void directive() {
    const std::string_view s = out_.text;
    const std::size_t end = directive_end();
    std::string_view line = s.substr(at_ + 1, end - at_ - 1);
    at_ = end;
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
    out_.spans.push_back({static_cast<std::uint32_t>(std::min(end + 1, s.size())), number, file, system});
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

  void token(char c) {
    if (word_start(c)) return word();
    if (std::isdigit(static_cast<unsigned char>(c)) || (c == '.' && std::isdigit(static_cast<unsigned char>(peek(1)))))
      return number();
    if (c == '"') return quoted(0, TokenKind::string);
    if (c == '\'') return quoted(0, TokenKind::character);
    if (c == '/' && (peek(1) == '/' || peek(1) == '*')) return comment();
    punct();
  }

  void word() {
    const std::string_view s = out_.text;
    std::size_t n = 1;
    while (at_ + n < s.size() && word_char(s[at_ + n])) ++n;
    const std::string_view w = s.substr(at_, n);
    const char next = peek(n);
    if (next == '"' && (w == "R" || w == "LR" || w == "uR" || w == "UR" || w == "u8R")) return raw_string(n);
    if ((next == '"' || next == '\'') && (w == "L" || w == "u" || w == "U" || w == "u8")) {
      return quoted(n, next == '"' ? TokenKind::string : TokenKind::character);
    }
    emit(TokenKind::identifier, n);
  }

  void number() {
    std::size_t n = 1;
    for (;; ++n) {
      const char c = peek(n);
      if (word_char(c) || c == '.') continue;
      if (c == '\'' && word_char(peek(n + 1))) continue;  // 1'000
      const char before = peek(n - 1);
      if ((c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P')) continue;
      break;
    }
    emit(TokenKind::number, n);
  }

  void quoted(std::size_t prefix, TokenKind kind) {
    const std::string_view s = out_.text;
    const char quote = s[at_ + prefix];
    std::size_t n = prefix + 1;
    while (at_ + n < s.size() && s[at_ + n] != quote && s[at_ + n] != '\n') n += s[at_ + n] == '\\' ? 2 : 1;
    if (at_ + n < s.size() && s[at_ + n] == quote) ++n;
    while (at_ + n < s.size() && word_char(s[at_ + n])) ++n;  // user-defined literal
    emit(kind, std::min(n, s.size() - at_));
  }

  void raw_string(std::size_t prefix) {
    const std::string_view s = out_.text;
    const std::size_t open = s.find('(', at_ + prefix);
    if (open == std::string_view::npos) return emit(TokenKind::identifier, prefix);
    const std::string close = ")" + std::string(s.substr(at_ + prefix + 1, open - at_ - prefix - 1)) + "\"";
    const std::size_t end = s.find(close, open);
    if (end == std::string_view::npos)
      throw RewriteError(out_.location(static_cast<std::uint32_t>(at_)), "raw string without its end");
    emit(TokenKind::string, end + close.size() - at_);
  }

  void comment() {
    const std::string_view s = out_.text;
    const bool line = peek(1) == '/';
    std::size_t end = line ? s.find('\n', at_) : s.find("*/", at_ + 2);
    if (end == std::string_view::npos) end = s.size();
    else if (!line) end += 2;
    at_ = end;
  }

  void punct() {
    static constexpr std::array<std::string_view, 9> long_ones = {"<<=", "<=>", "->*", "...", "<<",
                                                                  "::",  "->",  "<=",  ">="};
    for (std::string_view p : long_ones) {
      if (out_.text.substr(at_, p.size()) == p) return emit(TokenKind::punct, p.size());
    }
    emit(TokenKind::punct, 1);
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
