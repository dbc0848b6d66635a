// expect 3: warpfuzz: a kernel launch from device code is not supported by the CPU executor
__global__ void child(float* out) { *out = 1; }
__global__ void parent(float* out) { child<<<1, 1>>>(out); }
