// The tensors of a case as plain values and bits: what its fills give, and how two runs compare.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "exec/run.h"

namespace warpfuzz {

// The contents that a case gives each of its calls: row-major values of inputs that are present, nothing for other tensors. Keeps the
// capacity of `inputs`.
void fill_inputs(const Schema& schema, const TestCase& c, std::vector<CallInput>& inputs);

// Raw elements of dtype t from values that are exact in it, and back.
std::vector<std::byte> bits_of_values(DType t, std::span<const float> values);
std::vector<float> values_of_bits(DType t, std::span<const std::byte> bits);

// Elements of two tensors that differ in their bits; all NaNs count as one value, elements that one lacks as different.
std::size_t count_differences(DType t, std::span<const std::byte> a, std::span<const std::byte> b);

}  // namespace warpfuzz
