// expect 2: thread block clusters are not supported
__global__ void __cluster_dims__(2, 1, 1) k(float* out) { *out = 1; }
