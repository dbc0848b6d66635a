// Rows divided by their Euclidean norm. Three forms that differ in where eps goes; a target declares one:
//   form=max:  x / max(norm, eps)         form=sqrt: x / sqrt(sum(x^2) + eps)         form=add:  x / (norm + eps)
#include "ops/families.h"
#include "ops/parts/square_norm.h"
#include "ops/registry.h"

namespace warpfuzz {
namespace {

// By EpsPlacement.
constexpr std::array<std::string_view, 3> kForms = {"max", "sqrt", "add"};

void l2norm_reference(const RefContext& c, std::vector<Reference>& refs) {
  square_norm_reference(c, refs, false, ops::declared<EpsPlacement>(kForms, c.dialects.form));
}

}  // namespace

namespace ops {
Op l2norm_op() {
  Op op;
  op.schema.dims = {row_dim(), column_dim()};
  op.schema.tensors = {in_tensor("x", {0, 1}), out_tensor("y", {0, 1})};
  op.schema.scalars = {{"eps", {1e-12, 1e-6, 1e-8, 1e-3}}};
  finish_row_schema(op.schema);
  op.forms = as_list(kForms);
  op.reference = l2norm_reference;
  return op;
}
}  // namespace ops

}  // namespace warpfuzz
