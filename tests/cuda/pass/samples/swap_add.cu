// The addition of doubles by compare and swap, as older hardware needs it: float atomics.
#include "cuda.h"
__device__ __noinline__ void add(unsigned long long* word, double v) {
  unsigned long long old = *word, seen;
  do {
    seen = old;
    const double sum = __builtin_bit_cast(double, seen) + v;
    old = static_cast<unsigned long long>(__nvvm_atom_cas_gen_ll(reinterpret_cast<long long*>(word), static_cast<long long>(seen),
                                                                 __builtin_bit_cast(long long, sum)));
  } while (old != seen);
}
__global__ void sum(unsigned long long* word, double v) { add(word, v); }
