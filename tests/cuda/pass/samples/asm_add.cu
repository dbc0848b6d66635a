// An addition of halves in inline PTX, as CUDA's headers have it: float atomics.
#include "cuda.h"
__global__ void sum(unsigned short* word, unsigned short v) {
  unsigned short old;
  asm volatile("{ atom.add.noftz.f16 %0,[%1],%2; }" : "=h"(old) : "l"(word), "h"(v) : "memory");
}
