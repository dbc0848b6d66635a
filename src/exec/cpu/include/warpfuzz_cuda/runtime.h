// The C++ side of the runtime API: the templates that cuda_runtime.h keeps for nvcc, and launches by function. The C functions
// are in surface/.
#pragma once
#include <utility>

#include "warpfuzz_cuda/kernel_call.h"

namespace warpfuzz::cpu {

// Parameters as cudaLaunchKernel takes them: an array of pointers to the arguments.
template <class... P, std::size_t... I>
inline void launch_pointers(const KernelCall<P...>& call, void** args, std::index_sequence<I...>) {
  call(*static_cast<std::remove_cv_t<P>*>(args[I])...);
}
inline cudaError_t launch_result(int before) {
  const int after = peek_last_error();
  return static_cast<cudaError_t>(after != before ? after : 0);
}
int refuse_launch_attribute(int attribute);  // of cudaLaunchKernelEx; 0 where it may be ignored

}  // namespace warpfuzz::cpu

// A kernel given by its function: the parameter types are known. (One given as const void* is reported as unsupported.)
template <class... P>
inline cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** args, size_t shared = 0,
                                    cudaStream_t stream = nullptr) {
  const int before = ::warpfuzz::cpu::peek_last_error();
  ::warpfuzz::cpu::launch_pointers(
      ::warpfuzz::cpu::kernel_call("kernel", kernel, ::warpfuzz::cpu::launch_config(grid, block, shared, stream)), args,
      std::index_sequence_for<P...>());
  return ::warpfuzz::cpu::launch_result(before);
}
template <class... P, class... A>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(P...), A&&... args) {
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const int error = ::warpfuzz::cpu::refuse_launch_attribute(int(config->attrs[i].id));
    if (error != 0) return static_cast<cudaError_t>(error);
  }
  const int before = ::warpfuzz::cpu::peek_last_error();
  ::warpfuzz::cpu::kernel_call(
      "kernel", kernel,
      ::warpfuzz::cpu::launch_config(config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream))(
      std::forward<A>(args)...);
  return ::warpfuzz::cpu::launch_result(before);
}

template <class... P>
inline cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attribute, int value) {
  return ::cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
template <class... P>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*kernel)(P...)) {
  return ::cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(kernel));
}
template <class... P>
inline cudaError_t cudaFuncSetCacheConfig(void (*kernel)(P...), cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig(reinterpret_cast<const void*>(kernel), config);
}
template <class... P>
inline cudaError_t cudaFuncSetSharedMemConfig(void (*)(P...), cudaSharedMemConfig) {
  return cudaSuccess;
}

// Symbols are ordinary variables. The extent is known here alone, so it is checked here.
namespace warpfuzz::cpu {
int symbol_copy(void* to, const void* from, std::size_t symbol_bytes, std::size_t count, std::size_t offset,
                bool to_symbol);
// Not inlined: of an address that the compiler knows, the sanitizer leaves accesses within bounds alone, those of host code too.
void* symbol_address(const void* symbol);
}  // namespace warpfuzz::cpu
template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t count, size_t offset = 0,
                                      cudaMemcpyKind = cudaMemcpyHostToDevice) {
  void* const to = const_cast<void*>(static_cast<const void*>(&reinterpret_cast<const char&>(symbol)));
  return static_cast<cudaError_t>(::warpfuzz::cpu::symbol_copy(to, from, sizeof(T), count, offset, true));
}
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t count, size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t = nullptr) {
  return ::cudaMemcpyToSymbol(symbol, from, count, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t count, size_t offset = 0,
                                        cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  return static_cast<cudaError_t>(
      ::warpfuzz::cpu::symbol_copy(to, &reinterpret_cast<const char&>(symbol), sizeof(T), count, offset, false));
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t count, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t = nullptr) {
  return ::cudaMemcpyFromSymbol(to, symbol, count, offset, kind);
}
template <class T>
inline cudaError_t cudaGetSymbolAddress(void** address, const T& symbol) {
  *address = ::warpfuzz::cpu::symbol_address(&reinterpret_cast<const char&>(symbol));
  return cudaSuccess;
}
template <class T>
inline cudaError_t cudaGetSymbolAddress(T** address, const T& symbol) {
  *address = static_cast<T*>(::warpfuzz::cpu::symbol_address(&reinterpret_cast<const char&>(symbol)));
  return cudaSuccess;
}
template <class T>
inline cudaError_t cudaGetSymbolSize(size_t* size, const T&) {
  *size = sizeof(T);
  return cudaSuccess;
}
