// Dims: their 16-bit codes and the repair that brings them within a schema and its caps.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

#include "schema/schema.h"

namespace warpfuzz {

// In order of simplicity. Append-only and never re-sorted: stored cases hold indices into it.
std::span<const std::uint16_t> boundary_table();

inline constexpr std::uint16_t kRawDim = 0x8000, kZeroDim = 0x7fff;
inline constexpr std::uint32_t kMaxDimValue = 0x8000;  // what 15 bits can say

std::uint32_t dim_from_code(const DimSpec& d, std::uint16_t code);
std::uint16_t dim_to_code(const DimSpec& d, std::uint32_t value);

// Nearest allowed value at or below `value`, else the smallest allowed one.
std::uint32_t clamp_dim(const DimSpec& d, std::uint32_t value);
std::uint32_t smallest_dim(const DimSpec& d);
std::uint32_t largest_dim(const DimSpec& d);
// Where the contents of a dim of this extent may begin: its last slice is one that the largest dim has too.
inline std::uint32_t largest_from(const DimSpec& d, std::uint32_t extent) {
  return largest_dim(d) - std::min(largest_dim(d), extent);
}

// Ranges, constraints, derived dims, then caps: halves the largest dim until elements and work are within them.
// Idempotent. False when even the smallest dims break a cap or a constraint (the schema is at fault: validate()).
bool fit_dims(const Schema& s, Dims& dims);

// Lowers other dims until `keep` fits within the caps as it is. (fit_dims halves the largest, often the one that was asked for.)
void make_room(const Schema& s, Dims& dims, std::size_t keep);
// The largest value of a dim that the caps let through, beside the smallest of all others.
std::uint32_t largest_that_fits(const Schema& s, std::size_t dim);

std::uint64_t tensor_elements(const Schema& s, const Dims& dims, int tensor);
std::uint64_t total_elements(const Schema& s, const Dims& dims);  // over all tensors, saturating
std::uint64_t total_work(const Schema& s, const Dims& dims);

inline std::uint32_t extent(const Dims& dims, int entry) {
  return entry < 0 ? static_cast<std::uint32_t>(-entry) : dims[static_cast<std::size_t>(entry)];
}

}  // namespace warpfuzz
