// The right operand of matrix products, arranged for lanes: eight columns side by side.
#pragma once
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "ops/lanes/lanes.h"

namespace warpfuzz {

// Magnitudes that are nothing special, beside zero.
struct OrdinaryRange {
  float least = 0, limit = std::numeric_limits<float>::infinity();  // limit: the first that is special
};
// The largest magnitude and, beside zero, the smallest: as bits, in whose order magnitudes are (NaN behind Inf). The
// smallest less one, so that zero is above all.
struct SizeLanes {
  UnsignedBits32 most = {}, least_less_one = UnsignedBits32{} - 1u;
  WARPFUZZ_INLINE void look_at(const Floats& x) {
    const UnsignedBits32 size = (UnsignedBits32)x & 0x7fffffffu, less = size - 1u;
    most = size > most ? size : most;
    least_less_one = less < least_less_one ? less : least_less_one;
  }
  bool within(OrdinaryRange r) const;
};
// Of each column, added to what is there; as long as whole lanes.
struct ColumnRanges {
  float *min = nullptr, *max = nullptr;
  double* abs_sum = nullptr;
};

// Panel p holds columns 8p..8p+7 of every k, contiguous, zero behind the last column. Panels are filled when they are
// first used, so that what a panel holds is still in the cache then.
struct ProductPanels {
  std::size_t n = 0, k = 0;
  std::vector<float> values;

  void assign(std::span<const float> b, std::size_t columns, std::size_t terms, OrdinaryRange r = {},
              ColumnRanges into = {});  // b[k, n]
  void assign_transposed(std::span<const float> b, std::size_t columns, std::size_t terms,
                         OrdinaryRange r = {});  // b[n, k]
  // Fills what is not filled yet; whether all elements are ordinary.
  bool finish();

  std::size_t stride() const { return whole_lanes(n); }
  const float* panel(std::size_t column) const { return values.data() + column * k; }  // column: a multiple of 8

  // What panels that are not filled yet are made of.
  std::span<const float> source;
  bool transposed = false;
  std::size_t filled = 0;  // columns
  OrdinaryRange range;
  ColumnRanges ranges;
  SizeLanes sizes;

 private:
  void start(std::span<const float> b, std::size_t columns, std::size_t terms, OrdinaryRange r);
};

}  // namespace warpfuzz
