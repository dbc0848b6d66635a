// Findings as the engine makes them, for the tests of this folder and of the command.
#pragma once
#include "findings/finding.h"

namespace warpfuzz::samples {

// fp16, one row of three elements, the denominator is wrong: the usual small finding.
Finding softmax_value();
// fp32, M=N=1, K=33: the last block alone counts.
Finding matmul_value();
// A fault with a place and no verdict.
Finding out_of_bounds();
// Every field set, with values that JSON has no spelling for.
Finding everything();

// A snapshot of `values` rounded to dtype, with its hash.
TensorSnapshot tensor(int index, std::string name, std::string role, DType dtype, std::vector<std::uint32_t> shape,
                      const std::vector<double>& values);

}  // namespace warpfuzz::samples
