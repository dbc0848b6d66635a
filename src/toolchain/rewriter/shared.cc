// __shared__ variables. The declaration becomes a typedef in place (so that any declarator works, and lines stay), and
// after it each name becomes a reference of that type to the storage of the running block:
//   __shared__ float a[T][T], b;   typedef float wfT_1[T][T], wfT_2; wfT_1& a = shared_array<wfT_1>(...); wfT_2& b = ...;
//   extern __shared__ float s[];   typedef float wfT_3[]; wfT_3& s = ... dynamic_shared ...;
// At namespace scope a reference cannot follow the block: there the getters wfG_n::get() are made, and each function
// that uses the name begins with the reference. A lambda without a default capture by reference captures the names
// that it uses, since a static variable, which the source declares, needs no capture.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "toolchain/rewriter/declarators.h"
#include "toolchain/rewriter/passes.h"

namespace warpfuzz::rewrite {
namespace {

class SharedWriter {
 public:
  SharedWriter(const TokenText& t, const Scopes& scopes, Edits& edits) : t_(t), scopes_(scopes), edits_(edits) {}

  std::size_t run() {
    std::uint32_t hint = 0;
    for (std::size_t i = 0; i < t_.size(); ++i) {
      if (!t_.identifier(i) || !is_mark(t_, i, kSharedMark)) continue;
      const Scope& scope = scopes_.all[scopes_.at(i, hint)];
      const bool global = scope.kind == ScopeKind::file || scope.kind == ScopeKind::space;
      if (scope.kind == ScopeKind::type) t_.fail(i, "__shared__ on a class member");
      declare(read_declaration(t_, i, "__shared__"), i, scope, global);
    }
    if (!globals_.empty()) open_functions();
    for (const Visible& v : visible_) capture(v);
    return count_;
  }

 private:
  struct Visible {
    std::string_view name;
    std::size_t from, to;
  };  // tokens

  void declare(const Declaration& d, std::size_t mark, const Scope& scope, bool global) {
    for (std::size_t i : d.storage) edits_.remove(i);
    for (const auto& [first, last] : d.attributes) edits_.remove(first, last);
    edits_.replace(mark, "typedef");
    std::string after;
    for (const Declarator& v : d.declarators) {
      const std::string number = std::to_string(++count_);
      const std::string type = "wfT_" + number, name(t_.str(v.name));
      edits_.replace(v.name, type);
      std::string align = "0";
      if (!d.alignment.empty()) {
        align = "alignof(wfA_" + number + ")";
        after += " struct " + d.alignment + "wfA_" + number + " {};";
      }
      const bool dynamic = d.is_extern;
      if (v.unsized && !dynamic) t_.fail(v.name, "a __shared__ array without a size must be 'extern'");
      const std::string value = dynamic ? "*reinterpret_cast<" + type + "*>(::warpfuzz::cpu::dynamic_shared<char>())"
                                        : "::warpfuzz::cpu::shared_array<" + type + ">(\"" + name +
                                              "\", {__builtin_FILE(), __builtin_LINE(), 0}, []{}, " + align + ")";
      if (global) {
        after += " struct wfG_" + number + " { static inline __attribute__((always_inline)) " + type +
                 "& get() { return " + value + "; } };";
        globals_[t_.str(v.name)].push_back({number, d.last});
      } else {
        after += " " + type + "& " + name + " = " + value + ";";
        visible_.push_back({t_.str(v.name), d.last, scope.close});
      }
    }
    edits_.insert_after(d.last, after);
  }

  // `{ wfT_1& s = wfG_1::get(); { body } }` for the functions that use s. The second pair of braces lets a local
  // variable take the same name.
  void open_functions() {
    for (const Scope& f : scopes_.all) {
      if (f.kind != ScopeKind::function) continue;
      std::map<std::string_view, const Global*> used;
      for (std::size_t i = f.open + 1; i < f.close; ++i) {
        if (!t_.identifier(i)) continue;
        const auto g = globals_.find(t_.str(i));
        if (g == globals_.end() || t_.is(i - 1, '.') || t_.is(i - 1, "->")) continue;
        if (t_.is(i - 1, "::")) {
          t_.fail(i, "the __shared__ variable '" + std::string(t_.str(i)) +
                         "' at namespace scope must be used by its name alone, without '::'");
        }
        const Global* latest = nullptr;
        for (const Global& candidate : g->second)
          if (candidate.from < f.open) latest = &candidate;
        if (latest && !parameter(f, t_.str(i))) used.emplace(t_.str(i), latest);
      }
      if (used.empty()) continue;
      std::string begin;
      for (const auto& [name, g] : used) {
        begin += " wfT_" + g->number + "& " + std::string(name) + " = wfG_" + g->number + "::get();";
        visible_.push_back({name, f.open, f.close});
      }
      edits_.insert_after(f.open, begin + " {");
      edits_.insert_before(f.close, "}");
    }
  }

  bool parameter(const Scope& f, std::string_view name) const {
    for (std::size_t i = f.declaration; i < f.open; ++i) {
      if (t_.identifier(i) && t_.str(i) == name) return true;
    }
    return false;
  }

  bool lambda_introducer(std::size_t i) const {
    if (!t_.is(i, '[') || t_.is(i + 1, '[') || (i > 0 && t_.is(i - 1, '['))) return false;
    const std::size_t b = i - 1;
    if (t_.identifier(b)) return t_.is(b, "return") || t_.is(b, "co_return") || t_.is(b, "case");
    if (t_.is(b, '&')) return !t_.is(b - 1, "auto") && !(t_.is(b - 1, '&') && t_.is(b - 2, "auto"));
    return t_.tokens[b].kind == TokenKind::punct && !t_.is(b, ')') && !t_.is(b, ']') && !t_.is(b, '>');
  }

  void capture(const Visible& v) {
    for (std::size_t i = v.from + 1; i < v.to; ++i) {
      if (!lambda_introducer(i)) continue;
      const std::size_t end = t_.match[i];
      if (t_.is(i + 1, '&') && (t_.is(i + 2, ']') || t_.is(i + 2, ','))) continue;  // [&] has it
      std::size_t body = end + 1;
      while (body < v.to && !t_.is(body, '{') && !t_.is(body, ';'))
        body = (t_.is(body, '(') ? t_.match[body] : body) + 1;
      if (!t_.is(body, '{')) continue;
      bool uses = false;
      for (std::size_t k = body; k < t_.match[body] && !uses; ++k) {
        uses = t_.identifier(k) && t_.str(k) == v.name && !t_.is(k - 1, '.') && !t_.is(k - 1, "->");
      }
      if (uses) edits_.insert_before(end, (end == i + 1 ? "&" : ", &") + std::string(v.name));
    }
  }

  struct Global {
    std::string number;
    std::size_t from;
  };
  const TokenText& t_;
  const Scopes& scopes_;
  Edits& edits_;
  std::size_t count_ = 0;
  std::map<std::string_view, std::vector<Global>> globals_;
  std::vector<Visible> visible_;
};

}  // namespace

std::size_t rewrite_shared(const TokenText& t, const Scopes& scopes, Edits& edits) {
  return SharedWriter(t, scopes, edits).run();
}

}  // namespace warpfuzz::rewrite
