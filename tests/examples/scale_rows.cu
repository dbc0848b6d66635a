// y = x * w + shift, one weight a row: one thread an element.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

template <class T>
__global__ void scale_rows_kernel(const T* __restrict__ x,  // [rows, cols]
                                  const T* __restrict__ w,  // [rows]
                                  T* __restrict__ y,        // [rows, cols]
                                  int rows, int cols, float shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * cols) y[i] = static_cast<T>(static_cast<float>(x[i]) * static_cast<float>(w[i / cols]) + shift);
}

template <class T>
void scale_rows(const T* x, const T* w, T* y, int rows, int cols, float shift, cudaStream_t stream) {
  scale_rows_kernel<T><<<(rows * cols + 255) / 256, 256, 0, stream>>>(x, w, y, rows, cols, shift);
}
