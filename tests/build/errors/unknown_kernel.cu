// expect 3: use of undeclared identifier 'kernel'
__global__ void k(float* out) { out[0] = 1; }
void run(float* out) { kernel<<<1, 32>>>(out); }
