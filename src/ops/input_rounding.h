// Operands of matrix products that tensor cores round to tf32 first.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/arith.h"

namespace warpfuzz {

struct InputRounding {
  double u_in = 0;                                            // unit roundoff; 0: operands are taken as they are
  double subnormal = 0;                                       // absolute error of a subnormal operand
  double overflow = std::numeric_limits<double>::infinity();  // first value that may become Inf

  // The error of one operand beyond u_in.
  double cast(double x) const { return std::fabs(x) < kFloatMinNormal ? std::min(std::fabs(x), subnormal) : 0; }
};

inline InputRounding input_rounding(const Arith& a) {
  if (a.in != DType::f32 || !(a.dialects.tf32 || a.dialects.tf32_truncated)) return {};
  if (a.dialects.tf32_truncated) return {0x1p-10, 0x1p-136};
  return {0x1p-11, 0x1p-137, 0x1.ffep127};
}

}  // namespace warpfuzz
