// expect 5: no matching function for call to 'k'
__global__ void k(float* out, int n) { out[0] = n; }
void run(double* out) {
  dim3 grid(1);
  k<<<grid, 32>>>(out, 3);
}
