// Classification of braces. Declarations outside functions are looked at once each; what is inside functions only nests.
#include "toolchain/rewriter/scopes.h"

#include <algorithm>

namespace warpfuzz::rewrite {
namespace {

constexpr auto npos = TokenText::npos;

bool class_key(const TokenText& t, std::size_t i) {
  return t.is(i, "class") || t.is(i, "struct") || t.is(i, "union") || t.is(i, "enum");
}

// attribute-like words whose parentheses are no parameter list
bool takes_operand(const TokenText& t, std::size_t i) {
  static constexpr std::string_view words[] = {"__attribute__", "__attribute", "alignas",  "_Alignas",
                                               "decltype",      "__declspec",  "explicit", "noexcept",
                                               "requires",      "__typeof__",  "typeof",   "static_assert"};
  return t.identifier(i) && std::find(std::begin(words), std::end(words), t.str(i)) != std::end(words);
}

ScopeKind classify(const TokenText& t, std::size_t from, std::size_t brace) {
  bool parameters = false, initializers = false;
  for (std::size_t i = from; i < brace; ++i) {
    const Token& k = t.tokens[i];
    if (k.kind == TokenKind::identifier) {
      if (t.is(i, "namespace") ||
          (t.is(i, "extern") && i + 1 < brace && t.tokens[i + 1].kind == TokenKind::string && i + 2 == brace)) {
        return ScopeKind::space;
      }
      if (t.is(i, "template") && t.is(i + 1, '<')) {
        const std::size_t end = skip_angles(t, i + 1, brace);
        if (end != npos) i = end - 1;
        continue;
      }
      if (t.is(i, "operator")) {  // operator=, operator(), operator<: the symbol is part of a name
        ++i;
        if (t.is(i, '(') || t.is(i, '[')) ++i;
        else
          while (i + 1 < brace && t.tokens[i].kind == TokenKind::punct && !t.is(i + 1, '(') &&
                 t.tokens[i + 1].kind == TokenKind::punct)
            ++i;
        continue;
      }
      if (class_key(t, i) && !parameters) {
        // A class unless a parameter list follows (`struct S f() {`).
        for (std::size_t j = i + 1; j < brace; ++j) {
          if (t.is(j, '(') && !takes_operand(t, j - 1)) break;
          if (t.is(j, '=')) return ScopeKind::block;
          if (t.is(j, '<')) {
            const std::size_t end = skip_angles(t, j, brace);
            if (end == npos) break;
            j = end - 1;
          }
          if (t.is(j, '(') || t.is(j, '[')) j = t.match[j];
          if (j + 1 >= brace || (t.is(j, ':') && j > i + 1))
            return t.is(i, "enum") ? ScopeKind::block : ScopeKind::type;
        }
        if (i + 1 == brace) return t.is(i, "enum") ? ScopeKind::block : ScopeKind::type;
      }
      if (takes_operand(t, i) && t.is(i + 1, '(')) {
        i = t.match[i + 1];
        continue;
      }
    } else if (k.kind == TokenKind::punct && k.length == 1) {
      if (k.first == '(' || k.first == '[' || k.first == '{') {
        if (t.match[i] > brace) return ScopeKind::block;  // a brace inside parentheses: a default argument
        parameters |= k.first == '(';
        i = t.match[i];
        continue;
      }
      if (k.first == '=') return ScopeKind::block;  // an initialiser
      if (k.first == ':' && parameters) initializers = true;
    }
  }
  if (!parameters) return ScopeKind::block;
  // S() : a{1}, b{2} { ... }: a brace after a name in the list of initialisers is not the body.
  if (initializers && brace > from && (t.identifier(brace - 1) || t.is(brace - 1, '>'))) return ScopeKind::block;
  return ScopeKind::function;
}

bool device_mark(const TokenText& t, std::size_t i) {
  return t.identifier(i) && (is_mark(t, i, kDeviceMark) || is_mark(t, i, kGlobalMark));
}

}  // namespace

std::size_t skip_angles(const TokenText& t, std::size_t open, std::size_t limit) {
  int depth = 0;
  for (std::size_t i = open; i < limit; ++i) {
    if (t.tokens[i].kind != TokenKind::punct) continue;
    if (t.is(i, '(') || t.is(i, '[') || t.is(i, '{')) {
      i = t.match[i];
    } else if (t.is(i, ')') || t.is(i, ']') || t.is(i, '}') || t.is(i, ';')) {
      return npos;
    } else if (t.is(i, '<')) {
      ++depth;
    } else if (t.is(i, '>') && --depth == 0) {
      return i + 1;
    }
  }
  return npos;
}

Scopes find_scopes(const TokenText& t) {
  Scopes out;
  out.all.push_back({ScopeKind::file, npos, static_cast<std::uint32_t>(t.size()), 0, -1, false});
  std::int32_t current = 0;
  std::uint32_t declaration = 0;
  bool mark = false;         // a device mark in the declaration so far
  bool lambda_mark = false;  // a device mark inside a function: the next brace is a device lambda's
  for (std::uint32_t i = 0; i < t.size(); ++i) {
    const Token& k = t.tokens[i];
    const Scope here = out.all[current];
    const bool outside = here.kind == ScopeKind::file || here.kind == ScopeKind::space || here.kind == ScopeKind::type;
    if (k.kind == TokenKind::identifier) {
      if (k.first != '_') continue;
      if (device_mark(t, i)) {
        if (outside) mark = true;
        else lambda_mark = true;
      }
      const bool variable_scope = here.kind == ScopeKind::file || here.kind == ScopeKind::space;
      if (variable_scope &&
          (is_mark(t, i, kDeviceMark) || is_mark(t, i, kConstantMark) || is_mark(t, i, kManagedMark))) {
        out.marks.push_back({i, declaration});
      }
      continue;
    }
    if (k.kind != TokenKind::punct || k.length != 1) continue;
    if (k.first == '{') {
      const ScopeKind kind = outside ? classify(t, declaration, i) : ScopeKind::block;
      const bool device = here.device || (kind == ScopeKind::function && mark) || lambda_mark;
      lambda_mark = false;
      out.all.push_back({kind, i, t.match[i], declaration, current, device});
      current = static_cast<std::int32_t>(out.all.size() - 1);
      if (kind == ScopeKind::space || kind == ScopeKind::type) declaration = i + 1, mark = false;
    } else if (k.first == '}') {
      const ScopeKind closed = here.kind;
      current = here.parent;
      if (closed != ScopeKind::block) declaration = i + 1, mark = false;
    } else if (outside && k.first == ';') {
      declaration = i + 1, mark = false;
    } else if (outside && k.first == ':' && i > 0 && here.kind == ScopeKind::type &&
               (t.is(i - 1, "public") || t.is(i - 1, "private") || t.is(i - 1, "protected"))) {
      declaration = i + 1, mark = false;
    }
  }
  return out;
}

std::uint32_t Scopes::at(std::size_t token, std::uint32_t& hint) const {
  while (hint + 1 < all.size() && all[hint + 1].open <= token) ++hint;
  std::uint32_t s = hint;
  while (s != 0 && all[s].close < token) s = static_cast<std::uint32_t>(all[s].parent);
  return s;
}

}  // namespace warpfuzz::rewrite
