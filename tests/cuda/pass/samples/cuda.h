// As much of CUDA as the samples need, so that each compiles in a moment.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(n) __attribute__((launch_bounds(n)))
inline __device__ int thread_index() { return static_cast<int>(__nvvm_read_ptx_sreg_tid_x()); }
inline __device__ int block_index() { return static_cast<int>(__nvvm_read_ptx_sreg_ctaid_x()); }
typedef float Float4 __attribute__((ext_vector_type(4)));
struct alignas(16) float4 { float x, y, z, w; };

// What a kernel's host half calls.
struct dim3 { unsigned x, y, z; };
extern "C" int cudaLaunchKernel(const void*, dim3, dim3, void**, unsigned long, void*);
extern "C" int __cudaPushCallConfiguration(dim3, dim3, unsigned long, void*);
extern "C" int __cudaPopCallConfiguration(dim3*, dim3*, unsigned long*, void*);
