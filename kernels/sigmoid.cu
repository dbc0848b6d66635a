// Sigmoid, y = 1 / (1 + exp(-x)), over a grid-stride loop, so that one launch shape serves every size.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kSigmoidThreads = 256;
constexpr int kSigmoidBlocks = 16;

template <class T>
__global__ void sigmoid_kernel(const T* __restrict__ x,  // [n]
                               T* __restrict__ y,        // [n]
                               int n) {
  for (int i = blockIdx.x * kSigmoidThreads + threadIdx.x; i < n; i += gridDim.x * kSigmoidThreads)
    y[i] = static_cast<T>(1.0f / (1.0f + expf(-static_cast<float>(x[i]))));
}

template <class T>
void sigmoid(const T* x, T* y, int n, cudaStream_t stream) {
  const int needed = (n + kSigmoidThreads - 1) / kSigmoidThreads;
  const int blocks = needed < kSigmoidBlocks ? needed : kSigmoidBlocks;
  sigmoid_kernel<T><<<blocks, kSigmoidThreads, 0, stream>>>(x, y, n);
}

template void sigmoid(const float*, float*, int, cudaStream_t);
template void sigmoid(const __half*, __half*, int, cudaStream_t);
template void sigmoid(const __nv_bfloat16*, __nv_bfloat16*, int, cudaStream_t);
