// The bytes of a tensor's storage: values in their layout, poison in between. What both backends copy to the device
// before a call and compare with afterwards.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "exec/run.h"

namespace warpfuzz {

// count elements of `size` bytes, each the low bytes of `bits`.
void fill_elements(std::byte* to, std::size_t count, std::size_t size, std::uint64_t bits);

// Raw elements of dtype t from values that are exact in it.
void store_values(DType t, std::span<const float> values, std::byte* to);

// Logical elements (row-major, raw) <-> storage. `image` has layout.storage_bytes().
void scatter(const TensorLayout& layout, const std::byte* elements, std::byte* image);
void gather(const TensorLayout& layout, const std::byte* image, std::byte* elements);

// Offset in the storage of every logical element is marked; what is left is padding.
std::vector<bool> element_map(const TensorLayout& layout);

// "[2,3]" of the logical element at this offset of the storage; empty for padding.
std::string coordinates(const TensorLayout& layout, std::size_t storage_offset);
// The element's value for people: "1.5", and for NaN its bits.
std::string element_text(DType t, const std::byte* element);

// What a call wrote into the storage of a tensor where it may not: an element of an input, or padding. `before` and `after` hold
// layout.storage_bytes(); nothing where they agree.
struct StorageChange {
  FaultClass fault;  // input_changed, or oob_write for padding
  std::string message;
};
std::optional<StorageChange> find_change(const TensorLayout& layout, const std::string& tensor, bool read_only,
                                         std::size_t call, const std::byte* before, const std::byte* after);

}  // namespace warpfuzz
