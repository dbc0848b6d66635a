// What a run of instrumented device code left: features for the engine, operands for the mutator.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exec/cuda/state_block.h"

namespace warpfuzz::cuda {

struct Coverage {
  std::vector<std::uint32_t> features;  // ascending: an edge each, then 32 classes for each compare
  std::vector<std::uint64_t> operands;  // a0 b0 a1 b1 ...
};
// state: per module, as the server leaves it in the mailbox: the finding, then edges, classes, pairs.
void read_coverage(std::span<const std::byte> state, std::uint32_t edges, std::uint32_t compares, std::uint32_t base,
                   Coverage& into);
// Features of one module, used or not.
constexpr std::uint32_t feature_count(std::uint32_t edges, std::uint32_t compares) { return edges + 32 * compares; }
// Sets libFuzzer's counters.
void raise_counters(const Coverage& coverage);

}  // namespace warpfuzz::cuda
