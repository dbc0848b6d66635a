// The built-in ops as target specs and as a list.
#include "ops/families.h"
#include "ops/spec.h"

namespace warpfuzz::ops {

TargetSpec softmax() { return TargetSpec(softmax_op()); }
TargetSpec layernorm() { return TargetSpec(layernorm_op()); }
TargetSpec rmsnorm() { return TargetSpec(rmsnorm_op()); }
TargetSpec gelu() { return TargetSpec(gelu_op()); }
TargetSpec matmul() { return TargetSpec(matmul_op()); }

std::vector<Op> all() { return {softmax_op(), layernorm_op(), rmsnorm_op(), gelu_op(), matmul_op()}; }

}  // namespace warpfuzz::ops
