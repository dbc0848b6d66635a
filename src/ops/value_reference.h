// References made from values and an error model, for ops of a target's own: an fp64 formula, or a trusted kernel whose
// outputs are the values ("another kernel as reference").
#pragma once
#include <functional>
#include <vector>

#include "ops/op.h"

namespace warpfuzz {

// E = u * (relative * |value|) + absolute (+ 2^-125 where flushing is allowed); declared, without defaults. The two
// tiers are the same.
struct ErrorModel {
  double relative, absolute;
};

// Fills the outputs' values, row-major, one vector per tensor of the schema; a missing or wrongly sized one is an
// error.
using ValueFn = std::function<void(const RefContext&, std::vector<std::vector<double>>& values)>;

// NaN values require NaN, infinite ones exactly that Inf.
ReferenceFn reference_from_values(ValueFn values, ErrorModel model);
// Every output bit-equal to the value rounded to its dtype, the sign of zero included; NaN requires NaN.
ReferenceFn bit_equal_reference(ValueFn values);

}  // namespace warpfuzz
