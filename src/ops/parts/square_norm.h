// Rows divided by a root of their squares, with an optional weight: what rmsnorm and l2norm have in common.
#pragma once
#include <vector>

#include "ops/op.h"

namespace warpfuzz {

// Where eps goes, with q the sum or the mean of the squares.
enum class EpsPlacement {
  floor,        // 1 / max(sqrt(q), eps)
  inside_root,  // 1 / sqrt(q + eps)
  added,        // 1 / (sqrt(q) + eps)
};

// The reference for tensors x and y, gamma where the schema has it, and scalar eps. mean: q is the mean of the squares.
void square_norm_reference(const RefContext& c, std::vector<Reference>& refs, bool mean, EpsPlacement eps);

}  // namespace warpfuzz
