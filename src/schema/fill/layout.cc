// Where the elements of a tensor lie in its storage.
#include "schema/dims.h"
#include "schema/fill/fill.h"

namespace warpfuzz {
namespace {

constexpr std::int64_t kRowPadding = 8;  // keeps rows of 16-byte vectors aligned where the dims do

constexpr const char* kLayoutNames[] = {"contiguous", "offset", "padded", "stride0"};

}  // namespace

const char* layout_name(Layout l) { return kLayoutNames[static_cast<int>(l)]; }

DType tensor_dtype(const Schema& s, const TestCase& c, std::size_t tensor) {
  switch (s.tensors[tensor].type) {
    case TensorType::in: return s.dtypes[c.dtype].in;
    case TensorType::out: return s.dtypes[c.dtype].out;
    case TensorType::fp32: return DType::f32;
    case TensorType::index32: return DType::i32;
    case TensorType::index64: return DType::i64;
  }
  return DType::f32;
}

TensorLayout tensor_layout(const Schema& s, const TestCase& c, std::size_t tensor) {
  const TensorSpec& spec = s.tensors[tensor];
  const Layout layout = c.tensors[tensor].layout;
  TensorLayout l;
  l.dtype = tensor_dtype(s, c, tensor);
  l.present = c.tensors[tensor].present;
  l.elements = 1;
  for (int entry : spec.shape) {
    l.shape.push_back(extent(c.dims, entry));
    l.elements *= l.shape.back();
  }
  const std::size_t rank = l.shape.size();
  l.strides.assign(rank, 1);
  for (std::size_t i = rank; i-- > 1;) {
    const std::int64_t pad = layout == Layout::padded && i + 1 == rank ? kRowPadding : 0;
    l.strides[i - 1] = l.strides[i] * l.shape[i] + pad;
  }
  if (layout == Layout::stride0 && rank > 0) l.strides[0] = 0;
  if (layout == Layout::offset) l.offset = 1;
  l.storage_elements = l.offset;
  if (l.elements > 0) {
    std::int64_t last = 0;
    for (std::size_t i = 0; i < rank; ++i) last += l.strides[i] * (l.shape[i] - std::int64_t{1});
    l.storage_elements += static_cast<std::size_t>(last) + 1;
  }
  return l;
}

bool TensorLayout::contiguous() const {
  std::int64_t expected = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

std::size_t TensorLayout::position(std::span<const std::uint32_t> at) const {
  std::int64_t p = static_cast<std::int64_t>(offset);
  for (std::size_t i = 0; i < shape.size(); ++i) p += strides[i] * static_cast<std::int64_t>(at[i]);
  return static_cast<std::size_t>(p);
}

}  // namespace warpfuzz
