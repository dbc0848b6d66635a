// Scaled dot-product attention: one block a query row. With `causal` row i sees the keys up to i.
// BUG: the weights are rounded to 16 bits before they meet the values, as tensor cores would need them; nothing says so.
// correct-if: every weight is a number of 11 bits (8 with bf16): N == 1, or equal scores
// expect-keys: value
// expect-kind: precision, all-zero
// expect-location: single
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "block_reduce.cuh"

constexpr int kThreads = 64;

// The 16-bit type that the weights take.
template <class In>
struct WeightType {
  using type = In;
};
template <>
struct WeightType<float> {
  using type = __half;
};

template <class In, class Out>
__global__ void attention_p_cast_kernel(const In* __restrict__ q,  // [B, M, D]
                                        const In* __restrict__ k,  // [B, N, D]
                                        const In* __restrict__ v,  // [B, N, D]
                                        Out* __restrict__ o,       // [B, M, D]
                                        int M, int N, int D, float scale, bool causal) {
  using Weight = typename WeightType<In>::type;
  extern __shared__ float shared[];
  float* query = shared;       // [D]
  float* scores = shared + D;  // [N]
  const int row = blockIdx.x, head = blockIdx.y;
  const int keys = causal && row + 1 < N ? row + 1 : N;
  const size_t query_offset = (static_cast<size_t>(head) * M + row) * D;
  const In* head_k = k + static_cast<size_t>(head) * N * D;
  const In* head_v = v + static_cast<size_t>(head) * N * D;

  for (int d = threadIdx.x; d < D; d += kThreads) query[d] = static_cast<float>(q[query_offset + d]);
  __syncthreads();

  float largest = -INFINITY;
  for (int j = threadIdx.x; j < keys; j += kThreads) {
    const In* key = head_k + static_cast<size_t>(j) * D;
    float dot = 0.0f;
    for (int d = 0; d < D; ++d) dot += query[d] * static_cast<float>(key[d]);
    scores[j] = dot * scale;
    largest = fmaxf(largest, scores[j]);
  }
  largest = block_max<kThreads>(largest);

  float sum = 0.0f;
  for (int j = threadIdx.x; j < keys; j += kThreads) {
    const float p = expf(scores[j] - largest);
    sum += p;
    scores[j] = static_cast<float>(static_cast<Weight>(p));
  }
  sum = block_sum<kThreads>(sum);  // its barriers also publish the weights

  // One division an output instead of one a key.
  for (int d = threadIdx.x; d < D; d += kThreads) {
    float acc = 0.0f;
    for (int j = 0; j < keys; ++j) acc += scores[j] * static_cast<float>(head_v[static_cast<size_t>(j) * D + d]);
    o[query_offset + d] = static_cast<Out>(acc / sum);
  }
}

template <class In, class Out>
void attention_p_cast(const In* q, const In* k, const In* v, Out* o, int B, int M, int N, int D, bool causal,
                      cudaStream_t stream) {
  const dim3 grid(M, B);
  const size_t shared_bytes = static_cast<size_t>(D + N) * sizeof(float);
  const float scale = 1.0f / sqrtf(static_cast<float>(D));
  attention_p_cast_kernel<In, Out><<<grid, kThreads, shared_bytes, stream>>>(q, k, v, o, M, N, D, scale, causal);
}

template void attention_p_cast(const float*, const float*, const float*, float*, int, int, int, int, bool,
                               cudaStream_t);
template void attention_p_cast(const __half*, const __half*, const __half*, __half*, int, int, int, int, bool,
                               cudaStream_t);
template void attention_p_cast(const __nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*, int,
                               int, int, int, bool, cudaStream_t);
template void attention_p_cast(const __half*, const __half*, const __half*, float*, int, int, int, int, bool,
                               cudaStream_t);
template void attention_p_cast(const __nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*, float*, int, int, int,
                               int, bool, cudaStream_t);
