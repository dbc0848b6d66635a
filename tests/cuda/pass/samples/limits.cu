// A kernel that says how large its blocks are, and one that doesn't.
#include "cuda.h"
__global__ void unstated(float* y, int n) { if (n > 3) y[n] = 1; }
__global__ __launch_bounds__(128) void stated(float* y, int n) { if (n > 3) y[n] = 1; }
