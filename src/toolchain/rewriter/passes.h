// The steps of rewrite(): each looks at the tokens alone and adds its edits. They do not depend on each other.
#pragma once
#include <cstddef>

#include "toolchain/rewriter/edits.h"
#include "toolchain/rewriter/lexer.h"
#include "toolchain/rewriter/scopes.h"

namespace warpfuzz::rewrite {

// Each returns how many it rewrote.
std::size_t rewrite_launches(const TokenText& t, Edits& edits);
std::size_t rewrite_shared(const TokenText& t, const Scopes& scopes, Edits& edits);
std::size_t rewrite_device_variables(const TokenText& t, const Scopes& scopes, Edits& edits);

}  // namespace warpfuzz::rewrite
