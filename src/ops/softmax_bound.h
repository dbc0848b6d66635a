// What the references of softmax and attention share: the error of exp(x - max) and of online rescaling.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace warpfuzz {

// An upper bound of expm1(a): for a <= 1 its series is below a(1 + a/2 + a^2/4).
inline double expm1_bound(double a) {
  if (a < 0.25) return a * (1 + a * (0.5 + a * 0.25));
  return a > 30 ? 1e13 : std::expm1(a);
}

// How often a running maximum moves, at most: over the row forward, backward, and in each of 32 strided lanes; and the
// levels of a tree that merges partial results.
template <class T>
int rescales(std::span<const T> x) {
  const std::size_t n = x.size();
  T top = -std::numeric_limits<T>::infinity(), top_back = top, lane_top[32];
  int forward = 0, backward = 0, lane[32] = {};
  std::fill(std::begin(lane_top), std::end(lane_top), top);
  for (std::size_t i = 0; i < n; ++i) {
    const T v = x[i], back = x[n - 1 - i];
    if (v > lane_top[i & 31]) {
      lane_top[i & 31] = v, ++lane[i & 31];
      if (v > top) top = v, ++forward;  // a record of the whole row is one of its lane
    }
    if (back > top_back) top_back = back, ++backward;
  }
  int levels = 0;
  while ((std::size_t{1} << levels) < n) ++levels;
  return std::max({forward, backward, *std::max_element(std::begin(lane), std::end(lane))}) + levels;
}

}  // namespace warpfuzz
