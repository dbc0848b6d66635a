// Attention's reference once more as a plain loop nest: one element after the other, each sum on its own, the C library's
// exp. What the quick reference must agree with.
#pragma once
#include "problem.h"

namespace warpfuzz::test {

Reference plain_attention(const Problem& p);

}  // namespace warpfuzz::test
