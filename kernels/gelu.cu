// GELU in its tanh form, y = x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))), one element a thread.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kGeluThreads = 256;

__device__ __forceinline__ float gelu_tanh(float x) {
  constexpr float kSqrt2OverPi = 0.7978845608028654f;
  return 0.5f * x * (1.0f + tanhf(kSqrt2OverPi * (x + 0.044715f * x * x * x)));
}

template <class T>
__global__ void gelu_kernel(const T* __restrict__ x,  // [n]
                            T* __restrict__ y,        // [n]
                            int n) {
  const int i = blockIdx.x * kGeluThreads + threadIdx.x;
  if (i < n) y[i] = static_cast<T>(gelu_tanh(static_cast<float>(x[i])));
}

template <class T>
void gelu(const T* x, T* y, int n, cudaStream_t stream) {
  gelu_kernel<T><<<(n + kGeluThreads - 1) / kGeluThreads, kGeluThreads, 0, stream>>>(x, y, n);
}

template void gelu(const float*, float*, int, cudaStream_t);
template void gelu(const __half*, __half*, int, cudaStream_t);
template void gelu(const __nv_bfloat16*, __nv_bfloat16*, int, cudaStream_t);
