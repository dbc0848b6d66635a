// Root-mean-square normalisation over the last dim, y = x / sqrt(mean(x^2) + eps) * gamma: one block a row. gamma
// may be null.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "block_reduce.cuh"

constexpr int kRmsnormThreads = 256;

template <class T>
__global__ void rmsnorm_kernel(const T* __restrict__ x,      // [rows, cols]
                               const T* __restrict__ gamma,  // [cols] or null
                               T* __restrict__ y,            // [rows, cols]
                               int cols, float eps) {
  const T* row = x + static_cast<size_t>(blockIdx.x) * cols;
  T* out = y + static_cast<size_t>(blockIdx.x) * cols;

  float squares = 0.0f;
  for (int i = threadIdx.x; i < cols; i += kRmsnormThreads) {
    const float v = static_cast<float>(row[i]);
    squares += v * v;
  }
  const float scale = rsqrtf(block_sum<kRmsnormThreads>(squares) / cols + eps);

  // The weight is applied in fp32, before the only rounding to T.
  for (int i = threadIdx.x; i < cols; i += kRmsnormThreads) {
    float v = static_cast<float>(row[i]) * scale;
    if (gamma) v *= static_cast<float>(gamma[i]);
    out[i] = static_cast<T>(v);
  }
}

template <class T>
void rmsnorm(const T* x, const T* gamma, T* y, int rows, int cols, float eps, cudaStream_t stream) {
  rmsnorm_kernel<T><<<rows, kRmsnormThreads, 0, stream>>>(x, gamma, y, cols, eps);
}

template void rmsnorm(const float*, const float*, float*, int, int, float, cudaStream_t);
template void rmsnorm(const __half*, const __half*, __half*, int, int, float, cudaStream_t);
template void rmsnorm(const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*, int, int, float, cudaStream_t);
