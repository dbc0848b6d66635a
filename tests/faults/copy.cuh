// y = x, right for every input: what is wrong in the targets that use it is the target itself.
#pragma once
#include <cuda_runtime.h>

__global__ void copy_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

inline void copy(const float* x, float* y, int n, cudaStream_t stream) {
  copy_kernel<<<(n + 63) / 64, 64, 0, stream>>>(x, y, n);
}
