// SiLU, one element a thread.
// BUG: the sigmoid's argument is doubled, y = x * sigmoid(2x), as where one tanh form is mixed up with another.
// correct-if: every x is 0 or so large that the sigmoid is 0 or 1
// expect-keys: value
// expect-kind: precision, gross, const-ratio
// expect-location: single, all
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kDoubleArgThreads = 256;

template <class T>
__global__ void silu_double_arg_kernel(const T* __restrict__ x,  // [n]
                                       T* __restrict__ y,        // [n]
                                       int n) {
  const int i = blockIdx.x * kDoubleArgThreads + threadIdx.x;
  if (i >= n) return;
  const float v = static_cast<float>(x[i]);
  y[i] = static_cast<T>(v / (1.0f + expf(-2.0f * v)));
}

template <class T>
void silu_double_arg(const T* x, T* y, int n, cudaStream_t stream) {
  const int blocks = (n + kDoubleArgThreads - 1) / kDoubleArgThreads;
  silu_double_arg_kernel<T><<<blocks, kDoubleArgThreads, 0, stream>>>(x, y, n);
}

template void silu_double_arg(const float*, float*, int, cudaStream_t);
template void silu_double_arg(const __half*, __half*, int, cudaStream_t);
template void silu_double_arg(const __nv_bfloat16*, __nv_bfloat16*, int, cudaStream_t);
