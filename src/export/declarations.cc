// Heuristics that hold for ordinary source: no parser, no types.
#include "export/declarations.h"

#include <algorithm>

#include "base/text/cpp_scanner.h"

namespace warpfuzz::cli {
namespace {

bool is_word(const Piece& p) { return p.kind == PieceKind::identifier || p.kind == PieceKind::number; }
bool opens(std::string_view s) { return s == "(" || s == "{" || s == "["; }
bool closes(std::string_view s) { return s == ")" || s == "}" || s == "]"; }

// Tokens of one declaration that are outside of all brackets (the brackets themselves included), without template<...>.
std::vector<std::string_view> outline(const std::vector<Piece>& tokens) {
  std::vector<std::string_view> out;
  int depth = 0, angles = 0;
  bool in_template = false;
  for (const Piece& t : tokens) {
    if (!is_code(t)) continue;
    if (closes(t.text)) --depth;
    if (depth == 0 && t.text == "template") in_template = true, angles = 0;
    else if (depth == 0 && in_template) {
      angles += t.text == "<" ? 1 : t.text == ">" ? -1 : 0;
      if (angles == 0 && t.text == ">") in_template = false;
    } else if (depth == 0) {
      out.push_back(t.text);
    }
    if (opens(t.text)) ++depth;
  }
  return out;
}

bool is_name(std::string_view s) {
  return !s.empty() && (std::isalpha(static_cast<unsigned char>(s[0])) || s[0] == '_');
}

std::string name_before(const std::vector<std::string_view>& line, std::initializer_list<std::string_view> stops) {
  std::string name;
  for (const std::string_view word : line) {
    if (std::find(stops.begin(), stops.end(), word) != stops.end()) break;
    if (is_name(word) && word != "final") name = word;
  }
  return name;
}

bool has(const std::vector<std::string_view>& line, std::string_view word) {
  return std::find(line.begin(), line.end(), word) != line.end();
}

std::string declared_name(const std::vector<std::string_view>& line) {
  if (line.size() > 1 && (line[0] == "using" || line[0] == "namespace")) return std::string(line[1]);
  for (const std::string_view type : {"struct", "class", "union", "enum"})
    if (has(line, type) && has(line, "{")) return name_before(line, {"{", ":", ";", "="});
  const auto paren = std::find(line.begin(), line.end(), "("), equals = std::find(line.begin(), line.end(), "=");
  if (paren < equals) return name_before(line, {"("});
  return name_before(line, {"=", "{", "[", ";"});
}

// Whether a closing brace ends the declaration: functions and blocks, but no type and no initialiser.
bool ends_at_brace(const std::vector<std::string_view>& line) {
  if (has(line, "=")) return false;
  return line[0] == "namespace" || line[0] == "extern" || has(line, "(") || (line.size() > 1 && line[1] == "namespace");
}

Declaration make(const std::vector<Piece>& tokens) {
  Declaration d;
  for (const Piece& t : tokens) {
    d.text += t.text;
    if (is_word(t)) d.mentions.emplace(t.text);
  }
  const std::vector<std::string_view> line = outline(tokens);
  if (line.empty()) return d;
  if (line[0] == "WARPFUZZ_TARGET") d.kind = Declaration::Kind::target;
  const std::size_t first = line[0] == "inline" && line.size() > 1 ? 1 : 0;
  if (line[first] == "namespace" && has(line, "{")) {
    const std::size_t open = d.text.find('{'), close = d.text.rfind('}');
    d.head = d.text.substr(0, open + 1);
    d.inner = declarations_of(std::string_view(d.text).substr(open + 1, close - open - 1));
    return d;
  }
  d.always = line.size() > 2 && line[0] == "using" && line[1] == "namespace";
  if (const std::string name = declared_name(line); !name.empty()) d.names = {name};
  return d;
}

std::string kept_text(const Declaration& d) {
  if (d.inner.empty() || d.text.empty()) return d.text;
  std::string text = d.head;
  for (const Declaration& i : d.inner) text += kept_text(i);
  return text + "\n}\n";
}

// One more round; true when something was added.
bool mark(std::vector<Declaration>& all, std::set<std::string, std::less<>>& wanted,
          std::set<const Declaration*>& kept) {
  bool more = false;
  for (Declaration& d : all) {
    if (!d.inner.empty()) {
      more = mark(d.inner, wanted, kept) || more;
      const bool any =
          std::any_of(d.inner.begin(), d.inner.end(), [&](const Declaration& i) { return kept.contains(&i); });
      if (any) kept.insert(&d);
      continue;
    }
    const bool needed =
        d.kind == Declaration::Kind::directive || d.always ||
        std::any_of(d.names.begin(), d.names.end(), [&](const std::string& n) { return wanted.contains(n); });
    if (!needed || d.kind == Declaration::Kind::target || !kept.insert(&d).second) continue;
    if (d.kind != Declaration::Kind::directive) wanted.insert(d.mentions.begin(), d.mentions.end());
    more = true;
  }
  return more;
}

void drop(std::vector<Declaration>& all, const std::set<const Declaration*>& kept) {
  for (Declaration& d : all) {
    drop(d.inner, kept);
    d.text = kept.contains(&d) ? kept_text(d) : "";
  }
}

}  // namespace

std::vector<Declaration> declarations_of(std::string_view source) {
  const std::vector<Piece> tokens = pieces_of(source);
  std::vector<Declaration> out;
  std::vector<Piece> current;
  int depth = 0;
  bool started = false;  // code of the current declaration was seen
  const auto flush = [&] {
    if (started) out.push_back(make(current));
    current.clear();
    started = false;
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Piece& t = tokens[i];
    if (t.kind == PieceKind::directive && !started) {
      current.clear();
      Declaration d;
      d.kind = Declaration::Kind::directive;
      d.text = t.text;
      out.push_back(std::move(d));
      continue;
    }
    current.push_back(t);
    if (!is_code(t)) continue;
    started = true;
    if (opens(t.text)) ++depth;
    if (closes(t.text)) --depth;
    if (depth > 0) continue;
    if (t.text == ";") flush();
    else if (t.text == "}" && ends_at_brace(outline(current))) {
      std::size_t next = i + 1;
      while (next < tokens.size() && !is_code(tokens[next])) ++next;
      if (next < tokens.size() && tokens[next].text == ";") continue;
      flush();
    }
  }
  flush();
  return out;
}

std::set<std::string, std::less<>> words_of(std::string_view source) {
  std::set<std::string, std::less<>> words;
  for (const Piece& t : pieces_of(source))
    if (is_word(t)) words.emplace(t.text);
  return words;
}

std::vector<std::string> arguments_of(std::string_view text) {
  std::vector<std::string> arguments;
  int depth = 0;
  for (const Piece& t : pieces_of(text)) {
    if (is_code(t) && closes(t.text) && --depth == 0) break;
    if (depth == 1 && is_code(t) && t.text == ",") arguments.emplace_back();
    else if (depth > 0) arguments.back() += t.text;
    if (is_code(t) && opens(t.text) && ++depth == 1) arguments.emplace_back();
  }
  return arguments;
}

void keep_needed(std::vector<Declaration>& all, std::set<std::string, std::less<>>& wanted) {
  std::set<const Declaration*> kept;
  while (mark(all, wanted, kept)) {}
  drop(all, kept);
}

}  // namespace warpfuzz::cli
