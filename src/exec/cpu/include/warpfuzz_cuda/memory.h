// Loads and stores with cache hints: plain accesses here. Templates: every scalar, vector and half type that CUDA lists.
#pragma once
#include "warpfuzz_cuda/base.h"

#define WARPFUZZ_LOAD(name)              \
  template <class T>                     \
  WARPFUZZ_FN T name(const T* address) { \
    return *address;                     \
  }
WARPFUZZ_LOAD(__ldg)
WARPFUZZ_LOAD(__ldca)
WARPFUZZ_LOAD(__ldcg)
WARPFUZZ_LOAD(__ldcs)
WARPFUZZ_LOAD(__ldlu)
WARPFUZZ_LOAD(__ldcv)

#define WARPFUZZ_STORE(name)                                         \
  template <class T>                                                 \
  WARPFUZZ_FN void name(T* address, std::type_identity_t<T> value) { \
    *address = value;                                                \
  }
WARPFUZZ_STORE(__stwb)
WARPFUZZ_STORE(__stcg)
WARPFUZZ_STORE(__stcs)
WARPFUZZ_STORE(__stwt)

// Address spaces are one here. Their numbers serve inline assembly alone, which the rewriter reports.
WARPFUZZ_FN size_t __cvta_generic_to_shared(const void* p) { return reinterpret_cast<size_t>(p); }
WARPFUZZ_FN size_t __cvta_generic_to_global(const void* p) { return reinterpret_cast<size_t>(p); }
WARPFUZZ_FN size_t __cvta_generic_to_local(const void* p) { return reinterpret_cast<size_t>(p); }
WARPFUZZ_FN size_t __cvta_generic_to_constant(const void* p) { return reinterpret_cast<size_t>(p); }
WARPFUZZ_FN size_t __cvta_generic_to_grid_constant(const void* p) { return reinterpret_cast<size_t>(p); }
WARPFUZZ_FN void* __cvta_grid_constant_to_generic(size_t p) { return reinterpret_cast<void*>(p); }
WARPFUZZ_FN void* __cvta_shared_to_generic(size_t p) { return reinterpret_cast<void*>(p); }
WARPFUZZ_FN void* __cvta_global_to_generic(size_t p) { return reinterpret_cast<void*>(p); }
WARPFUZZ_FN void* __cvta_local_to_generic(size_t p) { return reinterpret_cast<void*>(p); }
WARPFUZZ_FN void* __cvta_constant_to_generic(size_t p) { return reinterpret_cast<void*>(p); }
WARPFUZZ_FN unsigned int __isGlobal(const void* p) { return ::warpfuzz::cpu::device_range(p, 1); }
