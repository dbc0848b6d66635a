// CUDA's declaration keywords. Those that the source rewriter acts on become marks, which it always replaces: they are
// no C++. A source that is compiled without the rewriter (tests with hand-made threads) defines WARPFUZZ_NO_REWRITER.
// Left out by NVIDIA's own headers: they are read before this file.
#pragma once

#undef __global__
#undef __device__
#undef __host__
#undef __constant__
#undef __shared__
#undef __managed__
#undef __grid_constant__
#undef __launch_bounds__
#undef __maxnreg__
#undef __cluster_dims__
#undef __forceinline__
#undef __noinline__
#undef __inline_hint__
#undef __nv_pure__

#ifdef WARPFUZZ_NO_REWRITER
#define __shared__ static
#define __device__
#define __constant__
#define __managed__
#define __global__
#else
#define __shared__ __warpfuzz_shared__      // a variable: storage of the block (shared.h)
#define __device__ __warpfuzz_device__      // before a variable: a global restored after each case; else nothing
#define __constant__ __warpfuzz_constant__  // the same, and kernels must not write it
#define __managed__ __warpfuzz_managed__
#define __global__ __warpfuzz_global__  // a kernel
#endif

#define __host__
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __inline_hint__
#define __nv_pure__
// One line at the place of use, already from the preprocessor.
#define __cluster_dims__(...) \
  _Pragma("GCC error \"warpfuzz: __cluster_dims__: thread block clusters are not supported on the CPU executor\"")
