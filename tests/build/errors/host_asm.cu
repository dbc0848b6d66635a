// expect nothing
// Only device code cannot hold assembly.
inline void pause_host() { asm volatile("pause"); }
__global__ void k(float* out) { out[0] = 1; }
void run(float* out) { pause_host(); k<<<1, 1>>>(out); }
