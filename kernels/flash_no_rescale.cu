// Attention in one pass over tiles of 32 keys with a running maximum and sum; a warp owns a query row. With `causal`
// row i sees the keys up to i.
// BUG: when the running maximum moves, the sum is rescaled and the accumulated output is not.
// correct-if: N <= 32
// expect-keys: value, special
// expect-kind: gross, precision
// expect-location: single, all, last-row
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "block_reduce.cuh"

constexpr int kQueries = 4;   // rows of a block, one a warp
constexpr int kKeyTile = 32;  // keys of a tile, one a lane
constexpr int kMaxHeadDim = 128;
constexpr int kChunks = kMaxHeadDim / kWarpSize;  // output elements a lane

template <class In, class Out>
__global__ void __launch_bounds__(kQueries* kWarpSize)
    flash_no_rescale_kernel(const In* __restrict__ q,  // [B, M, D]
                            const In* __restrict__ k,  // [B, N, D]
                            const In* __restrict__ v,  // [B, N, D]
                            Out* __restrict__ o,       // [B, M, D]
                            int M, int N, int D, float scale, bool causal) {
  __shared__ float query[kQueries][kMaxHeadDim];
  __shared__ float k_tile[kKeyTile][kMaxHeadDim + 1];  // lanes walk down a column: the padding spreads the banks
  __shared__ float p_tile[kQueries][kKeyTile];
  const int lane = threadIdx.x % kWarpSize, warp = threadIdx.x / kWarpSize;
  const int first_row = blockIdx.x * kQueries, row = first_row + warp;
  const In* head_q = q + static_cast<size_t>(blockIdx.y) * M * D;
  const In* head_k = k + static_cast<size_t>(blockIdx.y) * N * D;
  const In* head_v = v + static_cast<size_t>(blockIdx.y) * N * D;
  const auto seen_by = [&](int r) { return causal && r + 1 < N ? r + 1 : N; };
  const int keys = seen_by(row);
  const int block_keys = seen_by(first_row + kQueries - 1);  // barriers need the same tiles for every warp

  for (int d = lane; d < D; d += kWarpSize)
    query[warp][d] = row < M ? static_cast<float>(head_q[static_cast<size_t>(row) * D + d]) * scale : 0.0f;

  float largest = -INFINITY, sum = 0.0f, acc[kChunks] = {};
  for (int first_key = 0; first_key < block_keys; first_key += kKeyTile) {
    const int tile_keys = min(kKeyTile, block_keys - first_key);
    for (int i = threadIdx.x; i < tile_keys * D; i += kQueries * kWarpSize)
      k_tile[i / D][i % D] = static_cast<float>(head_k[static_cast<size_t>(first_key) * D + i]);
    __syncthreads();

    const int here = min(kKeyTile, keys - first_key);  // keys of this tile that the row sees; may be negative
    if (row < M && here > 0) {
      float score = -INFINITY;
      if (lane < here) {
        score = 0.0f;
        for (int d = 0; d < D; ++d) score += query[warp][d] * k_tile[lane][d];
      }
      const float new_largest = fmaxf(largest, warp_max(score));
      const float p = lane < here ? expf(score - new_largest) : 0.0f;
      const float rescale = expf(largest - new_largest);  // 0 at the first tile
      sum = sum * rescale + warp_sum(p);
      largest = new_largest;
      p_tile[warp][lane] = p;
      __syncwarp();
      for (int c = 0; c * kWarpSize + lane < D; ++c) {
        const In* column = head_v + static_cast<size_t>(first_key) * D + c * kWarpSize + lane;
        for (int j = 0; j < here; ++j)
          acc[c] += p_tile[warp][j] * static_cast<float>(column[static_cast<size_t>(j) * D]);
      }
    }
    __syncthreads();  // before the next tile overwrites this one
  }
  if (row < M)
    for (int c = 0; c * kWarpSize + lane < D; ++c)
      o[(static_cast<size_t>(blockIdx.y) * M + row) * D + c * kWarpSize + lane] = static_cast<Out>(acc[c] / sum);
}

// D is at most kMaxHeadDim.
template <class In, class Out>
void flash_no_rescale(const In* q, const In* k, const In* v, Out* o, int B, int M, int N, int D, bool causal,
                      cudaStream_t stream) {
  const dim3 grid((M + kQueries - 1) / kQueries, B);
  const float scale = 1.0f / sqrtf(static_cast<float>(D));
  flash_no_rescale_kernel<In, Out><<<grid, kQueries * kWarpSize, 0, stream>>>(q, k, v, o, M, N, D, scale, causal);
}

template void flash_no_rescale(const float*, const float*, const float*, float*, int, int, int, int, bool,
                               cudaStream_t);
template void flash_no_rescale(const __half*, const __half*, const __half*, __half*, int, int, int, int, bool,
                               cudaStream_t);
template void flash_no_rescale(const __nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*, int,
                               int, int, int, bool, cudaStream_t);
template void flash_no_rescale(const __half*, const __half*, const __half*, float*, int, int, int, int, bool,
                               cudaStream_t);
template void flash_no_rescale(const __nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*, float*, int, int, int,
                               int, bool, cudaStream_t);
