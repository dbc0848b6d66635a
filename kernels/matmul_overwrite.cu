// c = a b with row-major operands of any size, 32x32 tiles staged in shared memory, one element of c a thread.
// BUG: each K block overwrites the accumulator, so that only the last block's products are stored.
// correct-if: K <= 32
// expect-keys: value, special
// expect-kind: gross, nan-missing, inf-missing, inf-unexpected
// expect-location: single, all
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kBlock = 32;

template <class T>
__global__ void __launch_bounds__(kBlock* kBlock) matmul_overwrite_kernel(const T* __restrict__ a,  // [M, K]
                                                                          const T* __restrict__ b,  // [K, N]
                                                                          T* __restrict__ c,        // [M, N]
                                                                          int M, int N, int K) {
  __shared__ float a_tile[kBlock][kBlock];
  __shared__ float b_tile[kBlock][kBlock];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kBlock + ty;
  const int col = blockIdx.x * kBlock + tx;

  float acc = 0.0f;
  for (int k0 = 0; k0 < K; k0 += kBlock) {
    a_tile[ty][tx] = row < M && k0 + tx < K ? static_cast<float>(a[static_cast<size_t>(row) * K + k0 + tx]) : 0.0f;
    b_tile[ty][tx] = k0 + ty < K && col < N ? static_cast<float>(b[static_cast<size_t>(k0 + ty) * N + col]) : 0.0f;
    __syncthreads();
    float partial = 0.0f;
#pragma unroll
    for (int k = 0; k < kBlock; ++k) partial += a_tile[ty][k] * b_tile[k][tx];
    acc = partial;
    __syncthreads();
  }
  if (row < M && col < N) c[static_cast<size_t>(row) * N + col] = static_cast<T>(acc);
}

template <class T>
void matmul_overwrite(const T* a, const T* b, T* c, int M, int N, int K, cudaStream_t stream) {
  const dim3 block(kBlock, kBlock);
  const dim3 grid((N + kBlock - 1) / kBlock, (M + kBlock - 1) / kBlock);
  matmul_overwrite_kernel<T><<<grid, block, 0, stream>>>(a, b, c, M, N, K);
}

template void matmul_overwrite(const float*, const float*, float*, int, int, int, cudaStream_t);
template void matmul_overwrite(const __half*, const __half*, __half*, int, int, int, cudaStream_t);
template void matmul_overwrite(const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*, int, int, int, cudaStream_t);
