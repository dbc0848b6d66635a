// Exact sums of products with what their error bound needs, for every element of a matrix product at once. The hot
// loop of the references of matmul and attention: eight columns side by side, one pass over the terms in each direction.
#pragma once
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "ops/lanes.h"

namespace warpfuzz {

// Magnitudes that are nothing special, beside zero.
struct OrdinaryRange {
  float least = 0, limit = std::numeric_limits<float>::infinity();  // limit: the first that is special
};

// The right operand of products: panel p holds columns 8p..8p+7 of every k, contiguous, zero behind the last column.
struct ProductPanels {
  std::size_t n = 0, k = 0;
  std::vector<float> values;

  // Both tell whether all elements are ordinary.
  bool assign(std::span<const float> b, std::size_t columns, std::size_t terms, const OrdinaryRange& r = {});  // b[k, n]
  bool assign_transposed(std::span<const float> b, std::size_t columns, std::size_t terms,
                         const OrdinaryRange& r = {});  // b[n, k]
  std::size_t stride() const { return whole_lanes(n); }
  const float* panel(std::size_t column) const { return values.data() + column * k; }  // column: a multiple of 8
};

// One row of left operands, each with the factors of as many products as are wanted.
struct ProductRow {
  std::span<const double> a;  // value, abs_sum and, with `drift`, the drift of a rounded to fp32
  bool drift = false;
  std::span<const float> other = {};                    // what a kernel may multiply in place of a: its drift alone
  std::array<std::span<const double>, 2> weights = {};  // not negative: sums of weight * |b|
};

// Of c[j] = sum over k of a[k] * b[k, j]: the exact sum, sum |a*b|, the drift D of fp32 running sums, and what the row
// asks for beside those. Up to a multiple of 8 columns; behind the last column zero. Elements whose products are not all
// finite hold rubbish, and so does what was not asked for.
class ProductSums {
 public:
  // The first `columns` columns (all of the last panel's).
  void run(const ProductRow& row, const ProductPanels& b, std::size_t columns);

  std::vector<double> value, abs_sum, drift, other_drift;
  std::array<std::vector<double>, 2> weighted;

 private:
  std::vector<float> rounded_;
};

}  // namespace warpfuzz
