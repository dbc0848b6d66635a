// What runs on the device before and behind the target's kernels: copies, poison, clearing, checks, all in one kernel each, since a
// launch costs more than what it does. Pieces are whole 16-byte units at 16-byte addresses.
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace warpfuzz::cuda {

enum class Piece : std::uint32_t {
  copy,        // to <- from
  copy_twice,  // to <- from, also <- from
  fill,        // to <- pattern
  expect,      // from holds the pattern, else bit `bit` of *word
  same,        // from equals also, else bit `bit` of *word
};
struct Segment {
  std::uint64_t to, from, also;  // device addresses
  std::uint64_t pattern, word;
  std::uint32_t units, bit;
  Piece piece;
};
// A kernel's parameters hold 4 KB.
inline constexpr int kMaxSegments = 60;
struct Stage {
  Segment segments[kMaxSegments];
  std::uint32_t count, units;  // units: of all segments together
  std::uint64_t done,
      counter;  // `done` (mapped host memory) becomes `number` when all is done; counter: a zero word of the device
  std::uint32_t number, pad;

  // False: there is no room left.
  bool add(const Segment& s);
};
static_assert(sizeof(Stage) <= 4096);

// Enqueues the pieces; done 0: nobody is told.
cudaError_t launch_stage(const Stage& stage, cudaStream_t stream);

}  // namespace warpfuzz::cuda
