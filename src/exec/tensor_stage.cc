// Tensors of a case on their way to a device's memory and back.
#include "exec/tensor_stage.h"

#include <cstring>

namespace warpfuzz {
namespace {

PoisonKind kind_of(Role role) { return role == Role::out ? PoisonKind::output : PoisonKind::workspace; }

// The logical elements, row-major: the case's values, or the poison of what the call is to write.
void write_elements(const RunInput& in, std::size_t k, const StagedTensor& tensor, std::size_t call, std::byte* to) {
  const DType type = tensor.layout.dtype;
  const std::size_t elements = tensor.layout.elements;
  if (!tensor.filled()) {
    fill_elements(to, elements, dtype_size(type), poison_bits(type, kind_of(tensor.role), in.poison_variant));
    return;
  }
  const auto& values = in.calls[call].values;
  const std::size_t given = k < values.size() ? values[k].size() : 0;
  if (given != elements) {
    target_error("internal: tensor " + in.schema->tensors[k].name + " has " + std::to_string(elements) +
                 " elements, got " + std::to_string(given) + " values");
  }
  store_values(type, values[k], to);
}

// Elements in their layout, with poison between them and around them.
void write_storage(const RunInput& in, const StagedTensor& tensor, const std::byte* elements, std::byte* to) {
  const TensorLayout& l = tensor.layout;
  fill_elements(to, l.storage_elements, dtype_size(l.dtype),
                poison_bits(l.dtype, PoisonKind::padding, in.poison_variant));
  scatter(l, elements, to);
}

}  // namespace

Start StagedTensor::start(std::size_t call) const {
  if (role == Role::workspace && call > 0) return Start::kept;
  return filled() || padded() ? Start::image : Start::poison;
}

std::uint64_t StagedTensor::poison(int variant) const {
  return poison_bits(layout.dtype, filled() || padded() ? PoisonKind::padding : kind_of(role), variant);
}

void StagedTensor::read(const std::byte* storage, std::vector<std::byte>& elements) const {
  elements.resize(layout.elements * dtype_size(layout.dtype));
  if (elements.empty()) return;
  if (dense()) std::memcpy(elements.data(), storage, elements.size());
  else gather(layout, storage, elements.data());
}

StagedTensor stage_tensor(const RunInput& in, std::size_t k) {
  return {tensor_layout(*in.schema, *in.test_case, k), in.schema->tensors[k].role};
}

std::span<const std::byte> StorageImage::make(const RunInput& in, std::size_t k, const StagedTensor& tensor,
                                              std::size_t call) {
  elements_.resize(tensor.layout.elements * dtype_size(tensor.layout.dtype));
  write_elements(in, k, tensor, call, elements_.data());
  if (tensor.dense()) return elements_;
  storage_.resize(tensor.layout.storage_bytes());
  write_storage(in, tensor, elements_.data(), storage_.data());
  return storage_;
}

void StorageImage::write(const RunInput& in, std::size_t k, const StagedTensor& tensor, std::size_t call,
                         std::byte* to) {
  if (tensor.dense()) return write_elements(in, k, tensor, call, to);
  elements_.resize(tensor.layout.elements * dtype_size(tensor.layout.dtype));
  write_elements(in, k, tensor, call, elements_.data());
  write_storage(in, tensor, elements_.data(), to);
}

}  // namespace warpfuzz
