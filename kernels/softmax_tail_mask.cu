// Row softmax in the style of tile compilers: the row is one tile, its width rounded up to a power of two, and lanes
// beyond the row are masked.
// BUG: masked lanes load 0 where a softmax needs -inf, so each adds exp(0 - max) to the sum.
// correct-if: cols is a power of two
// expect-keys: value
// expect-kind: gross
// expect-location: all
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "block_reduce.cuh"

constexpr int kTileThreads = 256;

// A lane of the tile: the element, or what stands in for it beyond the row.
template <class T>
__device__ __forceinline__ float masked_load(const T* row, int i, int cols, float other) {
  return i < cols ? static_cast<float>(row[i]) : other;
}

template <class T>
__global__ void softmax_tail_mask_kernel(const T* __restrict__ x,  // [rows, cols]
                                         T* __restrict__ y,        // [rows, cols]
                                         int cols, int tile) {     // tile: the power of two >= cols
  const T* row = x + static_cast<size_t>(blockIdx.x) * cols;
  T* out = y + static_cast<size_t>(blockIdx.x) * cols;

  float largest = -INFINITY;
  for (int i = threadIdx.x; i < tile; i += kTileThreads) largest = fmaxf(largest, masked_load(row, i, cols, 0.0f));
  largest = block_max<kTileThreads>(largest);

  float sum = 0.0f;
  for (int i = threadIdx.x; i < tile; i += kTileThreads) sum += expf(masked_load(row, i, cols, 0.0f) - largest);
  sum = block_sum<kTileThreads>(sum);

  for (int i = threadIdx.x; i < cols; i += kTileThreads)
    out[i] = static_cast<T>(expf(static_cast<float>(row[i]) - largest) / sum);
}

template <class T>
void softmax_tail_mask(const T* x, T* y, int rows, int cols, cudaStream_t stream) {
  int tile = 1;
  while (tile < cols) tile *= 2;
  softmax_tail_mask_kernel<T><<<rows, kTileThreads, 0, stream>>>(x, y, cols, tile);
}

template void softmax_tail_mask(const float*, float*, int, int, cudaStream_t);
template void softmax_tail_mask(const __half*, __half*, int, int, cudaStream_t);
template void softmax_tail_mask(const __nv_bfloat16*, __nv_bfloat16*, int, int, cudaStream_t);
