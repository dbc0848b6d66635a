// expect 3: warpfuzz: a __shared__ variable can't have an initialiser
__global__ void k(float* out) {
  __shared__ float s = 0;
  *out = s;
}
