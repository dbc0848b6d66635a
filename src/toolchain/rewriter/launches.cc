// kernel<<<grid, block, shared, stream>>>(arguments) becomes
//   ([&](auto... wf_a) { launch_kernel(launch_config(grid, block, shared, stream), "kernel", key, [&] { kernel(wf_a...); }); })(arguments)
// so that the compiler resolves overloads, template and default arguments, and evaluates each argument once. A literal
// or a braced list has no type of its own (0 as a pointer, {1, 2} as a struct): it stays in the inner call.
#include <algorithm>
#include <string>
#include <vector>

#include "toolchain/rewriter/passes.h"

namespace warpfuzz::rewrite {
namespace {

constexpr auto npos = TokenText::npos;

bool keyword(const TokenText& t, std::size_t i) {
  static constexpr std::string_view words[] = {"return",   "else",     "do",   "throw", "co_return",
                                               "co_yield", "co_await", "case", "goto"};
  return t.identifier(i) && std::find(std::begin(words), std::end(words), t.str(i)) != std::end(words);
}

// `<<<` with nothing that makes it C++: operator<< <T> is the only other way to write << before <.
bool opens_launch(const TokenText& t, std::size_t i) {
  return t.tokens[i].first == '<' && t.is(i, "<<") && t.is(i + 1, '<') && i > 0 && !t.is(i - 1, "operator");
}

// From the '>' that ends template arguments back to its '<'.
std::size_t angle_back(const TokenText& t, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close;; --i) {
    if (t.is(i, ')') || t.is(i, ']') || t.is(i, '}')) {
      i = t.match[i];
    } else if (t.is(i, '>')) {
      ++depth;
    } else if (t.is(i, '<') && --depth == 0) {
      return i;
    } else if (t.is(i, ';') || t.is(i, '{') || t.is(i, '(')) {
      return npos;
    }
    if (i == 0) return npos;
  }
}

struct Callee {
  std::size_t first;  // its first token; the last is the one before <<<
  bool plain;         // a (qualified, templated) name: no expression that would be evaluated for each thread
};

// (kernel): only names, qualifiers and template arguments between the parentheses.
bool name_in_parentheses(const TokenText& t, std::size_t open) {
  std::size_t last = t.match[open] - 1;
  if (last == open) return false;
  if (t.is(last, '>')) {
    const std::size_t angle = angle_back(t, last);
    if (angle == npos || angle <= open + 1) return false;
    last = angle - 1;
  }
  for (std::size_t i = open + 1; i <= last; ++i) {
    if (!t.identifier(i) && !t.is(i, "::")) return false;
  }
  return true;
}

// The postfix expression that ends before `launch`.
Callee find_callee(const TokenText& t, std::size_t launch) {
  const auto none = [&]() -> Callee { t.fail(launch, "'<<<' without the name of a kernel before it"); };
  bool plain = true;
  std::size_t i = launch - 1;
  for (;;) {
    if (t.is(i, '>')) {
      const std::size_t open = angle_back(t, i);
      if (open == npos || open == 0) none();
      i = open - 1;
      if (!t.identifier(i)) none();
    }
    if (t.is(i, ')') || t.is(i, ']')) {
      plain = false;
      i = t.match[i];
      // What is called or indexed comes before; `if (x) (f)<<<...` and `(f)<<<...` end here.
      if (i == 0) t.fail(launch, "a kernel launch at file scope");
      const std::size_t b = i - 1;
      const bool operand = (t.identifier(b) && !keyword(t, b)) || t.is(b, ']') || t.is(b, '>');
      const bool condition =
          t.is(b, "if") || t.is(b, "while") || t.is(b, "for") || t.is(b, "switch") || t.is(b, "constexpr");
      if (t.is(i, '(') && (!operand || condition)) return {i, t.match[i] == launch - 1 && name_in_parentheses(t, i)};
      i = b;
      continue;
    }
    if (!t.identifier(i) || keyword(t, i)) none();
    std::size_t before = i - 1;  // i == 0 wraps: is() is false there
    if (t.is(before, "template")) i = before, before = i - 1;
    if (t.is(before, "::")) {
      i = before;
      const std::size_t qualifier = i - 1;
      if ((t.identifier(qualifier) && !keyword(t, qualifier)) || t.is(qualifier, '>')) {
        i = qualifier;
        continue;
      }
      return {i, plain};
    }
    if (t.is(before, '.') || t.is(before, "->")) {
      plain = false;
      i = before - 1;
      continue;
    }
    return {i, plain};
  }
}

// Index of the first '>' of the closing `>>>`. A run of them that `(` follows closes; when template arguments in the
// configuration end in such a run too, it is the last one of the statement.
std::size_t find_close(const TokenText& t, std::size_t after_open) {
  std::size_t found = npos;
  for (std::size_t i = after_open; i < t.size(); ++i) {
    if (t.is(i, ';') || t.is(i, ')') || t.is(i, ']') || t.is(i, '}') || opens_launch(t, i)) break;
    if (t.is(i, '(') || t.is(i, '[') || t.is(i, '{')) {
      i = t.match[i];
    } else if (t.is(i, '>')) {
      std::size_t end = i;
      while (t.is(end + 1, '>') && t.adjacent(end)) ++end;
      if (end - i >= 2 && t.is(end + 1, '(')) found = end - 2;
      i = end;
    }
  }
  return found;
}

struct Argument {
  std::size_t first, last;
  bool verbatim;
};  // [first, last)

std::vector<Argument> split_arguments(const TokenText& t, std::size_t open) {
  std::vector<Argument> out;
  const std::size_t close = t.match[open];
  std::size_t first = open + 1;
  const auto add = [&](std::size_t last) {
    if (last == first) return;
    // Parentheses around a literal: (0), ((0)).
    std::size_t a = first, b = last;
    while (b - a > 2 && t.is(a, '(') && t.match[a] == b - 1) ++a, --b;
    const bool literal = b - a == 1 && (t.tokens[a].kind != TokenKind::identifier || t.is(a, "NULL") ||
                                        t.is(a, "__null") || t.is(a, "nullptr"));
    out.push_back({first, last, literal || t.is(first, '{')});
  };
  for (std::size_t i = open + 1; i < close; ++i) {
    if (t.is(i, '(') || t.is(i, '[') || t.is(i, '{')) {
      i = t.match[i];
    } else if (t.is(i, '<') && t.identifier(i - 1)) {
      const std::size_t end = skip_angles(t, i, close);  // f<a, b>(x), not i < n, j > m
      if (end != npos && (t.is(end, '(') || t.is(end, '{') || t.is(end, "::") || t.is(end, ',') || end == close))
        i = end - 1;
    } else if (t.is(i, ',')) {
      add(i);
      first = i + 1;
    }
  }
  add(close);
  return out;
}

class LaunchWriter {
 public:
  LaunchWriter(const TokenText& t, Edits& edits, bool keys) : t_(t), edits_(edits), keys_(keys) {}

  void write(std::size_t launch) {
    const Callee callee = find_callee(t_, launch);
    const std::size_t close = find_close(t_, launch + 2);
    if (close == npos)
      t_.fail(launch, "'<<<' without a matching '>>>(' (is a bracket missing in the launch configuration?)");
    const std::size_t open = close + 3;
    const std::vector<Argument> arguments = split_arguments(t_, open);
    const bool split = std::any_of(arguments.begin(), arguments.end(), [](const Argument& a) { return a.verbatim; });

    std::string parameters = split ? "" : "auto... wf_a";
    std::string values = split ? "" : "wf_a...";
    if (split) {
      int n = 0;
      for (const Argument& a : arguments) {
        const std::string name = "wf_a" + std::to_string(n++);
        const bool pack = !a.verbatim && t_.is(a.last - 1, "...");
        if (!a.verbatim)
          parameters += (parameters.empty() ? "" : ", ") + std::string(pack ? "auto... " : "auto ") + name;
        values +=
            (values.empty() ? "" : ", ") + (a.verbatim ? flat_text(t_, a.first, a.last) : name + (pack ? "..." : ""));
      }
      hoisted_only(arguments, open);
    }

    const std::string name = flat_text(t_, callee.first, launch);
    const std::string kernel = callee.plain ? name : "wf_k";
    if (!callee.plain) parameters = "auto wf_k" + (parameters.empty() ? "" : ", " + parameters);
    edits_.insert_before(callee.first,
                         "([&](" + parameters + ") { ::warpfuzz::cpu::launch_kernel(::warpfuzz::cpu::launch_config(");
    edits_.remove(callee.first, launch + 2);
    edits_.remove(close, close + 3);
    edits_.insert_after(close + 2, "), " + quoted(name) + ", " + key(callee, kernel) +
                                       ", [&]() __attribute__((always_inline)) { " + kernel + "(" + values +
                                       "); }); })");
    if (!callee.plain) {
      const bool more = std::any_of(arguments.begin(), arguments.end(), [](const Argument& a) { return !a.verbatim; });
      edits_.insert_after(open, name + (more ? ", " : ""));
    }
  }

 private:
  // Leaves only the arguments that are evaluated once between the parentheses, with the commas between them.
  void hoisted_only(const std::vector<Argument>& arguments, std::size_t open) {
    const std::size_t end = t_.match[open];
    bool first = true;
    std::size_t i = open + 1;
    for (const Argument& a : arguments) {
      edits_.remove(i, a.first);  // the comma before it
      if (a.verbatim) {
        edits_.remove(a.first, a.last);
      } else {
        if (!first) edits_.insert_before(a.first, ", ");
        first = false;
      }
      i = a.last;
    }
    edits_.remove(i, end);
  }

  // The kernel's address, for attributes set by cudaFuncSetAttribute. Only in files that set some: an address taken
  // keeps a second copy of the kernel, which never runs but counts as uncovered. Null for overloaded or deduced names.
  std::string key(const Callee& callee, const std::string& kernel) const {
    if (!keys_) return "nullptr";
    if (!callee.plain) return "reinterpret_cast<const void*>(+wf_k)";
    const std::string call = "wf_address(" + kernel + ")";
    return "[&](auto wf_address) -> const void* { if constexpr (requires { " + call + "; }) return " + call +
           "; else return nullptr; }([]<class R, class... P>(R (*wf_f)(P...)) { return reinterpret_cast<const void*>(wf_f); })";
  }

  const TokenText& t_;
  Edits& edits_;
  bool keys_;
};

}  // namespace

std::size_t rewrite_launches(const TokenText& t, Edits& edits) {
  std::vector<std::size_t> launches;
  bool keys = false;
  for (std::size_t i = 0; i + 1 < t.size(); ++i) {
    if (opens_launch(t, i)) launches.push_back(i);
    if (!keys && t.tokens[i].first == 'c' && t.is(i, "cudaFuncSetAttribute"))
      keys = !t.in_system_header(t.tokens[i].offset);
  }
  LaunchWriter writer(t, edits, keys);
  for (std::size_t i : launches) writer.write(i);
  return launches.size();
}

}  // namespace warpfuzz::rewrite
