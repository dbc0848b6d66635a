// Operands of matrix products that tensor cores round to tf32 first.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "ops/lanes/arith.h"

namespace warpfuzz {

struct InputRounding {
  double u_in = 0;                                            // unit roundoff; 0: operands are taken as they are
  double subnormal = 0;                                       // absolute error of a subnormal operand
  double overflow = std::numeric_limits<double>::infinity();  // first value that may become Inf

  // Every magnitude from here on is special: what may become Inf, Inf and NaN.
  float first_special() const {
    return overflow <= kFloatMax ? static_cast<float>(overflow) : std::numeric_limits<float>::infinity();
  }
  // The error of one operand beyond u_in.
  double cast(double x) const { return std::fabs(x) < kFloatMinNormal ? std::min(std::fabs(x), subnormal) : 0; }
};

// Whether all are zero or of a magnitude in [least, limit). One pass without branches, for the usual answer.
inline bool all_ordinary(std::span<const float> x, float least, float limit) {
  bool all = true;
  for (const float v : x) {
    const float magnitude = std::fabs(v);
    all &= (magnitude < limit) & ((magnitude >= least) | (magnitude == 0));
  }
  return all;
}

inline InputRounding input_rounding(const Arith& a) {
  if (a.in != DType::f32 || !(a.dialects.tf32 || a.dialects.tf32_truncated)) return {};
  if (a.dialects.tf32_truncated) return {0x1p-10, 0x1p-136};
  return {0x1p-11, 0x1p-137, 0x1.ffep127};
}

}  // namespace warpfuzz
