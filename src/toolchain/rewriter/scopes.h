// What each brace of the text opens, by the shape of the declaration before it.
#pragma once
#include <cstdint>
#include <vector>

#include "toolchain/rewriter/lexer.h"

namespace warpfuzz::rewrite {

enum class ScopeKind : std::uint8_t {
  file,
  space,
  type,
  function,
  block
};  // block: anything inside a function, initialisers

struct Scope {
  ScopeKind kind;
  std::uint32_t open, close;  // tokens of its braces; the file's are npos and size()
  std::uint32_t declaration;  // first token of the declaration that it belongs to
  std::int32_t parent;        // index of the scope around it, -1 for the file
  bool device;                // function or lambda with a device or kernel mark, and everything inside
};

struct Scopes {
  std::vector<Scope> all;  // in order of `open`; [0] is the file
  struct Mark {
    std::uint32_t token, declaration;
  };
  std::vector<Mark>
      marks;  // device, constant, managed marks at file or namespace scope, and where their declaration starts
  // The innermost scope at a token: a caller that walks the tokens forwards keeps `hint` between calls.
  std::uint32_t at(std::size_t token, std::uint32_t& hint) const;
};

// The marks that the CUDA surface defines CUDA's keywords to.
inline constexpr std::string_view kSharedMark = "__warpfuzz_shared__", kDeviceMark = "__warpfuzz_device__",
                                  kConstantMark = "__warpfuzz_constant__", kManagedMark = "__warpfuzz_managed__",
                                  kGlobalMark = "__warpfuzz_global__";
inline bool is_mark(const TokenText& t, std::size_t i, std::string_view mark) {
  return t.tokens[i].length == mark.size() && t.tokens[i].first == '_' && t.str(i) == mark;
}

Scopes find_scopes(const TokenText& t);

// Token after a template argument or parameter list that opens at `open` (a '<'), or npos when it is a comparison.
std::size_t skip_angles(const TokenText& t, std::size_t open, std::size_t limit);

}  // namespace warpfuzz::rewrite
