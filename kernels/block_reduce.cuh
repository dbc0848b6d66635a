// Reductions over a warp and over a block whose result every thread gets.
#pragma once
#include <cuda_runtime.h>

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;

__device__ __forceinline__ float warp_sum(float v) {
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) v += __shfl_xor_sync(kFullWarp, v, offset);
  return v;
}

__device__ __forceinline__ float warp_max(float v) {
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) v = fmaxf(v, __shfl_xor_sync(kFullWarp, v, offset));
  return v;
}

// Every thread of a block of kThreads must call these, the ones without data with 0 or -INFINITY. Every thread adds up
// the partials itself: they are few, in the same order everywhere, and reading them broadcasts, so that one barrier
// less is needed than for a second shuffle tree in one warp.
template <int kThreads>
__device__ float block_sum(float v) {
  static_assert(kThreads % kWarpSize == 0 && kThreads <= 1024, "a block is made of whole warps");
  __shared__ float partial[kThreads / kWarpSize];
  v = warp_sum(v);
  __syncthreads();  // an earlier call's partials may still be read
  if (threadIdx.x % kWarpSize == 0) partial[threadIdx.x / kWarpSize] = v;
  __syncthreads();
  float total = 0.0f;
  for (int w = 0; w < kThreads / kWarpSize; ++w) total += partial[w];
  return total;
}

template <int kThreads>
__device__ float block_max(float v) {
  static_assert(kThreads % kWarpSize == 0 && kThreads <= 1024, "a block is made of whole warps");
  __shared__ float partial[kThreads / kWarpSize];
  v = warp_max(v);
  __syncthreads();  // an earlier call's partials may still be read
  if (threadIdx.x % kWarpSize == 0) partial[threadIdx.x / kWarpSize] = v;
  __syncthreads();
  float largest = partial[0];
  for (int w = 1; w < kThreads / kWarpSize; ++w) largest = fmaxf(largest, partial[w]);
  return largest;
}
