// The built-in ops as target specs and as a list.
#include "ops/families.h"
#include "ops/spec.h"

namespace warpfuzz::ops {

TargetSpec softmax() { return TargetSpec(softmax_op()); }
TargetSpec layernorm() { return TargetSpec(layernorm_op()); }
TargetSpec rmsnorm() { return TargetSpec(rmsnorm_op()); }
TargetSpec l2norm() { return TargetSpec(l2norm_op()); }
TargetSpec gelu() { return TargetSpec(gelu_op()); }
TargetSpec silu() { return TargetSpec(silu_op()); }
TargetSpec sigmoid() { return TargetSpec(sigmoid_op()); }
TargetSpec tanh() { return TargetSpec(tanh_op()); }
TargetSpec relu() { return TargetSpec(relu_op()); }
TargetSpec leaky_relu() { return TargetSpec(leaky_relu_op()); }
TargetSpec elu() { return TargetSpec(elu_op()); }
TargetSpec matmul() { return TargetSpec(matmul_op()); }
TargetSpec attention() { return TargetSpec(attention_op()); }

std::vector<Op> all() {
  return {softmax_op(), layernorm_op(), rmsnorm_op(),    l2norm_op(), gelu_op(),   silu_op(),     sigmoid_op(),
          tanh_op(),    relu_op(),      leaky_relu_op(), elu_op(),    matmul_op(), attention_op()};
}

}  // namespace warpfuzz::ops
