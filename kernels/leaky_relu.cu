// Leaky ReLU, y = x for x > 0 and slope * x elsewhere, one element a thread.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kLeakyThreads = 256;

template <class T>
__global__ void leaky_relu_kernel(const T* __restrict__ x,  // [n]
                                  T* __restrict__ y,        // [n]
                                  int n, float slope) {
  const int i = blockIdx.x * kLeakyThreads + threadIdx.x;
  if (i >= n) return;
  const float v = static_cast<float>(x[i]);
  y[i] = static_cast<T>(v > 0.0f ? v : slope * v);
}

template <class T>
void leaky_relu(const T* x, T* y, int n, float slope, cudaStream_t stream) {
  leaky_relu_kernel<T><<<(n + kLeakyThreads - 1) / kLeakyThreads, kLeakyThreads, 0, stream>>>(x, y, n, slope);
}

template void leaky_relu(const float*, float*, int, float, cudaStream_t);
template void leaky_relu(const __half*, __half*, int, float, cudaStream_t);
template void leaky_relu(const __nv_bfloat16*, __nv_bfloat16*, int, float, cudaStream_t);
