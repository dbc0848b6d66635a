// A tensor as PyTorch prints it: what a check that compares two programs' output sees of it.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace warpfuzz {

// The text between "tensor(" and its suffix, with the default options: 4 digits behind the point, lines of 80 columns, and above 1000
// elements only the first and last three of each dim. Scientific notation where the shown magnitudes span more than 1000 or leave
// [1e-4, 1e8]. 16-bit elements are printed as floats. The suffix (device, dtype) is the same for both programs and left out.
std::string printed_tensor(std::span<const double> values, std::span<const std::uint32_t> shape);

}  // namespace warpfuzz
