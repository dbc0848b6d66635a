// The tensors of a case as plain values and bits.
#include "pipeline/tensors/case_tensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "exec/tensor_image.h"
#include "numeric/round.h"

namespace warpfuzz {

void fill_inputs(const Schema& schema, const TestCase& c, std::vector<CallInput>& inputs) {
  inputs.resize(c.call_count());
  for (std::size_t call = 0; call < inputs.size(); ++call) {
    auto& values = inputs[call].values;
    values.resize(schema.tensors.size());
    for (std::size_t k = 0; k < schema.tensors.size(); ++k) {
      const Role role = schema.tensors[k].role;
      if ((role == Role::in || role == Role::inout) && c.tensors[k].present)
        fill_values(schema, c, static_cast<int>(k), static_cast<int>(call), values[k]);
      else values[k].clear();
    }
  }
}

std::vector<std::byte> bits_of_values(DType t, std::span<const float> values) {
  std::vector<std::byte> bits(values.size() * dtype_size(t));
  store_values(t, values, bits.data());
  return bits;
}

std::vector<float> values_of_bits(DType t, std::span<const std::byte> bits) {
  const std::size_t size = dtype_size(t);
  std::vector<float> values(bits.size() / size);
  if (info(t).floating && size <= 4) {
    load_floats(t, bits.data(), values.size(), values.data());
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(load_element(t, &bits[i * size]));
  }
  return values;
}

std::size_t count_differences(DType t, std::span<const std::byte> a, std::span<const std::byte> b) {
  const std::size_t size = dtype_size(t), n = std::min(a.size(), b.size()) / size;
  std::size_t differing = (std::max(a.size(), b.size()) - std::min(a.size(), b.size())) / size;
  if (!differing && (a.empty() || !std::memcmp(a.data(), b.data(), a.size()))) return 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::memcmp(&a[i * size], &b[i * size], size)) continue;
    if (std::isnan(load_element(t, &a[i * size])) && std::isnan(load_element(t, &b[i * size]))) continue;
    ++differing;
  }
  return differing;
}

}  // namespace warpfuzz
