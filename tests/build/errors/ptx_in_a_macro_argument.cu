// expect 5: warpfuzz: inline PTX (asm) is not supported
#define WRAPPED(...) __VA_ARGS__
WRAPPED(__global__ void k(int* out) {
  int lane;
  asm volatile("mov.u32 %0, %laneid;" : "=r"(lane));
  out[0] = lane;
})
