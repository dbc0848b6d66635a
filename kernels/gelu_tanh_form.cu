// GELU, y = x * Phi(x), two elements a thread.
// BUG: Phi is computed by the tanh approximation where the exact one, by erf, is promised: off by up to 5e-4.
// correct-if: x is 0, or so large that Phi is 0 or 1
// expect-keys: value
// expect-kind: precision, gross
// expect-location: single, all, last-row, last-col, first, rows, cols, sparse, interior, tail-block
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kGeluFormThreads = 128;
constexpr int kGeluFormPerThread = 2;

__device__ __forceinline__ float gelu_form(float x) {
  constexpr float kSqrt2OverPi = 0.7978845608028654f;
  const float inner = kSqrt2OverPi * fmaf(0.044715f * x * x, x, x);
  return 0.5f * x * (1.0f + tanhf(inner));
}

template <class T>
__global__ void gelu_tanh_form_kernel(const T* __restrict__ x,  // [n]
                                      T* __restrict__ y,        // [n]
                                      int n) {
  const int first = blockIdx.x * kGeluFormThreads * kGeluFormPerThread + threadIdx.x;
#pragma unroll
  for (int k = 0; k < kGeluFormPerThread; ++k) {
    const int i = first + k * kGeluFormThreads;
    if (i < n) y[i] = static_cast<T>(gelu_form(static_cast<float>(x[i])));
  }
}

template <class T>
void gelu_tanh_form(const T* x, T* y, int n, cudaStream_t stream) {
  constexpr int kPerBlock = kGeluFormThreads * kGeluFormPerThread;
  gelu_tanh_form_kernel<T><<<(n + kPerBlock - 1) / kPerBlock, kGeluFormThreads, 0, stream>>>(x, y, n);
}

template void gelu_tanh_form(const float*, float*, int, cudaStream_t);
template void gelu_tanh_form(const __half*, __half*, int, cudaStream_t);
template void gelu_tanh_form(const __nv_bfloat16*, __nv_bfloat16*, int, cudaStream_t);
