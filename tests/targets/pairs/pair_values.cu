// ReLU, one element a thread, with two bugs of the same class: one key, two variants.
// BUG: a branch of a leaky variant is left: inputs between -8 and -4 keep a hundredth of their value.
// BUG: the exponent is read by hand, and that of a subnormal number is 0: it comes out as 1.
// correct-if: no x lies between -8 and -4 or is a positive subnormal
// expect-keys: value
#include <cuda_runtime.h>

__global__ void pair_values_kernel(const float* __restrict__ x,  // [n]
                                   float* __restrict__ y,        // [n]
                                   int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  const unsigned bits = __float_as_uint(v);
  if (v > -8.0f && v < -4.0f) y[i] = 0.01f * v;
  else y[i] = bits != 0 && bits < 0x00800000u ? 1.0f : fmaxf(v, 0.0f);
}

inline void pair_values(const float* x, float* y, int n, cudaStream_t stream) {
  constexpr int kThreads = 128;
  pair_values_kernel<<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(x, y, n);
}
