// expect 4: expected ';'
__global__ void k(float* out) {
  __shared__ float s[3];
  s[0] = 1
  out[0] = s[0];
}
