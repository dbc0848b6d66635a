// CUDA C++ to plain C++ for the CPU executor: what a C++ compiler cannot read, and nothing else.
//   kernel<<<grid, block>>>(x)       a call of ::warpfuzz::cpu::launch_kernel; arguments are evaluated once
//   __shared__ float a[32];          a reference to storage of the running block
//   extern __shared__ float s[];     a reference to the launch's dynamic shared memory
//   __device__ / __constant__ T g;   a variable in the section "warpfuzz.device", restored after each case
//   __global__, other marks          attributes or nothing
// The input is the output of `clang++ -E` with the CUDA surface included first, which turns CUDA's keywords into marks.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "toolchain/rewriter/macro_lines.h"

namespace warpfuzz::rewrite {

struct Rewritten {
  std::string text;
  std::size_t launches = 0, shared = 0, device_variables = 0;
};

// Throws RewriteError (lexer.h), whose what() is "file:line: error: warpfuzz: ...", for constructs that the executor
// does not support and for text that it cannot read.
Rewritten rewrite(std::string_view preprocessed);

// The same, and macro arguments get the lines that they have in the user's files (macro_lines.h).
Rewritten rewrite(std::string_view preprocessed, const ReadFile& read);

}  // namespace warpfuzz::rewrite
