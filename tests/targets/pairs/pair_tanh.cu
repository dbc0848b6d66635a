// tanh, four elements a thread, with two bugs of different classes.
// BUG: the clamp that keeps expf from overflowing swallows NaN: fmaxf(NaN, -9) is -9.
// BUG: off by one: a thread that lacks its fourth element reads and writes it all the same.
// correct-if: n is not 3 more than a multiple of 4, and no x is NaN
// expect-keys: oob-read, special
#include <cuda_runtime.h>

constexpr int kPairThreads = 64;

__device__ __forceinline__ float clamped_tanh(float x) { return tanhf(fminf(fmaxf(x, -9.0f), 9.0f)); }

__global__ void pair_tanh_kernel(const float* __restrict__ x,  // [n]
                                 float* __restrict__ y,        // [n]
                                 int n) {
  const int i = 4 * (blockIdx.x * kPairThreads + threadIdx.x);
  if (i + 3 <= n) {
    const float a = clamped_tanh(x[i]), b = clamped_tanh(x[i + 1]), c = clamped_tanh(x[i + 2]),
                d = clamped_tanh(x[i + 3]);
    y[i] = a, y[i + 1] = b, y[i + 2] = c, y[i + 3] = d;
  } else {
    for (int k = i; k < n; ++k) y[k] = clamped_tanh(x[k]);
  }
}

inline void pair_tanh(const float* x, float* y, int n, cudaStream_t stream) {
  constexpr int kPerBlock = 4 * kPairThreads;
  pair_tanh_kernel<<<(n + kPerBlock - 1) / kPerBlock, kPairThreads, 0, stream>>>(x, y, n);
}
