#include "exec/cuda/device_counters.h"

#include <cstring>

namespace {
constexpr std::size_t kCounters = 1 << 15;  // features beyond share one
}
// libFuzzer reads this section; external linkage: a write-only static would be deleted by the optimizer.
extern "C" {
__attribute__((section("__libfuzzer_extra_counters"), used)) unsigned char warpfuzz_device_counters[kCounters];
}

namespace warpfuzz::cuda {
namespace {

std::uint32_t word(std::span<const std::byte> state, std::size_t at) {
  std::uint32_t w = 0;
  std::memcpy(&w, state.data() + at, sizeof w);
  return w;
}

}  // namespace

void read_coverage(std::span<const std::byte> state, std::uint32_t edges, std::uint32_t compares, std::uint32_t base,
                   Coverage& into) {
  // The header's bounds and ranges are not among what comes back.
  const std::size_t skipped = sizeof(StateHeader) - offsetof(StateHeader, bounds);
  if (state.size() + skipped < state_bytes(edges, compares)) return;
  for (std::uint32_t w = 0; w < edge_words(edges); ++w)
    for (std::uint32_t bits = word(state, edge_offset() - skipped + 4 * w); bits; bits &= bits - 1)
      into.features.push_back(base + 32 * w + static_cast<std::uint32_t>(__builtin_ctz(bits)));
  for (std::uint32_t c = 0; c < compares; ++c) {
    const std::uint32_t classes = word(state, class_offset(edges) - skipped + 4 * c);
    for (std::uint32_t bits = classes; bits; bits &= bits - 1)
      into.features.push_back(base + edges + 32 * c + static_cast<std::uint32_t>(__builtin_ctz(bits)));
    // A pair is there where its kind's classes are.
    const std::uint32_t present[kPairKinds] = {classes & ~0xfu, classes & 0xeu, classes & 1u};
    for (std::uint32_t kind = 0; kind < kPairKinds; ++kind) {
      if (!present[kind]) continue;
      const std::size_t at = pair_offset(edges, compares) - skipped + (kPairKinds * c + kind) * sizeof(OperandPair);
      into.operands.push_back(word(state, at));
      into.operands.push_back(word(state, at + 4));
    }
  }
}

void raise_counters(const Coverage& coverage) {
  for (const std::uint32_t f : coverage.features) warpfuzz_device_counters[f % kCounters] = 1;
}

}  // namespace warpfuzz::cuda
