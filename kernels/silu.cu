// SiLU, y = x * sigmoid(x): four neighbouring elements a thread in one access each way. Where fewer are left, the thread
// takes them one by one.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "vec4.cuh"

constexpr int kSiluThreads = 128;

__device__ __forceinline__ float silu_of(float x) { return x / (1.0f + expf(-x)); }

template <class T>
__global__ void silu_kernel(const T* __restrict__ x,  // [n]
                            T* __restrict__ y,        // [n]
                            int n) {
  const int first = 4 * (blockIdx.x * kSiluThreads + threadIdx.x);
  if (first + 4 <= n) {
    const float4 v = load4(x + first);
    store4(y + first, make_float4(silu_of(v.x), silu_of(v.y), silu_of(v.z), silu_of(v.w)));
  } else {
    for (int i = first; i < n; ++i) y[i] = static_cast<T>(silu_of(static_cast<float>(x[i])));
  }
}

template <class T>
void silu(const T* x, T* y, int n, cudaStream_t stream) {
  constexpr int kPerBlock = 4 * kSiluThreads;
  silu_kernel<T><<<(n + kPerBlock - 1) / kPerBlock, kSiluThreads, 0, stream>>>(x, y, n);
}

template void silu(const float*, float*, int, cudaStream_t);
template void silu(const __half*, __half*, int, cudaStream_t);
template void silu(const __nv_bfloat16*, __nv_bfloat16*, int, cudaStream_t);
