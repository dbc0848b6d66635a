// expect 4: warpfuzz: inline PTX (asm) is not supported by the CPU executor
__device__ unsigned lane() {
  unsigned r;
  asm volatile("mov.u32 %0, %laneid;" : "=r"(r));
  return r;
}
__global__ void k(unsigned* out) { *out = lane(); }
