// Branches, a loop, a switch, an early return, a barrier, a recursive function, one that is not inlined.
#include "cuda.h"

__device__ __noinline__ int collatz(unsigned long long n, int steps) {
  if (n <= 1) return steps;
  return collatz(n % 2 == 0 ? n / 2 : 3 * n + 1, steps + 1);
}
__device__ __noinline__ float pick(int kind, float a, float b) {
  switch (kind) {
    case 3: return a * b;
    case 10: return __builtin_sqrtf(a);
    case 77: return a / b;
    case 1000: return __builtin_fabsf(b);
    default: return a - b;
  }
}

__global__ void flow(const float* x, float* y, int n, int kind) {
  __shared__ float part[64];
  const int i = block_index() * 64 + thread_index();
  if (i >= n) return;
  part[thread_index()] = x[i];
  __syncthreads();
  float sum = 0;
#pragma clang loop unroll(disable)
  for (int j = 0; j < kind; ++j) sum += pick(j, part[j % 64], x[j]);
  if (sum > 3) sum = collatz(static_cast<unsigned long long>(sum), 0);
  y[i] = sum;
}
// No compare, no branch.
__global__ void straight(const float* x, float* y) { y[block_index()] = 2 * x[block_index()]; }
