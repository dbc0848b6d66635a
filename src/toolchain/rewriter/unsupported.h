// The names of what the executor cannot run, as a table: any identifier can stand there.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "toolchain/rewriter/lexer.h"
#include "toolchain/rewriter/scopes.h"

namespace warpfuzz::rewrite {

enum class Refused : std::uint8_t {
  name,       // wherever it stands
  call,       // where it begins the name of what is called: tex2D(...), tex2DLod<float>(...)
  device,     // in device code alone
  reference,  // as the template of a variable: texture<float, 2> t
  mark,       // our headers' own, which says what: __warpfuzz_unsupported__("...")
  attribute,  // our headers' own on a declaration, which says why: diagnose_if(true, "warpfuzz: ...", "error")
};
struct UnsupportedName {
  std::string_view text;
  Refused where;
  std::string_view what;  // is or are not supported; empty where the source says it
};
std::span<const UnsupportedName> unsupported_names();

// Throws for the first construct in the user's files that the executor cannot run.
void reject_unsupported(const TokenText& t, const Scopes& scopes,
                        std::span<const UnsupportedName> names = unsupported_names());

}  // namespace warpfuzz::rewrite
