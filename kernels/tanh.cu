// tanh, four elements a thread, a block's width apart: neighbouring threads touch neighbouring elements, and the four
// evaluations are independent.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kTanhThreads = 128;
constexpr int kTanhPerThread = 4;

template <class T>
__global__ void tanh_kernel(const T* __restrict__ x,  // [n]
                            T* __restrict__ y,        // [n]
                            int n) {
  const int first = blockIdx.x * kTanhThreads * kTanhPerThread + threadIdx.x;
#pragma unroll
  for (int k = 0; k < kTanhPerThread; ++k) {
    const int i = first + k * kTanhThreads;
    if (i < n) y[i] = static_cast<T>(tanhf(static_cast<float>(x[i])));
  }
}

template <class T>
void tanh_elements(const T* x, T* y, int n, cudaStream_t stream) {
  constexpr int kPerBlock = kTanhThreads * kTanhPerThread;
  tanh_kernel<T><<<(n + kPerBlock - 1) / kPerBlock, kTanhThreads, 0, stream>>>(x, y, n);
}

template void tanh_elements(const float*, float*, int, cudaStream_t);
template void tanh_elements(const __half*, __half*, int, cudaStream_t);
template void tanh_elements(const __nv_bfloat16*, __nv_bfloat16*, int, cudaStream_t);
