// Constructs that the executor cannot run, found before the compiler runs, so that each is one line with its place.
#include <algorithm>
#include <string>

#include "toolchain/rewriter/passes.h"

namespace warpfuzz::rewrite {
namespace {

struct Name {
  std::string_view text;  // an identifier, or its beginning when `prefix`
  bool prefix;
  std::string_view what;
};
constexpr Name kNames[] = {
    {"cudaTextureObject_t", false, "textures"},
    {"cudaSurfaceObject_t", false, "surfaces"},
    {"tex1D", true, "textures"},
    {"tex2D", true, "textures"},
    {"tex3D", true, "textures"},
    {"surf1D", true, "surfaces"},
    {"surf2D", true, "surfaces"},
    {"surf3D", true, "surfaces"},
    {"nvcuda", false, "tensor-core fragments (nvcuda::wmma)"},
    {"cluster_group", false, "thread block clusters"},
    {"this_cluster", false, "thread block clusters"},
    {"__cluster_dims__", false, "thread block clusters (__cluster_dims__)"},
    {"__warpfuzz_cluster_dims__", false, "thread block clusters (__cluster_dims__)"},
    {"cluster_dims", false, "thread block clusters (__cluster_dims__)"},
};

std::string message(std::string_view what) {
  const bool one = what.starts_with("inline") || what.starts_with("a ");
  return std::string(what) + (one ? " is" : " are") + " not supported by the CPU executor";
}

std::string unquoted(std::string_view s) {
  return s.size() >= 2 ? std::string(s.substr(1, s.size() - 2)) : std::string(s);
}

}  // namespace

void reject_unsupported(const TokenText& t, const Scopes& scopes) {
  std::uint32_t hint = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const Token& k = t.tokens[i];
    const char c = k.first;
    if (c != 'a' && c != '_' && c != 't' && c != 's' && c != 'c' && c != 'n' && c != '<' && c != 'd') continue;
    if (c == '<') {
      if (k.length != 2 || !t.is(i, "<<") || !t.is(i + 1, '<') || t.is(i - 1, "operator") ||
          !scopes.all[scopes.at(i, hint)].device)
        continue;
      t.fail(i, message("a kernel launch from device code"));
    }
    if (k.kind != TokenKind::identifier || t.in_system_header(k.offset)) continue;
    if (t.is(i, "asm") || t.is(i, "__asm__") || t.is(i, "__asm")) {
      if (scopes.all[scopes.at(i, hint)].device) t.fail(i, message("inline PTX (asm)"));
      continue;
    }
    if ((t.is(i, "texture") || t.is(i, "surface")) && t.is(i + 1, '<')) {  // a declaration, not a comparison
      const std::size_t end = skip_angles(t, i + 1, t.size());
      if (end != TokenText::npos && t.identifier(end)) t.fail(i, message(std::string(t.str(i)) + "s"));
    }
    // The CUDA surface's own mark: __warpfuzz_unsupported__("what").
    if (t.is(i, "__warpfuzz_unsupported__") && t.is(i + 1, '(')) t.fail(i, message(unquoted(t.str(i + 2))));
    // ... and its attribute that refuses every call.
    if (t.is(i, "diagnose_if") && t.is(i + 1, '(') && t.is(i + 2, "true") && t.is(i + 3, ',')) {
      const std::string text = unquoted(t.str(i + 4));
      if (text.starts_with("warpfuzz: ")) t.fail(i, text.substr(10));
    }
    const std::string_view s = t.str(i);
    for (const Name& n : kNames) {
      if (n.prefix ? s.starts_with(n.text) && (s.size() == n.text.size() || t.is(i + 1, '(') || t.is(i + 1, '<'))
                   : s == n.text) {
        t.fail(i, message(n.what));
      }
    }
  }
}

}  // namespace warpfuzz::rewrite
