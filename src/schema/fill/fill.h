// Tensor layouts and contents of a case. Integer arithmetic and exact scaling only, so that inputs are bit-equal
// on every machine.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "schema/test_case.h"

namespace warpfuzz {

// Where the elements of one tensor lie. Offsets and strides count elements.
struct TensorLayout {
  DType dtype = DType::f32;
  std::vector<std::uint32_t> shape;  // outermost first
  std::vector<std::int64_t> strides;
  std::size_t offset = 0;            // of element (0,...,0) from the start of the storage
  std::size_t storage_elements = 0;  // extent that must be allocated
  std::size_t elements = 0;          // product of shape
  bool present = true;
  bool contiguous() const;
  std::size_t storage_bytes() const { return storage_elements * dtype_size(dtype); }
  std::size_t position(std::span<const std::uint32_t> at) const;  // element offset in the storage
};
DType tensor_dtype(const Schema& s, const TestCase& c, std::size_t tensor);
TensorLayout tensor_layout(const Schema& s, const TestCase& c, std::size_t tensor);

// Values of the logical elements in row-major order, already rounded to the tensor's dtype (NaN payloads are not
// kept: one quiet NaN). call: 0, or 1 for the second call's contents, which overrides do not reach. Index tensors give
// whole numbers. With stride 0 the outermost coordinate makes no difference.
void fill_values(const Schema& s, const TestCase& c, int tensor, int call, std::vector<float>& out);
// The fill that the recipe's byte stands for.
Fill fill_of(const Schema& s, int tensor, std::uint8_t fill_byte);
// Bytes that stand for a fill / an amplitude exponent / a specials rate (the first table entry that has it).
std::uint8_t fill_byte(Fill f);
int amp_exponent(std::uint8_t amp_byte);  // power of two
std::uint8_t amp_byte(int exponent);
int rate_of(std::uint8_t rate_byte);  // specials per 256 elements

// The special table of overrides and rates, in dtype t.
inline constexpr int kSpecialCount = 18;
double special_value(int index, DType t);
const char* special_name(int index);

}  // namespace warpfuzz
