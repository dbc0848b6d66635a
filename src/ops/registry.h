// What the registry (ops/ops.def) asks of each op's own file: `Op softmax_op()` and so on, without name and summary, which the list has.
#pragma once
#include "ops/op.h"

namespace warpfuzz::ops {

#define WARPFUZZ_OP(NAME, ...) Op NAME##_op();
#include "ops/ops.def"
#undef WARPFUZZ_OP

}  // namespace warpfuzz::ops
