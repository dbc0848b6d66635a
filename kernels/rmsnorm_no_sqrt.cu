// Root-mean-square normalisation over the last dim, one warp a row: no shared memory and no barrier. gamma may be null.
// BUG: the row is divided by its mean square, without the square root.
// correct-if: mean(x^2) + eps is close to 1
// expect-keys: value, special
// expect-kind: precision, gross, inf-unexpected
// expect-location: single, all
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "block_reduce.cuh"

constexpr int kRowsPerBlock = 4;

template <class T>
__global__ void rmsnorm_no_sqrt_kernel(const T* __restrict__ x,      // [rows, cols]
                                       const T* __restrict__ gamma,  // [cols] or null
                                       T* __restrict__ y,            // [rows, cols]
                                       int rows, int cols, float eps) {
  const int r = blockIdx.x * kRowsPerBlock + threadIdx.y;
  if (r >= rows) return;  // the same for a whole warp: its shuffles stay complete
  const T* row = x + static_cast<size_t>(r) * cols;
  T* out = y + static_cast<size_t>(r) * cols;

  float squares = 0.0f;
  for (int i = threadIdx.x; i < cols; i += kWarpSize) {
    const float v = static_cast<float>(row[i]);
    squares += v * v;
  }
  const float mean_square = warp_sum(squares) / cols;
  const float scale = 1.0f / (mean_square + eps);

  for (int i = threadIdx.x; i < cols; i += kWarpSize) {
    float v = static_cast<float>(row[i]) * scale;
    if (gamma) v *= static_cast<float>(gamma[i]);
    out[i] = static_cast<T>(v);
  }
}

template <class T>
void rmsnorm_no_sqrt(const T* x, const T* gamma, T* y, int rows, int cols, float eps, cudaStream_t stream) {
  const dim3 block(kWarpSize, kRowsPerBlock);
  const int blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
  rmsnorm_no_sqrt_kernel<T><<<blocks, block, 0, stream>>>(x, gamma, y, rows, cols, eps);
}

template void rmsnorm_no_sqrt(const float*, const float*, float*, int, int, float, cudaStream_t);
template void rmsnorm_no_sqrt(const __half*, const __half*, __half*, int, int, float, cudaStream_t);
template void rmsnorm_no_sqrt(const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*, int, int, float,
                              cudaStream_t);
