// Leaky ReLU with a slope of 0.01 over a grid-stride loop, as max(x, 0) + slope * min(x, 0).
// BUG: the slope is 0.1.
// correct-if: no x is below 0
// expect-keys: value, special
// expect-kind: gross, const-ratio, inf-unexpected
// expect-location: single, all, sparse, interior, first, last-col, tail-block
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kSlopeThreads = 256;
constexpr int kSlopeBlocks = 8;

template <class T>
__global__ void leaky_relu_slope_kernel(const T* __restrict__ x,  // [n]
                                        T* __restrict__ y,        // [n]
                                        int n) {
  constexpr float kSlope = 0.1f;
  for (int i = blockIdx.x * kSlopeThreads + threadIdx.x; i < n; i += gridDim.x * kSlopeThreads) {
    const float v = static_cast<float>(x[i]);
    y[i] = static_cast<T>(fmaxf(v, 0.0f) + kSlope * fminf(v, 0.0f));
  }
}

template <class T>
void leaky_relu_slope(const T* x, T* y, int n, cudaStream_t stream) {
  const int needed = (n + kSlopeThreads - 1) / kSlopeThreads;
  const int blocks = needed < kSlopeBlocks ? needed : kSlopeBlocks;
  leaky_relu_slope_kernel<T><<<blocks, kSlopeThreads, 0, stream>>>(x, y, n);
}

template void leaky_relu_slope(const float*, float*, int, cudaStream_t);
template void leaky_relu_slope(const __half*, __half*, int, cudaStream_t);
template void leaky_relu_slope(const __nv_bfloat16*, __nv_bfloat16*, int, cudaStream_t);
