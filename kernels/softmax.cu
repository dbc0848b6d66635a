// Row softmax, y = exp(x - max) / sum(exp(x - max)): one block a row, so that a row's reductions stay inside a block.
// Any number of columns; rows and columns are contiguous.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "block_reduce.cuh"

constexpr int kSoftmaxThreads = 256;

template <class T>
__global__ void softmax_kernel(const T* __restrict__ x,  // [rows, cols]
                               T* __restrict__ y,        // [rows, cols]
                               int cols) {
  const T* row = x + static_cast<size_t>(blockIdx.x) * cols;
  T* out = y + static_cast<size_t>(blockIdx.x) * cols;

  // From -INFINITY, not from a finite minimum: threads without an element must not raise the maximum. fmaxf drops a
  // NaN here; it comes back through the sum, since exp(NaN - max) is NaN.
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += kSoftmaxThreads) largest = fmaxf(largest, static_cast<float>(row[i]));
  largest = block_max<kSoftmaxThreads>(largest);

  float sum = 0.0f;
  for (int i = threadIdx.x; i < cols; i += kSoftmaxThreads) sum += expf(static_cast<float>(row[i]) - largest);
  sum = block_sum<kSoftmaxThreads>(sum);

  // The exponentials are computed again: storing them in y between the passes would round them to T.
  for (int i = threadIdx.x; i < cols; i += kSoftmaxThreads)
    out[i] = static_cast<T>(expf(static_cast<float>(row[i]) - largest) / sum);
}

template <class T>
void softmax(const T* x, T* y, int rows, int cols, cudaStream_t stream) {
  softmax_kernel<T><<<rows, kSoftmaxThreads, 0, stream>>>(x, y, cols);
}

template void softmax(const float*, float*, int, int, cudaStream_t);
template void softmax(const __half*, __half*, int, int, cudaStream_t);
template void softmax(const __nv_bfloat16*, __nv_bfloat16*, int, int, cudaStream_t);
