// Root-mean-square normalisation over the last dim, one block a row. gamma may be null.
// BUG: eps is added to the root of the mean square instead of to the mean square itself.
// correct-if: eps is small against the mean square of the row, or the row is zero
// expect-keys: value, special
// expect-kind: precision, gross, const-ratio, inf-unexpected, nan-unexpected
// expect-location: single, all
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "block_reduce.cuh"

constexpr int kEpsOutsideThreads = 128;

template <class T>
__global__ void rmsnorm_eps_outside_kernel(const T* __restrict__ x,      // [rows, cols]
                                           const T* __restrict__ gamma,  // [cols] or null
                                           T* __restrict__ y,            // [rows, cols]
                                           int cols, float eps) {
  const T* row = x + static_cast<size_t>(blockIdx.x) * cols;
  T* out = y + static_cast<size_t>(blockIdx.x) * cols;

  float squares = 0.0f;
  for (int i = threadIdx.x; i < cols; i += kEpsOutsideThreads) {
    const float v = static_cast<float>(row[i]);
    squares += v * v;
  }
  const float rms = sqrtf(block_sum<kEpsOutsideThreads>(squares) / cols);
  const float scale = 1.0f / (rms + eps);

  for (int i = threadIdx.x; i < cols; i += kEpsOutsideThreads) {
    float v = static_cast<float>(row[i]) * scale;
    if (gamma) v *= static_cast<float>(gamma[i]);
    out[i] = static_cast<T>(v);
  }
}

template <class T>
void rmsnorm_eps_outside(const T* x, const T* gamma, T* y, int rows, int cols, float eps, cudaStream_t stream) {
  rmsnorm_eps_outside_kernel<T><<<rows, kEpsOutsideThreads, 0, stream>>>(x, gamma, y, cols, eps);
}

template void rmsnorm_eps_outside(const float*, const float*, float*, int, int, float, cudaStream_t);
template void rmsnorm_eps_outside(const __half*, const __half*, __half*, int, int, float, cudaStream_t);
template void rmsnorm_eps_outside(const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*, int, int, float,
                                  cudaStream_t);
