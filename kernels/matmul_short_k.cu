// c = a b with row-major operands: a block computes 128 neighbours of one row of c. It stages the row of a in shared
// memory, in chunks, so that a chunk is read once for all columns; b is read coalesced. Sums are fp32.
// BUG: the number of chunks is rounded down, so that what K has beyond whole chunks is left out.
// correct-if: K is at most one chunk of 1024
// expect-keys: value, special
// expect-kind: precision, gross, const-ratio, all-zero, nan-missing, inf-missing
// expect-location: single, all, last-row, last-col, first, rows, cols, sparse, interior, tail-block
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kShortKThreads = 128;
constexpr int kShortKChunk = 1024;

template <class T>
__global__ void matmul_short_k_kernel(const T* __restrict__ a,  // [M, K]
                                      const T* __restrict__ b,  // [K, N]
                                      T* __restrict__ c,        // [M, N]
                                      int N, int K) {
  __shared__ float a_chunk[kShortKChunk];
  const int row = blockIdx.y;
  const int col = blockIdx.x * kShortKThreads + threadIdx.x;

  float acc = 0.0f;
  const int chunks = K < kShortKChunk ? 1 : K / kShortKChunk;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const int k0 = chunk * kShortKChunk;
    const int count = min(K - k0, kShortKChunk);
    for (int k = threadIdx.x; k < count; k += kShortKThreads)
      a_chunk[k] = static_cast<float>(a[static_cast<size_t>(row) * K + k0 + k]);
    __syncthreads();
    if (col < N)
      for (int k = 0; k < count; ++k) acc += a_chunk[k] * static_cast<float>(b[static_cast<size_t>(k0 + k) * N + col]);
    __syncthreads();  // before the next chunk overwrites this one
  }
  if (col < N) c[static_cast<size_t>(row) * N + col] = static_cast<T>(acc);
}

template <class T>
void matmul_short_k(const T* a, const T* b, T* c, int M, int N, int K, cudaStream_t stream) {
  const dim3 grid((N + kShortKThreads - 1) / kShortKThreads, M);
  matmul_short_k_kernel<T><<<grid, kShortKThreads, 0, stream>>>(a, b, c, N, K);
}

template void matmul_short_k(const float*, const float*, float*, int, int, int, cudaStream_t);
template void matmul_short_k(const __half*, const __half*, __half*, int, int, int, cudaStream_t);
template void matmul_short_k(const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*, int, int, int, cudaStream_t);
