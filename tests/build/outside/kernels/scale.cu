// y = 3 x.
#include <cuda_runtime.h>

#include "scale.cuh"

__global__ void scale_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = scaled(x[i]);
}
inline void scale(const float* x, float* y, int n, cudaStream_t stream) {
  scale_kernel<<<(n + 127) / 128, 128, 0, stream>>>(x, y, n);
}
