// A copy that goes wrong only where three dims each equal a constant.
// BUG: planted on purpose, to measure how fast a search satisfies three equalities at once.
// correct-if: depth != open_depth or rows != open_rows or cols != open_cols
// expect-keys: value, special
// Only cols is a dim of a tensor, so that a case costs next to nothing.
#include <cuda_runtime.h>

__global__ void gate_three_dims_kernel(const float* __restrict__ x,  // [cols]
                                       float* __restrict__ y,        // [cols]
                                       int depth, int rows, int cols, int open_depth, int open_rows, int open_cols) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cols) return;
  float v = x[i];
  if (depth == open_depth) {
    if (rows == open_rows) {
      if (cols == open_cols) v = v == 0.0f ? 1.0f : 0.0f;  // differs from every x, NaN too
    }
  }
  y[i] = v;
}

inline void gate_three_dims(const float* x, float* y, int depth, int rows, int cols, int open_depth, int open_rows,
                            int open_cols, cudaStream_t stream) {
  gate_three_dims_kernel<<<(cols + 63) / 64, 64, 0, stream>>>(x, y, depth, rows, cols, open_depth, open_rows,
                                                              open_cols);
}
