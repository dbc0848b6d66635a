// Accesses that are checked, and those that need none.
#include "cuda.h"

__device__ float table[100];
__constant__ float factors[16];
struct Box { int sizes[8]; };

// 2 checks: the vector read, the vector write.
__global__ void vectors(const Float4* x, Float4* y) { y[thread_index()] = x[thread_index()]; }

// 3 checks: an addition, a swap, the store of the result.
__global__ void atomics(int* counter, float* sum, int* out) {
  out[0] = __nvvm_atom_cas_gen_i(counter, 1, 2);
  __nvvm_atom_add_gen_f(sum, 1.5f);
}

// 1 check: the result's store. Shared, local, constant and parameter memory is left alone.
__global__ void private_memory(float* y, Box box, int n) {
  __shared__ float tile[256];
  float local[16];
  tile[thread_index()] = factors[n & 15];
  __syncthreads();
#pragma clang loop unroll(disable)
  for (int i = 0; i < 16; ++i) local[(i * n) & 15] = tile[(thread_index() + i) & 255] + box.sizes[i & 7];
  y[thread_index()] = local[n & 15];
}

// 2 checks: the variable's element by the size of the variable, and the store. table[3] is in bounds whatever happens.
__global__ void variables(float* y, int n) { y[n] = table[n] + table[3]; }

// A pointer that may be shared or global: 2 checks.
__device__ __noinline__ float generic(const float* p, int i) { return p[i]; }
__global__ void either(const float* x, float* y, int n) {
  __shared__ float tile[256];
  tile[thread_index()] = 1;
  __syncthreads();
  y[n] = generic(n & 1 ? x : tile, n);
}

// 2 checks: four fields of one vector are one access.
__global__ void fields(const float4* x, float* y) {
  const float4& v = x[thread_index()];
  y[thread_index()] = v.x + v.y * v.z - v.w;
}
