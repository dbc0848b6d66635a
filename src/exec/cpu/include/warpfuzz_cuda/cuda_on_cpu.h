// CUDA C++ as ordinary C++ for the CPU executor: read before a kernel's source (-include). Needs -fdeclspec.
#pragma once
// The order of the includes matters.
// clang-format off
#ifndef __cplusplus
#error "warpfuzz: kernels are compiled as C++"
#endif
#ifdef __CUDACC__
#error "warpfuzz: warpfuzz_cuda/cuda_on_cpu.h is for host compilers, not for nvcc"
#endif
#define WARPFUZZ_CUDA_ON_CPU 1

#include "warpfuzz_cuda/standard.h"
#include "exec/cpu/executor.h"

// NVIDIA's headers as a host compiler sees them, but for those that a source may still include: they declare the index
// built-ins as other types, or inline functions for nvcc alone.
#define __DEVICE_LAUNCH_PARAMETERS_H__
#define CURAND_MTGP32_KERNEL_H
#define __DEVICE_FUNCTIONS_HPP__
// Functions of theirs that runtime.h and unsupported.h replace go by another name.
#define cudaLaunchKernelEx __warpfuzz_hidden_cudaLaunchKernelEx
#define cudaLaunchCooperativeKernel __warpfuzz_hidden_cudaLaunchCooperativeKernel
#define cudaOccupancyMaxActiveClusters __warpfuzz_hidden_cudaOccupancyMaxActiveClusters
#define cudaOccupancyMaxPotentialClusterSize __warpfuzz_hidden_cudaOccupancyMaxPotentialClusterSize
#include <cuda_runtime.h>
#undef cudaLaunchKernelEx
#undef cudaLaunchCooperativeKernel
#undef cudaOccupancyMaxActiveClusters
#undef cudaOccupancyMaxPotentialClusterSize
#include <cuda_fp16.h>
#include <cuda_bf16.h>

#include "warpfuzz_cuda/builtins.h"
#include "warpfuzz_cuda/sync.h"
#include "warpfuzz_cuda/atomics.h"
#include "warpfuzz_cuda/memory.h"
#include "warpfuzz_cuda/bits.h"
#include "warpfuzz_cuda/simd.h"
#include "warpfuzz_cuda/cast.h"
#include "warpfuzz_cuda/fast_math.h"
#include "warpfuzz_cuda/device_math.h"
#include "warpfuzz_cuda/half.h"
#include "warpfuzz_cuda/bfloat16.h"
#include "warpfuzz_cuda/kernel_call.h"
#include "warpfuzz_cuda/shared.h"
#include "warpfuzz_cuda/runtime.h"
#include "warpfuzz_cuda/unsupported.h"
#include <assert.h>
#include "warpfuzz_cuda/marks.h"  // last: from here on the keywords are marks for the rewriter
