// GELU in its tanh form over a grid-stride loop, so that one launch shape serves every size.
// BUG: the factor 1/2 is missing.
// correct-if: every x is 0
// expect-keys: value, special
// expect-kind: gross, const-ratio, inf-unexpected
// expect-location: single, all
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kStrideThreads = 256;
constexpr int kStrideBlocks = 8;

template <class T>
__global__ void gelu_no_half_kernel(const T* __restrict__ x,  // [n]
                                    T* __restrict__ y,        // [n]
                                    int n) {
  constexpr float kSqrt2OverPi = 0.7978845608028654f;
  for (int i = blockIdx.x * kStrideThreads + threadIdx.x; i < n; i += gridDim.x * kStrideThreads) {
    const float v = static_cast<float>(x[i]);
    y[i] = static_cast<T>(v * (1.0f + tanhf(kSqrt2OverPi * (v + 0.044715f * v * v * v))));
  }
}

template <class T>
void gelu_no_half(const T* x, T* y, int n, cudaStream_t stream) {
  const int needed = (n + kStrideThreads - 1) / kStrideThreads;
  const int blocks = needed < kStrideBlocks ? needed : kStrideBlocks;
  gelu_no_half_kernel<T><<<blocks, kStrideThreads, 0, stream>>>(x, y, n);
}

template void gelu_no_half(const float*, float*, int, cudaStream_t);
template void gelu_no_half(const __half*, __half*, int, cudaStream_t);
template void gelu_no_half(const __nv_bfloat16*, __nv_bfloat16*, int, cudaStream_t);
