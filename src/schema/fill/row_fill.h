// Contents of one row of a tensor (its last dim) for each fill. Dispatch is once a row; the loops are plain.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "numeric/hash.h"
#include "schema/test_case.h"

namespace warpfuzz {

struct RowFill {
  Fill fill = Fill::ones;
  DType dtype = DType::f32;
  std::uint8_t param = 0;
  int call = 0;
  float scale = 1;          // 2^amp
  int top_exponent = 0;     // of log_uniform
  bool narrow = false;      // limits without the largest values
  std::vector<float> tail;  // elements of raw_tail, the last bytes first
  std::int64_t bound = 0;   // of index values
  std::uint64_t tensor_key = 0;
  std::uint32_t from = 0;  // coordinate of a row's first element

  // key: hash of (seed, tensor, outer coordinates). outer: those coordinates. Values are not rounded to the dtype yet.
  void row(std::uint64_t key, std::span<const std::uint32_t> outer, std::uint32_t n, float* out) const;
};

// Element c of a row. Nothing depends on the extent of the row, so that a dim may shrink.
inline std::uint64_t element_hash(std::uint64_t key, std::uint32_t c) { return mix64(key + c); }

// A uniform number below n that stays the same when n shrinks to something still above it (jump consistent hashing, in
// integers).
inline std::uint32_t stable_below(std::uint64_t h, std::uint32_t n) {
  std::uint64_t value = 0;
  for (std::uint64_t jump = 0; jump < n;) {
    value = jump;
    h = h * 2862933555777941757ull + 1;
    jump = ((value + 1) << 31) / ((h >> 33) + 1);
  }
  return static_cast<std::uint32_t>(value);
}

// In place: nearest even to the dtype, saturating to the largest finite value; the input is finite.
void round_finite(DType t, float* values, std::size_t n);

}  // namespace warpfuzz
