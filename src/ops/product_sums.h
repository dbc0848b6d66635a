// Exact sums of products with what their error bound needs, for every element of a matrix product at once. The hot
// loop of the references of matmul and attention: eight columns side by side, forward and backward sums in one pass.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpfuzz {

// The right operand of products: panel p holds columns 8p..8p+7 of every k, contiguous, zero behind the last column.
struct ProductPanels {
  std::size_t n = 0, k = 0;
  std::vector<float> values;

  void assign(std::span<const float> b, std::size_t columns, std::size_t terms);             // b[k, n]
  void assign_transposed(std::span<const float> b, std::size_t columns, std::size_t terms);  // b[n, k]
};

// Of c[i, j] = sum over k of a[i, k] * b[k, j]: the exact sum, sum |a*b|, and the drift D of fp32 running sums.
// Elements whose products are not all finite hold rubbish, and so does what was not asked for.
struct ProductSums {
  std::vector<double> value, abs_sum, drift;
};
enum class Sums : std::uint8_t { absolute, exact, drift, all };  // exact: value and abs_sum

// Row i wants its first columns[i] elements only, and has terms[i] products only; empty: all.
struct RowLimits {
  std::span<const std::uint32_t> columns = {}, terms = {};
};

// a[m, k]; the fp32 sums take it rounded. The vectors of `out` keep their memory between calls.
void product_sums(std::span<const double> a, std::size_t m, const ProductPanels& b, Sums what, const RowLimits& limits,
                  ProductSums& out);
ProductSums product_sums(std::span<const float> a, std::span<const float> b, std::size_t m, std::size_t n,
                         std::size_t k, bool with_drift);

}  // namespace warpfuzz
