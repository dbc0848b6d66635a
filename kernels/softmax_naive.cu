// Row softmax with one thread a row, for matrices of many short rows: no shared memory, no barrier.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kNaiveThreads = 64;

template <class T>
__global__ void softmax_naive_kernel(const T* __restrict__ x,  // [rows, cols]
                                     T* __restrict__ y,        // [rows, cols]
                                     int rows, int cols) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  const T* row = x + static_cast<size_t>(r) * cols;
  T* out = y + static_cast<size_t>(r) * cols;

  float largest = -INFINITY;
  for (int i = 0; i < cols; ++i) largest = fmaxf(largest, static_cast<float>(row[i]));
  float sum = 0.0f;
  for (int i = 0; i < cols; ++i) sum += expf(static_cast<float>(row[i]) - largest);
  for (int i = 0; i < cols; ++i) out[i] = static_cast<T>(expf(static_cast<float>(row[i]) - largest) / sum);
}

template <class T>
void softmax_naive(const T* x, T* y, int rows, int cols, cudaStream_t stream) {
  const int blocks = (rows + kNaiveThreads - 1) / kNaiveThreads;
  softmax_naive_kernel<T><<<blocks, kNaiveThreads, 0, stream>>>(x, y, rows, cols);
}

template void softmax_naive(const float*, float*, int, int, cudaStream_t);
template void softmax_naive(const __half*, __half*, int, int, cudaStream_t);
template void softmax_naive(const __nv_bfloat16*, __nv_bfloat16*, int, int, cudaStream_t);
