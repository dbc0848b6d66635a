// Values and tensors as text for reports.
#pragma once
#include <string>
#include <vector>

#include "findings/finding.h"

namespace warpfuzz {

// The shortest decimal that rounds back to x in dtype t ("0.3333" for an fp16 value); NaN and Inf by name.
std::string format_value(DType t, double x);
// A reference: fp64, shown with `digits` significant digits.
std::string format_real(double x, int digits = 8);

// "x  in   fp16 [1,3] = 1 1 0.5", whole where it is small, else the row of `at` with head, the elements around `at`,
// and tail. `at` may be empty; `mark`: enclose that element in > <.
std::vector<std::string> tensor_lines(const TensorSnapshot& t, std::vector<std::uint32_t> at, bool mark);

// The time now in UTC, as strftime's format says.
std::string utc_now(const char* format);

// "[6,32]"
std::string format_coordinates(const std::vector<std::uint32_t>& at);

}  // namespace warpfuzz
