#include "ops/parts/softmax_bound.h"

#include <algorithm>
#include <limits>

#include "ops/lanes/lanes.h"

namespace warpfuzz {
namespace {

// Moves of a maximum over a row, in both directions and in strided lanes, a vector of eight at a time: most vectors hold
// no new maximum at all.
template <class T, class Vector, class Mask>
WARPFUZZ_INLINE void count_moves(const T* x, std::size_t n, int& most) {
  constexpr std::size_t kStrided = 32, kVectors = kStrided / kLanes;
  const Vector lowest = Vector{} - std::numeric_limits<T>::infinity();
  Vector lane_top[kVectors] = {lowest, lowest, lowest, lowest};
  Mask lane[kVectors] = {};
  T top = -std::numeric_limits<T>::infinity(), top_back = top;
  int forward = 0, backward = 0;
  const auto part = [&](std::size_t at, std::size_t count, Vector& v) __attribute__((always_inline)) {
    if (count == kLanes) return load(v, x + at);
    v = lowest;
    for (std::size_t l = 0; l < count; ++l) v[l] = x[at + l];
  };
  const auto any = [](const Mask& mask) __attribute__((always_inline)) { return __builtin_reduce_or(mask) != 0; };
  Vector v;
  for (std::size_t at = 0; at < n; at += kLanes) {
    const std::size_t count = std::min(kLanes, n - at), slot = at / kLanes % kVectors;
    part(at, count, v);
    const Mask moves = v > lane_top[slot];
    lane[slot] -= moves;
    lane_top[slot] = moves ? v : lane_top[slot];
    if (any(v > top))
      for (std::size_t i = at; i < at + count; ++i)
        if (x[i] > top) top = x[i], ++forward;
  }
  for (std::size_t end = n; end > 0;) {
    const std::size_t at = (end - 1) / kLanes * kLanes;
    part(at, end - at, v);
    if (any(v > top_back))
      for (std::size_t i = end; i-- > at;)
        if (x[i] > top_back) top_back = x[i], ++backward;
    end = at;
  }
  most = std::max(forward, backward);
  for (const Mask& m : lane) most = std::max(most, static_cast<int>(__builtin_reduce_max(m)));
}

int levels(std::size_t n) {
  int l = 0;
  while ((std::size_t{1} << l) < n) ++l;
  return l;
}

}  // namespace

int rescales(std::span<const double> x) {
  int most = 0;
  call_widest<count_moves<double, Doubles, Bits64>, const double*, std::size_t, int&>(x.data(), x.size(), most);
  return most + levels(x.size());
}
int rescales(std::span<const float> x) {
  int most = 0;
  call_widest<count_moves<float, Floats, Bits32>, const float*, std::size_t, int&>(x.data(), x.size(), most);
  return most + levels(x.size());
}

}  // namespace warpfuzz
