// An rmsnorm that is right up to 8192 columns and leaves everything behind them out of the sum.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>

__global__ void wide_rmsnorm_kernel(const float* x,      // [rows, cols]
                                    const float* gamma,  // [cols] or null
                                    float* y,            // [rows, cols]
                                    int cols, float eps) {
  __shared__ float part[32];
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  float sum = 0;
  for (int i = threadIdx.x; i < min(cols, 8192); i += 32) sum += row[i] * row[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 16; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  const float scale = rsqrtf(part[0] / cols + eps);
  for (int i = threadIdx.x; i < cols; i += 32)
    y[static_cast<size_t>(blockIdx.x) * cols + i] = row[i] * scale * (gamma ? gamma[i] : 1.0f);
}
