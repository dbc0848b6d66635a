// c = a b with instruction-level parallelism and a split of K: one element of c a thread and K slice, four accumulators
// in flight, and two slices that add into an fp32 workspace. A second kernel converts the workspace to T: atomics on
// 16-bit sums would round at every addition.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kIlpTile = 16;
constexpr int kSlices = 2;
constexpr int kConvertThreads = 256;

template <class T>
__global__ void matmul_ilp_kernel(const T* __restrict__ a,        // [M, K]
                                  const T* __restrict__ b,        // [K, N]
                                  float* __restrict__ workspace,  // [M, N], zero before the launch
                                  int M, int N, int K) {
  const int row = blockIdx.y * kIlpTile + threadIdx.y;
  const int col = blockIdx.x * kIlpTile + threadIdx.x;
  if (row >= M || col >= N) return;

  const int slice = (K + kSlices - 1) / kSlices;
  const int begin = blockIdx.z * slice;
  const int end = begin + slice < K ? begin + slice : K;
  const T* a_row = a + static_cast<size_t>(row) * K;
  const auto product = [&](int k) {
    return static_cast<float>(a_row[k]) * static_cast<float>(b[static_cast<size_t>(k) * N + col]);
  };

  float acc0 = 0.0f, acc1 = 0.0f, acc2 = 0.0f, acc3 = 0.0f;
  int k = begin;
  for (; k + 3 < end; k += 4) {
    acc0 += product(k);
    acc1 += product(k + 1);
    acc2 += product(k + 2);
    acc3 += product(k + 3);
  }
  for (; k < end; ++k) acc0 += product(k);
  atomicAdd(&workspace[static_cast<size_t>(row) * N + col], (acc0 + acc1) + (acc2 + acc3));
}

template <class T>
__global__ void convert_kernel(const float* __restrict__ workspace,  // [n]
                               T* __restrict__ c,                    // [n]
                               int n) {
  const int i = blockIdx.x * kConvertThreads + threadIdx.x;
  if (i < n) c[i] = static_cast<T>(workspace[i]);
}

template <class T>
void matmul_ilp(const T* a, const T* b, T* c, float* workspace, int M, int N, int K, cudaStream_t stream) {
  cudaMemsetAsync(workspace, 0, sizeof(float) * M * N, stream);
  const dim3 block(kIlpTile, kIlpTile);
  const dim3 grid((N + kIlpTile - 1) / kIlpTile, (M + kIlpTile - 1) / kIlpTile, kSlices);
  matmul_ilp_kernel<T><<<grid, block, 0, stream>>>(a, b, workspace, M, N, K);
  const int n = M * N;
  convert_kernel<T><<<(n + kConvertThreads - 1) / kConvertThreads, kConvertThreads, 0, stream>>>(workspace, c, n);
}

template void matmul_ilp(const float*, const float*, float*, float*, int, int, int, cudaStream_t);
template void matmul_ilp(const __half*, const __half*, __half*, float*, int, int, int, cudaStream_t);
template void matmul_ilp(const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*, float*, int, int, int,
                         cudaStream_t);
