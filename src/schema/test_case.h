// A test case: the decoded, schema-valid meaning of a byte string. Everything about one execution follows from
// (schema, TestCase) alone.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "schema/schema.h"

namespace warpfuzz {

enum class Fill : std::uint8_t {  // ids of docs/encoding.md, by simplicity
  ones,
  constant,
  small_int,
  iota,
  zeros,
  normal,
  uniform,
  offset_normal,
  alternating,
  cancelling,
  halves,
  sparse,
  outlier,
  subnormal,
  log_uniform,
  raw_tail,
  limits,
  one_hot,
  index
};
inline constexpr int kFillCount = 19;
const char* fill_name(Fill f);

enum class Layout : std::uint8_t { contiguous, offset, padded, stride0 };
const char* layout_name(Layout l);

struct TensorRecipe {
  std::uint8_t fill = 0, amp = 0, param = 0, rate = 0;  // raw bytes; fill, amp and rate go through the tables of fill.h
  std::uint32_t seed = 0;
  Layout layout = Layout::contiguous;
  bool present = true;
  bool operator==(const TensorRecipe&) const = default;
};

struct Override {
  std::uint8_t tensor = 0;
  std::uint8_t flags = 0;  // bits 0-3: coordinate counts from the end; bit 6: negate; bit 7: the whole row
  std::array<std::uint16_t, 4> at{};
  std::uint16_t value = 0;  // bit 15: special table, else fp16 bits
  bool operator==(const Override&) const = default;
};

struct TestCase {
  std::uint8_t version = 1;
  std::uint8_t dtype = 0;  // index into schema.dtypes
  std::uint8_t flags = 0;
  Dims dims{};  // values, not codes
  // Per dim the coordinate at which the contents begin: 1 row from 57 holds what row 57 of more rows would.
  std::array<std::uint16_t, kMaxDims> from{};
  std::array<std::uint8_t, kMaxScalars> scalars{};  // indices
  std::uint8_t calls = 0;  // 0 = one call, 1 = a second call on the same buffers with new contents
  std::uint8_t order = 0;  // thread and block order of the extra run
  std::array<TensorRecipe, kMaxTensors> tensors{};
  std::vector<Override> overrides;  // sorted, at most 64
  std::vector<std::uint8_t> tail;   // bytes behind the raw-tail fill (at most 64 elements), empty where none uses it
  bool operator==(const TestCase&) const = default;

  double scalar(const Schema& s, int i) const { return s.scalars[i].values[scalars[i]]; }
  bool flag(int i) const { return flags >> i & 1; }
  std::size_t call_count() const { return calls ? 2 : 1; }
};

}  // namespace warpfuzz
