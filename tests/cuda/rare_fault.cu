// A copy that leaves its input where the bits of the first element say so.
// BUG: planted on purpose, to make the device fault now and then.
#include <cuda_runtime.h>

__global__ void rare_fault_kernel(const float* __restrict__ x,  // [n]
                                  float* __restrict__ y,        // [n]
                                  int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = __float_as_uint(x[0]) * 0x9E3779B1u;
  h ^= h >> 15;
  h *= 0x85EBCA77u;
  const int away = (h >> 16) == 7 ? n + 1024 : 0;
  y[i] = x[(i + away) % (2 * n + 1024)];
}

inline void rare_fault(const float* x, float* y, int n, cudaStream_t stream) {
  rare_fault_kernel<<<(n + 127) / 128, 128, 0, stream>>>(x, y, n);
}
