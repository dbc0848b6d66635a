// Rows divided by their Euclidean norm. Three forms that differ in where eps goes; a target declares one:
//   form=max:  x / max(norm, eps)         form=sqrt: x / sqrt(sum(x^2) + eps)         form=add:  x / (norm + eps)
#include "ops/families.h"
#include "ops/parts/square_norm.h"

namespace warpfuzz {
namespace {

void l2norm_reference(const RefContext& c, std::vector<Reference>& refs) {
  const std::string& form = c.dialects.form;
  square_norm_reference(c, refs, false,
                        form == "max"    ? EpsPlacement::floor
                        : form == "sqrt" ? EpsPlacement::inside_root
                                         : EpsPlacement::added);
}

}  // namespace

namespace ops {
Op l2norm_op() {
  Op op;
  op.summary = "rows divided by their norm: x[rows, cols], scalar eps -> y; form=max, form=sqrt or form=add";
  op.schema.op = "l2norm";
  op.schema.dims = {row_dim(), column_dim()};
  op.schema.tensors = {in_tensor("x", {0, 1}), out_tensor("y", {0, 1})};
  op.schema.scalars = {{"eps", {1e-12, 1e-6, 1e-8, 1e-3}}};
  finish_row_schema(op.schema);
  op.forms = {"max", "sqrt", "add"};
  op.reference = l2norm_reference;
  return op;
}
}  // namespace ops

}  // namespace warpfuzz
