// Exact sums of products with what their error bound needs, for every element of a matrix product at once. The hot
// loop of the references of matmul and attention: eight columns side by side, one pass over the terms in each direction.
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "ops/lanes/product_panels.h"

namespace warpfuzz {

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
  // The first `columns` columns (all of the last panel's). Fills the panels that are not filled yet.
  void run(const ProductRow& row, ProductPanels& b, std::size_t columns);

  std::vector<double> value, abs_sum, drift, other_drift;
  std::array<std::vector<double>, 2> weighted;

 private:
  std::vector<float> rounded_;
};

}  // namespace warpfuzz
