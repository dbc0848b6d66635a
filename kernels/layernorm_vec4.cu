// Layer normalisation with one thread a row that moves four elements at a time: 16-byte accesses for float, 8-byte ones
// for the 16-bit types. cols must be a multiple of 4 and every tensor aligned to its vector. gamma and beta may be
// null.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "vec4.cuh"

constexpr int kVec4Threads = 64;

template <class T>
__global__ void layernorm_vec4_kernel(const T* __restrict__ x,      // [rows, cols]
                                      const T* __restrict__ gamma,  // [cols] or null
                                      const T* __restrict__ beta,   // [cols] or null
                                      T* __restrict__ y,            // [rows, cols]
                                      int rows, int cols, float eps) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  const T* row = x + static_cast<size_t>(r) * cols;
  T* out = y + static_cast<size_t>(r) * cols;

  // One accumulator a lane: four independent chains hide the latency of the additions.
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  for (int i = 0; i < cols; i += 4) {
    const float4 v = load4(row + i);
    sum.x += v.x;
    sum.y += v.y;
    sum.z += v.z;
    sum.w += v.w;
  }
  const float mean = ((sum.x + sum.y) + (sum.z + sum.w)) / cols;

  float4 squares = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  for (int i = 0; i < cols; i += 4) {
    const float4 v = load4(row + i);
    squares.x += (v.x - mean) * (v.x - mean);
    squares.y += (v.y - mean) * (v.y - mean);
    squares.z += (v.z - mean) * (v.z - mean);
    squares.w += (v.w - mean) * (v.w - mean);
  }
  const float variance = ((squares.x + squares.y) + (squares.z + squares.w)) / cols;
  const float rstd = rsqrtf(variance + eps);

  for (int i = 0; i < cols; i += 4) {
    float4 v = load4(row + i);
    v = make_float4((v.x - mean) * rstd, (v.y - mean) * rstd, (v.z - mean) * rstd, (v.w - mean) * rstd);
    if (gamma) {
      const float4 g = load4(gamma + i);
      v = make_float4(v.x * g.x, v.y * g.y, v.z * g.z, v.w * g.w);
    }
    if (beta) {
      const float4 b = load4(beta + i);
      v = make_float4(v.x + b.x, v.y + b.y, v.z + b.z, v.w + b.w);
    }
    store4(out + i, v);
  }
}

template <class T>
void layernorm_vec4(const T* x, const T* gamma, const T* beta, T* y, int rows, int cols, float eps,
                    cudaStream_t stream) {
  const int blocks = (rows + kVec4Threads - 1) / kVec4Threads;
  layernorm_vec4_kernel<T><<<blocks, kVec4Threads, 0, stream>>>(x, gamma, beta, y, rows, cols, eps);
}

template void layernorm_vec4(const float*, const float*, const float*, float*, int, int, float, cudaStream_t);
template void layernorm_vec4(const __half*, const __half*, const __half*, __half*, int, int, float, cudaStream_t);
template void layernorm_vec4(const __nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*, int, int,
                             float, cudaStream_t);
