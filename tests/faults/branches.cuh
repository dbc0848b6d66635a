// A right copy of n numbers whose ways depend on n: a test compares the marks at the ends of lines with the lines reached.
#pragma once
#include <cuda_runtime.h>

__device__ __forceinline__ float doubled(float v) {
  return v + v;  // ALWAYS
}

__device__ float wide_only(float v, const float* y) {
  if (y == nullptr) return -v;  // WIDE
  return v * 3;                 // WIDE
}

template <int kTimes>
__global__ void branches_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;  // ALWAYS
  if (i >= n) return;                                   // ALWAYS
  float v = doubled(x[i]);                              // ALWAYS
  if (n > 64) {                                         // ALWAYS
    for (int k = 0; k < kTimes; ++k)                    // WIDE
      v = wide_only(v, y) - 2 * x[i];                   // WIDE
    v += y[i];                                          // WIDE
    if (v > 1e30f) y[i] = v;                            // WIDE
  } else if (n % 2 == 1) {                              // FEW
    atomicAdd(&y[i], v);                                // ODD
  }
  y[i] = x[i];  // ALWAYS
}

inline void branches(const float* x, float* y, int n, cudaStream_t stream) {
  if (n > 64) {                                                     // ALWAYS
    branches_kernel<2><<<(n + 31) / 32, 32, 0, stream>>>(x, y, n);  // WIDE
    return;
  }
  branches_kernel<3><<<1, 64, 0, stream>>>(x, y, n);  // FEW
}
