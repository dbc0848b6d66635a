// ELU, y = x for x > 0 and alpha * (exp(x) - 1) elsewhere: vectors of four over a grid-stride loop, and the last n % 4
// elements by the first threads. expm1f keeps its accuracy near 0, where exp(x) - 1 cancels.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "vec4.cuh"

constexpr int kEluThreads = 128;
constexpr int kEluBlocks = 16;

__device__ __forceinline__ float elu_of(float x, float alpha) { return x > 0.0f ? x : alpha * expm1f(x); }

template <class T>
__global__ void elu_kernel(const T* __restrict__ x,  // [n]
                           T* __restrict__ y,        // [n]
                           int n, float alpha) {
  const int thread = blockIdx.x * kEluThreads + threadIdx.x;
  for (int i = thread; i < n / 4; i += gridDim.x * kEluThreads) {
    const float4 v = load4(x + 4 * i);
    store4(y + 4 * i, make_float4(elu_of(v.x, alpha), elu_of(v.y, alpha), elu_of(v.z, alpha), elu_of(v.w, alpha)));
  }
  if (thread < n % 4) {
    const int i = n - 1 - thread;
    y[i] = static_cast<T>(elu_of(static_cast<float>(x[i]), alpha));
  }
}

template <class T>
void elu(const T* x, T* y, int n, float alpha, cudaStream_t stream) {
  constexpr int kPerBlock = 4 * kEluThreads;
  const int needed = (n + kPerBlock - 1) / kPerBlock;
  const int blocks = needed < kEluBlocks ? needed : kEluBlocks;
  elu_kernel<T><<<blocks, kEluThreads, 0, stream>>>(x, y, n, alpha);
}

template void elu(const float*, float*, int, float, cudaStream_t);
template void elu(const __half*, __half*, int, float, cudaStream_t);
template void elu(const __nv_bfloat16*, __nv_bfloat16*, int, float, cudaStream_t);
