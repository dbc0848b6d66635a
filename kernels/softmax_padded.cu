// Row softmax over a row that is first copied to shared memory, padded to a multiple of 128 so that the loops need no
// bounds check.
// BUG: the padding is 0, not -inf, and both reductions run over it: every padded column adds exp(0 - max) to the sum.
// correct-if: cols % 128 == 0
// expect-keys: value
// expect-kind: gross
// expect-location: single
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "block_reduce.cuh"

constexpr int kPaddedThreads = 128;

template <class T>
__global__ void softmax_padded_kernel(const T* __restrict__ x,  // [rows, cols]
                                      T* __restrict__ y,        // [rows, cols]
                                      int cols, int padded_cols) {
  extern __shared__ float padded[];  // [padded_cols]
  const T* row = x + static_cast<size_t>(blockIdx.x) * cols;
  T* out = y + static_cast<size_t>(blockIdx.x) * cols;

  // Each thread reads back only the elements that it wrote: no barrier is needed before the reductions.
  for (int i = threadIdx.x; i < padded_cols; i += kPaddedThreads)
    padded[i] = i < cols ? static_cast<float>(row[i]) : 0.0f;

  float largest = -INFINITY;
  for (int i = threadIdx.x; i < padded_cols; i += kPaddedThreads) largest = fmaxf(largest, padded[i]);
  largest = block_max<kPaddedThreads>(largest);

  float sum = 0.0f;
  for (int i = threadIdx.x; i < padded_cols; i += kPaddedThreads) {
    padded[i] = expf(padded[i] - largest);
    sum += padded[i];
  }
  sum = block_sum<kPaddedThreads>(sum);

  for (int i = threadIdx.x; i < cols; i += kPaddedThreads) out[i] = static_cast<T>(padded[i] / sum);
}

template <class T>
void softmax_padded(const T* x, T* y, int rows, int cols, cudaStream_t stream) {
  const int padded_cols = (cols + kPaddedThreads - 1) / kPaddedThreads * kPaddedThreads;
  softmax_padded_kernel<T><<<rows, kPaddedThreads, padded_cols * sizeof(float), stream>>>(x, y, cols, padded_cols);
}

template void softmax_padded(const float*, float*, int, int, cudaStream_t);
template void softmax_padded(const __half*, __half*, int, int, cudaStream_t);
template void softmax_padded(const __nv_bfloat16*, __nv_bfloat16*, int, int, cudaStream_t);
