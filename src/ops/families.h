// Schema pieces that several ops share.
#pragma once
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/op.h"

namespace warpfuzz::ops {

inline DimSpec dim_spec(std::string name, std::uint32_t max, std::uint32_t min = 1) {
  DimSpec d;
  d.name = std::move(name), d.max = max, d.min = min;
  return d;
}
inline TensorSpec in_tensor(std::string name, std::vector<int> shape, bool optional = false) {
  TensorSpec t;
  t.name = std::move(name), t.shape = std::move(shape), t.optional = optional;
  return t;
}
inline TensorSpec out_tensor(std::string name, std::vector<int> shape) {
  TensorSpec t;
  t.name = std::move(name), t.role = Role::out, t.shape = std::move(shape), t.type = TensorType::out;
  return t;
}
inline std::vector<DTypeCombo> float_dtypes() {
  return {same_dtype(DType::f32), same_dtype(DType::f16), same_dtype(DType::bf16)};
}

// Which of an op's words a target declared; the words are by the enumerators of E. Without one, in tests of a reference alone, the last.
template <class E, std::size_t N>
E declared(const std::array<std::string_view, N>& words, std::string_view word) {
  const auto at = std::find(words.begin(), words.end() - 1, word);
  return static_cast<E>(at - words.begin());
}
template <std::size_t N>
std::vector<std::string> as_list(const std::array<std::string_view, N>& words) {
  return {words.begin(), words.end()};
}

// Rows and columns of normalisations. The caps let 128 x 1025 through: about 15 ms on the CPU executor.
inline DimSpec row_dim() { return dim_spec("rows", 128); }
inline DimSpec column_dim() { return dim_spec("cols", 4097); }
inline void finish_row_schema(Schema& s) {
  s.dtypes = float_dtypes();
  s.work = [](const Dims& d) { return std::uint64_t{d[0]} * d[1]; };
  s.max_work = 128 * 1025;
  s.max_elements = 2 * s.max_work + 2 * 4097;
}

// Each element by itself, x[n] -> y[n].
inline Op element_op(ReferenceFn reference) {
  Op op;
  op.reference = std::move(reference);
  op.schema.dtypes = float_dtypes();
  op.schema.dims = {dim_spec("n", 32768)};
  op.schema.tensors = {in_tensor("x", {0}), out_tensor("y", {0})};
  op.schema.max_elements = 2 * 32768;
  op.schema.max_work = 32768;
  op.schema.work = [](const Dims& d) { return std::uint64_t{d[0]}; };
  return op;
}

}  // namespace warpfuzz::ops
