// Reading a declaration. Its specifiers hold no expression outside brackets, so that a '<' there always opens template
// arguments; in a declarator the name is the identifier before the first [ , ; or inside (*name).
#include "toolchain/rewriter/declarators.h"

#include <algorithm>

#include "toolchain/rewriter/scopes.h"

namespace warpfuzz::rewrite {
namespace {

constexpr auto npos = TokenText::npos;

bool attribute_word(const TokenText& t, std::size_t i) {
  return t.is(i + 1, '(') && (t.is(i, "alignas") || t.is(i, "_Alignas") || t.is(i, "__attribute__") ||
                              t.is(i, "__attribute") || t.is(i, "__declspec"));
}

bool aligns(const TokenText& t, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    if (t.is(i, "alignas") || t.is(i, "_Alignas") || t.is(i, "aligned") || t.is(i, "__aligned__") || t.is(i, "align"))
      return true;
  }
  return false;
}

// First token of the statement: what comes after the last ; { } or label.
std::size_t statement_start(const TokenText& t, std::size_t mark) {
  std::size_t i = mark;
  while (i > 0) {
    const std::size_t b = i - 1;
    if (t.is(b, ')') || t.is(b, ']')) {  // alignas(..) or [[..]] before the mark; else the end of `if (..)`
      const std::size_t open = t.match[b];
      const bool attribute = t.is(b, ']') ? t.is(b - 1, ']') : open > 0 && attribute_word(t, open - 1);
      if (!attribute) break;
      i = t.is(b, ']') ? open : open - 1;
      continue;
    }
    if (t.is(b, '>') || t.identifier(b) || t.is(b, "::")) {
      if (t.is(b, "else") || t.is(b, "do")) break;
      if (t.is(b, '>')) {  // X<int> before the mark: back to its name
        std::size_t k = b;
        int depth = 0;
        for (;; --k) {
          if (t.is(k, ')') || t.is(k, ']')) k = t.match[k];
          else if (t.is(k, '>')) ++depth;
          else if (t.is(k, '<') && --depth == 0) break;
          if (k == 0 || t.is(k, ';') || t.is(k, '{')) return i;
        }
        if (k == 0) return i;
        if (t.is(k - 1, "template")) return i;  // a declaration's template parameters
        i = k;
        continue;
      }
      i = b;
      continue;
    }
    break;
  }
  return i;
}

}  // namespace

Declaration read_declaration(const TokenText& t, std::size_t mark, std::string_view what) {
  Declaration d{};
  d.first = statement_start(t, mark);
  std::size_t name = npos;
  bool in_declarator = false;  // past the name of a declarator: only brackets may follow
  const auto finish = [&](std::size_t at) {
    if (name == npos)
      t.fail(at, std::string("can't read this ") + std::string(what) + " declaration: no variable name before '" +
                     std::string(t.str(at)) + "'");
    const bool unsized = t.is(name + 1, '[') && t.is(name + 2, ']');
    d.declarators.push_back({name, unsized});
    name = npos;
    in_declarator = false;
  };
  for (std::size_t i = d.first;; ++i) {
    if (i >= t.size()) t.fail(mark, std::string("this ") + std::string(what) + " declaration never ends");
    if (t.identifier(i)) {
      if (attribute_word(t, i)) {
        d.attributes.emplace_back(i, t.match[i + 1] + std::size_t{1});
        i = t.match[i + 1];
      } else if ((t.is(i, "decltype") || t.is(i, "typeof") || t.is(i, "__typeof__")) && t.is(i + 1, '(')) {
        i = t.match[i + 1];
      } else if (t.is(i, "extern") || t.is(i, "static") || t.is(i, "inline") || t.is(i, "thread_local") ||
                 t.is(i, "register")) {
        d.is_extern |= t.is(i, "extern");
        d.storage.push_back(i);
      } else if (!in_declarator) {
        name = i;
        if (t.is(i + 1, '<')) {
          const std::size_t end = skip_angles(t, i + 1, t.size());
          if (end == npos)
            t.fail(i, std::string("can't read this ") + std::string(what) + " declaration: '<' is never closed");
          i = end - 1;
        }
      }
      continue;
    }
    if (t.is(i, '[')) {
      if (t.is(i + 1, '[')) d.attributes.emplace_back(i, t.match[i] + std::size_t{1});
      else in_declarator = true;
      i = t.match[i];
    } else if (t.is(i, '(') && t.is(i + 1, '*')) {  // (*name)[4], (*name)(int)
      name = t.match[i] - 1;
      while (name > i && !t.identifier(name)) name = t.is(name, ']') || t.is(name, ')') ? t.match[name] - 1 : name - 1;
      in_declarator = true;
      i = t.match[i];
    } else if (t.is(i, '(') && in_declarator) {
      i = t.match[i];
    } else if (t.is(i, '{') && !in_declarator && i > 0 &&
               (t.is(i - 1, "struct") || t.is(i - 1, "union") || t.is(i - 2, "struct") || t.is(i - 2, "union"))) {
      i = t.match[i];  // a type defined in place
      name = npos;
    } else if (t.is(i, ',')) {
      finish(i);
    } else if (t.is(i, ';')) {
      finish(i);
      d.last = i;
      break;
    } else if (t.is(i, '=') || t.is(i, '{') || t.is(i, '(')) {
      t.fail(mark, std::string("a ") + std::string(what) +
                       " variable can't have an initialiser (CUDA does not allow it either)");
    }
  }
  for (const auto& [first, last] : d.attributes) {
    if (aligns(t, first, last)) {
      for (std::size_t i = first; i < last; ++i) d.alignment += std::string(t.str(i)) + " ";
    }
  }
  return d;
}

}  // namespace warpfuzz::rewrite
