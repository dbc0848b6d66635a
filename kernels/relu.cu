// ReLU, y = max(x, 0), two neighbouring elements a thread, in the packed type of each dtype: no conversion. NaN becomes 0.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kReluThreads = 256;

template <class T>
struct Packed;
template <>
struct Packed<float> {
  using Pair = float2;
};
template <>
struct Packed<__half> {
  using Pair = __half2;
};
template <>
struct Packed<__nv_bfloat16> {
  using Pair = __nv_bfloat162;
};

__device__ __forceinline__ float2 positive(float2 v) { return make_float2(fmaxf(v.x, 0.0f), fmaxf(v.y, 0.0f)); }
__device__ __forceinline__ __half2 positive(__half2 v) { return __hmax2(v, __float2half2_rn(0.0f)); }
__device__ __forceinline__ __nv_bfloat162 positive(__nv_bfloat162 v) { return __hmax2(v, __float2bfloat162_rn(0.0f)); }

template <class T>
__global__ void relu_kernel(const T* __restrict__ x,  // [n]
                            T* __restrict__ y,        // [n]
                            int n) {
  using Pair = typename Packed<T>::Pair;
  const int pair = blockIdx.x * kReluThreads + threadIdx.x;
  if (pair < n / 2) {
    reinterpret_cast<Pair*>(y)[pair] = positive(reinterpret_cast<const Pair*>(x)[pair]);
  } else if (2 * pair < n) {  // an odd n leaves one element
    y[n - 1] = static_cast<T>(fmaxf(static_cast<float>(x[n - 1]), 0.0f));
  }
}

template <class T>
void relu(const T* x, T* y, int n, cudaStream_t stream) {
  constexpr int kPerBlock = 2 * kReluThreads;
  relu_kernel<T><<<(n + kPerBlock - 1) / kPerBlock, kReluThreads, 0, stream>>>(x, y, n);
}

template void relu(const float*, float*, int, cudaStream_t);
template void relu(const __half*, __half*, int, cudaStream_t);
template void relu(const __nv_bfloat16*, __nv_bfloat16*, int, cudaStream_t);
