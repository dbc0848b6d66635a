// The kernels of stage.h. Host memory is read and written through its mapped address: for the sizes of a case that is quicker
// than the copy engine, whose hand-over to a kernel costs some microseconds each way.
#include "exec/cuda/server/stage.h"

#include <algorithm>

namespace warpfuzz::cuda {
namespace {

constexpr unsigned kThreads = 256, kMaxBlocks = 132;

__device__ bool differs(const uint4& a, const uint4& b) { return a.x != b.x || a.y != b.y || a.z != b.z || a.w != b.w; }

__device__ uint4 of_pattern(std::uint64_t p) {
  const unsigned low = static_cast<unsigned>(p), high = static_cast<unsigned>(p >> 32);
  return make_uint4(low, high, low, high);
}

__device__ void unit(const Segment& s, std::uint32_t i) {
  uint4* to = reinterpret_cast<uint4*>(s.to) + i;
  const uint4* from = reinterpret_cast<const uint4*>(s.from) + i;
  uint4* also = reinterpret_cast<uint4*>(s.also) + i;
  bool wrong = false;
  switch (s.piece) {
    case Piece::copy: *to = *from; break;
    case Piece::copy_twice: {
      const uint4 x = *from;
      *to = x, *also = x;
      break;
    }
    case Piece::fill: *to = of_pattern(s.pattern); break;
    case Piece::expect: wrong = differs(*from, of_pattern(s.pattern)); break;
    case Piece::same: wrong = differs(*from, *also); break;
  }
  if (wrong) atomicOr(reinterpret_cast<unsigned*>(s.word), 1u << s.bit);
}

__global__ void __launch_bounds__(kThreads) stage_kernel(const __grid_constant__ Stage g) {
  for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < g.units; i += gridDim.x * kThreads) {
    std::uint32_t at = i, s = 0;
    while (at >= g.segments[s].units) at -= g.segments[s++].units;
    unit(g.segments[s], at);
  }
  if (g.done == 0) return;
  // The host reads the outputs as soon as it sees the number.
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x != 0) return;
  auto* counter = reinterpret_cast<unsigned*>(g.counter);
  if (gridDim.x > 1 && atomicAdd(counter, 1u) != gridDim.x - 1) return;
  *counter = 0;
  __threadfence_system();
  *reinterpret_cast<volatile unsigned*>(g.done) = g.number;
}

}  // namespace

bool Stage::add(const Segment& s) {
  if (s.units == 0) return true;
  if (count == kMaxSegments) return false;
  segments[count++] = s;
  units += s.units;
  return true;
}

cudaError_t launch_stage(const Stage& stage, cudaStream_t stream) {
  const unsigned wanted = (stage.units + kThreads - 1) / kThreads;
  const unsigned blocks = std::clamp(wanted, 1u, kMaxBlocks);
  stage_kernel<<<blocks, kThreads, 0, stream>>>(stage);
  return cudaPeekAtLastError();
}

}  // namespace warpfuzz::cuda
