// Rows divided by their Euclidean norm, at least eps: one warp a row, no shared memory and no barrier.
// BUG: the row is divided by its squared norm, without the square root.
// correct-if: the norm is close to 1, or every x is 0
// expect-keys: value, special
// expect-kind: precision, gross, const-ratio, inf-unexpected
// expect-location: single, all
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "block_reduce.cuh"

constexpr int kNoSqrtRows = 4;  // a block

template <class T>
__global__ void l2norm_no_sqrt_kernel(const T* __restrict__ x,  // [rows, cols]
                                      T* __restrict__ y,        // [rows, cols]
                                      int rows, int cols, float eps) {
  const int r = blockIdx.x * kNoSqrtRows + threadIdx.y;
  if (r >= rows) return;  // the same for a whole warp: its shuffles stay complete
  const T* row = x + static_cast<size_t>(r) * cols;
  T* out = y + static_cast<size_t>(r) * cols;

  float squares = 0.0f;
  for (int i = threadIdx.x; i < cols; i += kWarpSize) {
    const float v = static_cast<float>(row[i]);
    squares += v * v;
  }
  const float norm = fmaxf(warp_sum(squares), eps);

  for (int i = threadIdx.x; i < cols; i += kWarpSize) out[i] = static_cast<T>(static_cast<float>(row[i]) / norm);
}

template <class T>
void l2norm_no_sqrt(const T* x, T* y, int rows, int cols, float eps, cudaStream_t stream) {
  const dim3 block(kWarpSize, kNoSqrtRows);
  l2norm_no_sqrt_kernel<T><<<(rows + kNoSqrtRows - 1) / kNoSqrtRows, block, 0, stream>>>(x, y, rows, cols, eps);
}

template void l2norm_no_sqrt(const float*, float*, int, int, float, cudaStream_t);
template void l2norm_no_sqrt(const __half*, __half*, int, int, float, cudaStream_t);
template void l2norm_no_sqrt(const __nv_bfloat16*, __nv_bfloat16*, int, int, float, cudaStream_t);
