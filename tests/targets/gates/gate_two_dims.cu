// A copy that goes wrong only where two dims each equal a constant.
// BUG: planted on purpose, to measure how fast a search satisfies two equalities at once.
// correct-if: rows != open_rows or cols != open_cols
// expect-keys: value, special
// Only cols is a dim of a tensor, so that a case costs next to nothing.
#include <cuda_runtime.h>

__global__ void gate_two_dims_kernel(const float* __restrict__ x,  // [cols]
                                     float* __restrict__ y,        // [cols]
                                     int rows, int cols, int open_rows, int open_cols) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cols) return;
  float v = x[i];
  if (rows == open_rows) {
    if (cols == open_cols) v = v == 0.0f ? 1.0f : 0.0f;  // differs from every x, NaN too
  }
  y[i] = v;
}

inline void gate_two_dims(const float* x, float* y, int rows, int cols, int open_rows, int open_cols,
                          cudaStream_t stream) {
  gate_two_dims_kernel<<<(cols + 63) / 64, 64, 0, stream>>>(x, y, rows, cols, open_rows, open_cols);
}
