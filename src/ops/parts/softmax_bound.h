// What the references of softmax and attention share: the error of exp(x - max) and of online rescaling.
#pragma once
#include <cmath>
#include <cstddef>
#include <span>

namespace warpfuzz {

// An upper bound of expm1(a): for a <= 1 its series is below a(1 + a/2 + a^2/4).
inline double expm1_bound(double a) {
  if (a < 0.25) return a * (1 + a * (0.5 + a * 0.25));
  return a > 30 ? 1e13 : std::expm1(a);
}

// How often a running maximum moves, at most: over the row forward, backward, and in each of 32 strided lanes; and the
// levels of a tree that merges partial results.
int rescales(std::span<const double> x);
int rescales(std::span<const float> x);

}  // namespace warpfuzz
