// Exact sums of products with what their error bound needs, for every element of a matrix product at once. The hot
// loop of matmul's reference: four columns side by side, forward and backward sums in one pass.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace warpfuzz {

// Of c[i, j] = sum over k of a[i, k] * b[k, j]: the exact sum, sum |a*b|, and the drift D of fp32 running sums.
// Elements whose products are not all finite hold rubbish.
struct ProductSums {
  std::vector<double> value, abs_sum, drift;
};
ProductSums product_sums(std::span<const float> a, std::span<const float> b, std::size_t m, std::size_t n,
                         std::size_t k, bool with_drift);

}  // namespace warpfuzz
