// c = a b with row-major 16-bit operands of any size: a block computes a 16x16 tile of c and walks K in tiles that it
// stages in shared memory.
// BUG: the sum is kept in the operands' 16-bit type, where fp32 is expected: nothing declares it.
// correct-if: every product and partial sum is a number of 11 bits (8 with bf16), as with small whole numbers
// expect-keys: value, special
// expect-kind: gross, precision, all-zero, inf-unexpected
// expect-location: single
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kTile = 16;

template <class In, class Out>
__global__ void matmul_acc16_kernel(const In* __restrict__ a,  // [M, K]
                                    const In* __restrict__ b,  // [K, N]
                                    Out* __restrict__ c,       // [M, N]
                                    int M, int N, int K) {
  __shared__ In a_tile[kTile][kTile];
  __shared__ In b_tile[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty;
  const int col = blockIdx.x * kTile + tx;

  In acc = static_cast<In>(0.0f);
  for (int k0 = 0; k0 < K; k0 += kTile) {
    // Outside the matrices both factors are 0, so that the product is 0 whatever the other operand holds.
    a_tile[ty][tx] = row < M && k0 + tx < K ? a[static_cast<size_t>(row) * K + k0 + tx] : static_cast<In>(0.0f);
    b_tile[ty][tx] = k0 + ty < K && col < N ? b[static_cast<size_t>(k0 + ty) * N + col] : static_cast<In>(0.0f);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) acc = __hfma(a_tile[ty][k], b_tile[k][tx], acc);
    __syncthreads();  // before the next tile overwrites this one
  }
  if (row < M && col < N) c[static_cast<size_t>(row) * N + col] = static_cast<Out>(static_cast<float>(acc));
}

template <class In, class Out>
void matmul_acc16(const In* a, const In* b, Out* c, int M, int N, int K, cudaStream_t stream) {
  const dim3 block(kTile, kTile);
  const dim3 grid((N + kTile - 1) / kTile, (M + kTile - 1) / kTile);
  matmul_acc16_kernel<In, Out><<<grid, block, 0, stream>>>(a, b, c, M, N, K);
}

template void matmul_acc16(const __half*, const __half*, __half*, int, int, int, cudaStream_t);
template void matmul_acc16(const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*, int, int, int, cudaStream_t);
template void matmul_acc16(const __half*, const __half*, float*, int, int, int, cudaStream_t);
template void matmul_acc16(const __nv_bfloat16*, const __nv_bfloat16*, float*, int, int, int, cudaStream_t);
