// RMSnorm over the last dim: y = x / sqrt(mean(x^2) + eps) * gamma.
#include "ops/families.h"
#include "ops/parts/square_norm.h"
#include "ops/registry.h"

namespace warpfuzz {
namespace {

void rmsnorm_reference(const RefContext& c, std::vector<Reference>& refs) {
  square_norm_reference(c, refs, true, EpsPlacement::inside_root);
}

}  // namespace

namespace ops {
Op rmsnorm_op() {
  Op op;
  op.schema.dims = {row_dim(), column_dim()};
  op.schema.tensors = {in_tensor("x", {0, 1}), in_tensor("gamma", {1}, true), out_tensor("y", {0, 1})};
  op.schema.scalars = {{"eps", {1e-5, 1e-6, 1e-12, 1e-3}}};
  finish_row_schema(op.schema);
  op.reference = rmsnorm_reference;
  return op;
}
}  // namespace ops

}  // namespace warpfuzz
