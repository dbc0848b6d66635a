// Kernel launches: what the source rewriter turns `kernel<<<grid, block, shared, stream>>>(args)` into.
#pragma once
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "warpfuzz_cuda/base.h"

namespace warpfuzz::cpu {

struct LaunchSetup {
  LaunchConfig config;
  cudaStream_t stream;
};

// The four arguments between <<< and >>>, with the conversions that CUDA allows (int to dim3, 0 to a stream).
inline LaunchSetup launch_config(dim3 grid, dim3 block, std::size_t dynamic_shared = 0, cudaStream_t stream = nullptr) {
  return {{{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, dynamic_shared}, stream};
}

// noinline, and called through a pointer: the index built-ins may be folded within one thread, never across threads.
template <class Body>
struct ThreadEntry {
  static __attribute__((noinline)) void run(void* body) { (*static_cast<Body*>(body))(); }
};

// body() is one thread. It must not change what it captured: every thread gets the same arguments.
template <class Body>
inline void launch_kernel(const LaunchSetup& setup, const char* kernel, const void* key, Body&& body) {
  using Plain = std::remove_reference_t<Body>;
  run_launch(setup.config, kernel, key, &ThreadEntry<Plain>::run,
             const_cast<std::remove_const_t<Plain>*>(std::addressof(body)));
}

// For kernels whose address is one function: arguments are converted to the parameter types once, by the call itself
// (literal 0 to a pointer, braced initialisers), and copied for each thread.
//   ::warpfuzz::cpu::kernel_call("k", &k<float>, ::warpfuzz::cpu::launch_config(g, b))(args...)
template <class... P>
struct KernelCall {
  LaunchSetup setup;
  const char* name;
  void (*kernel)(P...);
  void operator()(P... args) const {
    auto body = [&] { kernel(args...); };
    launch_kernel(setup, name, reinterpret_cast<const void*>(kernel), body);
  }
};
template <class... P>
inline KernelCall<P...> kernel_call(const char* name, void (*kernel)(P...), const LaunchSetup& setup) {
  return {setup, name, kernel};
}

}  // namespace warpfuzz::cpu
