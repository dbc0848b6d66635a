// expect 2: warpfuzz: textures are not supported by the CPU executor
__global__ void k(cudaTextureObject_t image, float* out) { *out = tex2D<float>(image, 0, 0); }
