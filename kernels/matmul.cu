// c = a b with row-major operands of any size: a block computes a 16x16 tile of c and walks K in tiles that it stages
// in shared memory. Products and sums are fp32, rounded once to the output's type.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kTile = 16;

template <class In, class Out>
__global__ void matmul_kernel(const In* __restrict__ a,  // [M, K]
                              const In* __restrict__ b,  // [K, N]
                              Out* __restrict__ c,       // [M, N]
                              int M, int N, int K) {
  __shared__ float a_tile[kTile][kTile];
  __shared__ float b_tile[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty;
  const int col = blockIdx.x * kTile + tx;

  float acc = 0.0f;
  for (int k0 = 0; k0 < K; k0 += kTile) {
    // Outside the matrices both factors are 0, so that the product is 0 whatever the other operand holds.
    a_tile[ty][tx] = row < M && k0 + tx < K ? static_cast<float>(a[static_cast<size_t>(row) * K + k0 + tx]) : 0.0f;
    b_tile[ty][tx] = k0 + ty < K && col < N ? static_cast<float>(b[static_cast<size_t>(k0 + ty) * N + col]) : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) acc += a_tile[ty][k] * b_tile[k][tx];
    __syncthreads();  // before the next tile overwrites this one
  }
  if (row < M && col < N) c[static_cast<size_t>(row) * N + col] = static_cast<Out>(acc);
}

template <class In, class Out>
void matmul(const In* a, const In* b, Out* c, int M, int N, int K, cudaStream_t stream) {
  const dim3 block(kTile, kTile);
  const dim3 grid((N + kTile - 1) / kTile, (M + kTile - 1) / kTile);
  matmul_kernel<In, Out><<<grid, block, 0, stream>>>(a, b, c, M, N, K);
}

template void matmul(const float*, const float*, float*, int, int, int, cudaStream_t);
template void matmul(const __half*, const __half*, __half*, int, int, int, cudaStream_t);
template void matmul(const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*, int, int, int, cudaStream_t);
template void matmul(const __half*, const __half*, float*, int, int, int, cudaStream_t);
template void matmul(const __nv_bfloat16*, const __nv_bfloat16*, float*, int, int, int, cudaStream_t);
