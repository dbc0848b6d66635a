// The built-in ops, by their list, as target specs and as descriptors.
#include "ops/registry.h"

#include "ops/spec.h"

namespace warpfuzz::ops {
namespace {

TargetSpec listed(const char* name, const char* summary, Op op) {
  op.schema.op = name;
  op.summary = summary;
  return TargetSpec(std::move(op));
}

}  // namespace

#define WARPFUZZ_OP(NAME, FAMILY, SUMMARY) \
  TargetSpec NAME() { return listed(#NAME, SUMMARY, NAME##_op()); }
#include "ops/ops.def"
#undef WARPFUZZ_OP

std::vector<Op> all() {
  return {
#define WARPFUZZ_OP(NAME, ...) NAME().op(),
#include "ops/ops.def"
#undef WARPFUZZ_OP
  };
}

}  // namespace warpfuzz::ops
