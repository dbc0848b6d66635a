// Layer normalisation over the last dim, y = (x - mean) / sqrt(var + eps) * gamma + beta: one block a row. gamma and
// beta may be null, each alone too.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "block_reduce.cuh"

constexpr int kLayernormThreads = 256;

template <class T>
__global__ void layernorm_kernel(const T* __restrict__ x,      // [rows, cols]
                                 const T* __restrict__ gamma,  // [cols] or null
                                 const T* __restrict__ beta,   // [cols] or null
                                 T* __restrict__ y,            // [rows, cols]
                                 int cols, float eps) {
  const T* row = x + static_cast<size_t>(blockIdx.x) * cols;
  T* out = y + static_cast<size_t>(blockIdx.x) * cols;

  float sum = 0.0f;
  for (int i = threadIdx.x; i < cols; i += kLayernormThreads) sum += static_cast<float>(row[i]);
  const float mean = block_sum<kLayernormThreads>(sum) / cols;

  // A second pass over the row: E[x^2] - E[x]^2 loses every digit where the mean is large against the deviation.
  float squares = 0.0f;
  for (int i = threadIdx.x; i < cols; i += kLayernormThreads) {
    const float d = static_cast<float>(row[i]) - mean;
    squares += d * d;
  }
  const float rstd = rsqrtf(block_sum<kLayernormThreads>(squares) / cols + eps);

  for (int i = threadIdx.x; i < cols; i += kLayernormThreads) {
    float v = (static_cast<float>(row[i]) - mean) * rstd;
    if (gamma) v *= static_cast<float>(gamma[i]);
    if (beta) v += static_cast<float>(beta[i]);
    out[i] = static_cast<T>(v);
  }
}

template <class T>
void layernorm(const T* x, const T* gamma, const T* beta, T* y, int rows, int cols, float eps, cudaStream_t stream) {
  layernorm_kernel<T><<<rows, kLayernormThreads, 0, stream>>>(x, gamma, beta, y, cols, eps);
}

template void layernorm(const float*, const float*, const float*, float*, int, int, float, cudaStream_t);
template void layernorm(const __half*, const __half*, const __half*, __half*, int, int, float, cudaStream_t);
template void layernorm(const __nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*, int, int,
                        float, cudaStream_t);
