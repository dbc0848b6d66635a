// What kernels rarely have: a trap, a loop without an end, calls through a pointer, a function that never returns, an empty kernel,
// several returns, many cases, one block of code after a barrier that only some reach.
#include "cuda.h"

typedef float (*Function)(float);
__device__ __noinline__ float twice(float x) { return 2 * x; }
__device__ __noinline__ float half(float x) { return x / 2; }
__device__ Function functions[2] = {twice, half};

__device__ __noinline__ void never(int n) {
  while (n != 3) n = n * 5 + 1;
  __builtin_trap();
}
__global__ void pointers(float* y, int n) { y[n] = functions[n & 1](y[n]); }
__global__ void traps(const int* x, int n) {
  if (x[n] == 7) __builtin_trap();
  if (x[n] == 9) never(n);
}
__global__ void endless(volatile int* flag) {
  for (;;) {
    if (*flag == 12) *flag = 13;
  }
}
__global__ void empty() {}
__device__ __noinline__ int returns(int a, long long b) {
  if (a == 1) return 5;
  if (b > 1000000000000) return 6;
  for (int i = 0; i < a; ++i) {
    if (i * i == b) return i;
  }
  return -1;
}
__global__ void uses(int* y, long long b) {
  y[0] = returns(y[1], b);
  if (y[2] > 4) __syncthreads();
  y[3] = returns(y[0], b + 1);
}
