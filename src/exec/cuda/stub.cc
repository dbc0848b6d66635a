// Stands in for the CUDA backend until it is here.
#include <cuda_runtime.h>

#include "exec/cuda/state_block.h"
#include "exec/exec.h"

namespace warpfuzz {
namespace {
class Nothing : public Backend {
  const char* name() const override { return "cuda"; }
  std::string device() const override { return "none"; }
  std::string compiler() const override { return ""; }
  RunOutput run(const RunInput&, const Launcher&) override { target_error("the CUDA backend isn't here yet"); }
  bool orders() const override { return false; }
};
}  // namespace
Backend& this_backend() {
  static Nothing nothing;
  return nothing;
}
}  // namespace warpfuzz

void warpfuzz_cuda_register_module(const warpfuzz::cuda::ModuleSymbols&) {}
extern "C" {
cudaError_t __real_cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t __wrap_cudaLaunchKernel(const void* f, dim3 g, dim3 b, void** a, size_t s, cudaStream_t t) { return __real_cudaLaunchKernel(f, g, b, a, s, t); }
cudaError_t __real_cudaMalloc(void**, size_t);
cudaError_t __wrap_cudaMalloc(void** p, size_t n) { return __real_cudaMalloc(p, n); }
cudaError_t __real_cudaFree(void*);
cudaError_t __wrap_cudaFree(void* p) { return __real_cudaFree(p); }
void __real___cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
void __wrap___cudaRegisterFunction(void** m, const char* h, char* d, const char* n, int l, uint3* t, uint3* i, dim3* b, dim3* g, int* w) {
  __real___cudaRegisterFunction(m, h, d, n, l, t, i, b, g, w);
}
void __real___cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int);
void __wrap___cudaRegisterVar(void** m, char* h, char* d, const char* n, int e, size_t s, int c, int g) { __real___cudaRegisterVar(m, h, d, n, e, s, c, g); }
}
