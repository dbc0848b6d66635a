// Atomic additions of floating-point numbers in code that no kernel reaches, and integer ones: no float atomics.
#include "cuda.h"
__device__ __attribute__((used)) void unreached(float* sum) { __nvvm_atom_add_gen_f(sum, 1.0f); }
__global__ void count(int* counter) { __nvvm_atom_add_gen_i(counter, 1); }
