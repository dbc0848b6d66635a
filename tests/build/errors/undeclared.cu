// expect 5: use of undeclared identifier 'm'
__global__ void k(float* out, int n) {
  __shared__ float s[32];
  s[threadIdx.x] = n;
  out[0] = s[m];
}
void run(float* out) { k<<<1, 32>>>(out, 3); }
