// A copy that goes wrong only at an element that equals a constant.
// BUG: planted on purpose, to measure how fast a search puts one exact value anywhere into a tensor.
// correct-if: no x equals open_value
// expect-keys: value
#include <cuda_runtime.h>

__global__ void gate_value_kernel(const float* __restrict__ x,  // [n]
                                  float* __restrict__ y,        // [n]
                                  int n, float open_value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  if (v == open_value) v = -v;
  y[i] = v;
}

inline void gate_value(const float* x, float* y, int n, float open_value, cudaStream_t stream) {
  gate_value_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n, open_value);
}
