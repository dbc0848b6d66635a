// ReLU, one element a thread, with two bugs of different classes.
// BUG: the grid is rounded down: elements behind the last whole block are never written.
// BUG: a branch of a leaky variant is left: inputs between -8 and -4 keep a hundredth of their value.
// correct-if: n is at most 256 or a multiple of it, and no x lies between -8 and -4
// expect-keys: unwritten, value
#include <cuda_runtime.h>

constexpr int kPairThreads = 256;

__global__ void pair_relu_kernel(const float* __restrict__ x,  // [n]
                                 float* __restrict__ y,        // [n]
                                 int n) {
  const int i = blockIdx.x * kPairThreads + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  y[i] = v > -8.0f && v < -4.0f ? 0.01f * v : fmaxf(v, 0.0f);
}

inline void pair_relu(const float* x, float* y, int n, cudaStream_t stream) {
  const int blocks = n < kPairThreads ? 1 : n / kPairThreads;
  pair_relu_kernel<<<blocks, kPairThreads, 0, stream>>>(x, y, n);
}
