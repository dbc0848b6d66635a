// Storage images of tensors.
#include "exec/tensor_image.h"

#include <cmath>
#include <cstdio>
#include <cstring>

#include "numeric/round.h"

namespace warpfuzz {
namespace {

// f(offset in the storage, index of the logical element, run length): runs are contiguous in both.
template <class F>
void for_each_run(const TensorLayout& l, F&& f) {
  if (l.elements == 0) return;
  std::size_t rank = l.shape.size();
  if (rank == 0) return f(l.offset, std::size_t{0}, std::size_t{1});
  bool unit = l.strides[rank - 1] == 1;
  std::size_t inner = l.shape[rank - 1];
  std::vector<std::uint32_t> at(rank, 0);
  for (std::size_t done = 0; done < l.elements; done += inner) {
    std::size_t position = l.offset;
    for (std::size_t i = 0; i + 1 < rank; ++i) position += at[i] * static_cast<std::size_t>(l.strides[i]);
    if (unit) {
      f(position, done, inner);
    } else {
      for (std::size_t i = 0; i < inner; ++i)
        f(position + i * static_cast<std::size_t>(l.strides[rank - 1]), done + i, std::size_t{1});
    }
    for (std::size_t i = rank - 1; i-- > 0;) {
      if (++at[i] < l.shape[i]) break;
      at[i] = 0;
    }
  }
}

}  // namespace

void fill_elements(std::byte* to, std::size_t count, std::size_t size, std::uint64_t bits) {
  if (count == 0) return;
  std::memcpy(to, &bits, size);
  std::size_t done = size, total = count * size;
  while (done < total) {  // doubling: log n copies
    std::size_t n = done < total - done ? done : total - done;
    std::memcpy(to + done, to, n);
    done += n;
  }
}

void store_values(DType t, std::span<const float> values, std::byte* to) {
  switch (t) {
    case DType::f32:
    case DType::f16:
    case DType::bf16: store_floats(t, to, values.size(), values.data()); return;
    default: {
      std::size_t size = dtype_size(t);
      for (std::size_t i = 0; i < values.size(); ++i) store_element(t, to + i * size, values[i]);
    }
  }
}

void scatter(const TensorLayout& l, const std::byte* elements, std::byte* image) {
  std::size_t size = dtype_size(l.dtype);
  for_each_run(l, [&](std::size_t at, std::size_t i, std::size_t n) {
    std::memcpy(image + at * size, elements + i * size, n * size);
  });
}

void gather(const TensorLayout& l, const std::byte* image, std::byte* elements) {
  std::size_t size = dtype_size(l.dtype);
  for_each_run(l, [&](std::size_t at, std::size_t i, std::size_t n) {
    std::memcpy(elements + i * size, image + at * size, n * size);
  });
}

std::vector<bool> element_map(const TensorLayout& l) {
  std::vector<bool> map(l.storage_elements, false);
  for_each_run(l, [&](std::size_t at, std::size_t, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) map[at + k] = true;
  });
  return map;
}

std::string coordinates(const TensorLayout& l, std::size_t storage_offset) {
  std::size_t found = l.elements;
  for_each_run(l, [&](std::size_t at, std::size_t i, std::size_t n) {
    if (storage_offset >= at && storage_offset - at < n && found == l.elements) found = i + (storage_offset - at);
  });
  if (found == l.elements) return "";
  std::string text;
  for (std::size_t i = l.shape.size(); i-- > 0;) {
    text = std::to_string(found % l.shape[i]) + (text.empty() ? "" : ",") + text;
    found /= l.shape[i];
  }
  return "[" + text + "]";
}

std::string element_text(DType t, const std::byte* element) {
  double v = load_element(t, element);
  char text[64];
  if (std::isnan(v)) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, element, dtype_size(t));
    std::snprintf(text, sizeof text, "NaN (bits 0x%llx)", static_cast<unsigned long long>(bits));
  } else {
    std::snprintf(text, sizeof text, "%.9g", v);
  }
  return text;
}

std::optional<StorageChange> find_change(const TensorLayout& l, const std::string& tensor, bool read_only,
                                         std::size_t call, const std::byte* before, const std::byte* after) {
  std::size_t size = dtype_size(l.dtype);
  std::vector<bool> logical = element_map(l);
  for (std::size_t i = 0; i < l.storage_elements; ++i) {
    const std::byte *was = before + i * size, *is = after + i * size;
    if (std::memcmp(was, is, size) == 0 || (logical[i] && !read_only)) continue;
    std::string values = element_text(l.dtype, was) + " before the call, " + element_text(l.dtype, is) + " after it" +
                         (call == 0 ? "" : " (second call)");
    if (logical[i])
      return StorageChange{FaultClass::input_changed,
                           "input " + tensor + coordinates(l, i) + " was changed: " + values};
    return StorageChange{FaultClass::oob_write, "write to padding of tensor " + tensor + ", element " +
                                                    std::to_string(i) + " of its storage of " +
                                                    std::to_string(l.storage_elements) + ": " + values};
  }
  return {};
}

}  // namespace warpfuzz
