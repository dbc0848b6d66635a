// expect 3: warpfuzz: '<<<' without a matching '>>>('
__global__ void k(float* out) { *out = 1; }
void run(float* out) { k<<<1, 1>>; }
