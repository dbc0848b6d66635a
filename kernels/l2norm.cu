// Rows divided by their Euclidean norm, y = x / max(norm, eps): one block a row.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "block_reduce.cuh"

constexpr int kL2normThreads = 128;

template <class T>
__global__ void l2norm_kernel(const T* __restrict__ x,  // [rows, cols]
                              T* __restrict__ y,        // [rows, cols]
                              int cols, float eps) {
  const T* row = x + static_cast<size_t>(blockIdx.x) * cols;
  T* out = y + static_cast<size_t>(blockIdx.x) * cols;

  float squares = 0.0f;
  for (int i = threadIdx.x; i < cols; i += kL2normThreads) {
    const float v = static_cast<float>(row[i]);
    squares += v * v;
  }
  const float norm = sqrtf(block_sum<kL2normThreads>(squares));
  const float scale = 1.0f / (norm < eps ? eps : norm);  // a norm of NaN stays; fmaxf would drop it

  for (int i = threadIdx.x; i < cols; i += kL2normThreads) out[i] = static_cast<T>(static_cast<float>(row[i]) * scale);
}

template <class T>
void l2norm(const T* x, T* y, int rows, int cols, float eps, cudaStream_t stream) {
  l2norm_kernel<T><<<rows, kL2normThreads, 0, stream>>>(x, y, cols, eps);
}

template void l2norm(const float*, float*, int, int, float, cudaStream_t);
template void l2norm(const __half*, __half*, int, int, float, cudaStream_t);
template void l2norm(const __nv_bfloat16*, __nv_bfloat16*, int, int, float, cudaStream_t);
