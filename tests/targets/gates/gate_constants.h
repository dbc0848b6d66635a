// The constants that open a gate. They come from a seed (WARPFUZZ_GATE_SEED, default 1) that is printed once, reach the
// kernel as arguments, and stand in no table of ours: neither the compiler's constants nor the mutator's favourites can
// give them away, only what the kernel does with its input.
#pragma once
#include <cstdint>
#include <vector>

#include "ops/op.h"

namespace gates {

// `count` dims in 2..max, none of them a value that the boundary table of the case encoding can produce.
std::vector<int> dims_outside_the_table(const char* gate, int count, std::uint32_t max);
// A positive finite fp16 value that is not in the table of special values.
float value_outside_the_table(const char* gate);

// y = x, bit for bit: what every gate computes while it is shut.
void copy_reference(const warpfuzz::RefContext& context, std::vector<warpfuzz::Reference>& refs);

}  // namespace gates
