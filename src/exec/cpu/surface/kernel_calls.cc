// Launches, the attributes of kernels and what occupancy follows from them; faults that the headers report.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>

#include "exec/cpu/case.h"
#include "exec/cpu/surface/internal.h"

namespace warpfuzz::cpu {
namespace {

struct KernelAttributes {
  int max_dynamic_shared = kSharedPerBlock;
  int carveout = -1;
};
// Kept for the life of the process, as on a device: launchers set an attribute once, behind a static flag.
std::map<const void*, KernelAttributes>& attributes() {
  static auto* const all = new std::map<const void*, KernelAttributes>;
  return *all;
}

std::int64_t clock_reads = 0;

}  // namespace

std::size_t max_dynamic_shared(const void* kernel) {
  if (kernel) {
    const auto found = attributes().find(kernel);
    return found == attributes().end() ? kSharedPerBlock : std::size_t(found->second.max_dynamic_shared);
  }
  int largest = kSharedPerBlock;
  for (const auto& [key, a] : attributes()) largest = a.max_dynamic_shared > largest ? a.max_dynamic_shared : largest;
  return std::size_t(largest);
}

void restart_device_clock() { clock_reads = 0; }

std::int64_t device_clock(bool in_nanoseconds) {
  if (in_kernel()) return ++clock_reads * (in_nanoseconds ? 16 : 32);
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  const std::int64_t nanoseconds = std::int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
  return in_nanoseconds ? nanoseconds : nanoseconds / (1000000000 / CLOCKS_PER_SEC);
}

int run_launch(const LaunchConfig& config, const char* kernel, const void* key, void (*thread)(void*), void* args) {
  if (!in_kernel()) restart_device_clock();
  return launch(config, thread, args, kernel, max_dynamic_shared(key), 0);
}

void assertion_failed(const char* expression, const char* file, int line, int column, const char* function) {
  if (in_kernel()) {
    const std::string message = std::string("assertion `") + expression + "' failed";
    kernel_fault(FaultClass::assertion, Site{file, line, column}, message.c_str());
  }
  std::fprintf(stderr, "%s:%d: %s: Assertion `%s' failed.\n", file, line, function, expression);
  std::abort();
}

void bad_named_barrier(unsigned id, Site site) {
  const std::string message =
      "__barrier_sync(" + std::to_string(id) + "): barriers other than 0 are not supported on the CPU executor";
  kernel_fault(FaultClass::unsupported, site, message.c_str());
}

void bad_shuffle_width(int width, Site site) {
  const std::string message = "shuffle of width " + std::to_string(width) + ": expected a power of two from 1 to 32";
  kernel_fault(FaultClass::divergence, site, message.c_str());
}

int unsupported_call(const char* what) {
  record_fault(FaultClass::unsupported, Place{}, std::string(what) + " not supported on the CPU executor");
  return finish(cudaErrorNotSupported);
}

int refuse_launch_attribute(int attribute) {
  switch (attribute) {
    case cudaLaunchAttributeClusterDimension:
      return unsupported_call("cudaLaunchKernelEx with a cluster dimension: thread block clusters are");
    case cudaLaunchAttributeCooperative:
      return unsupported_call("cudaLaunchKernelEx, cooperative: cooperative launches are");
    default: return 0;  // hints: priorities, access windows, programmatic serialisation
  }
}

}  // namespace warpfuzz::cpu

using namespace warpfuzz::cpu;

extern "C" {

cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t) {
  return static_cast<cudaError_t>(unsupported_call(
      "cudaLaunchKernel with a kernel of unknown parameter types (pass the function itself, not a void pointer to it, or use <<<>>>): this call is"));
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**) {
  return static_cast<cudaError_t>(unsupported_call("cudaLaunchKernelExC (use cudaLaunchKernelEx or <<<>>>) is"));
}

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  if (!kernel) return finish(cudaErrorInvalidDeviceFunction);
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || value > kSharedPerBlockOptIn) return finish(cudaErrorInvalidValue);
      attributes()[kernel].max_dynamic_shared = value > kSharedPerBlock ? value : kSharedPerBlock;
      return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) return finish(cudaErrorInvalidValue);
      attributes()[kernel].carveout = value;
      return cudaSuccess;
    default:
      return static_cast<cudaError_t>(
          unsupported_call("cudaFuncSetAttribute with a cluster attribute: thread block clusters are"));
  }
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* out, const void* kernel) {
  if (!out) return finish(cudaErrorInvalidValue);
  *out = {};
  out->maxThreadsPerBlock = kBlockThreads;
  out->numRegs = 32;
  out->ptxVersion = out->binaryVersion = 90;
  out->maxDynamicSharedSizeBytes = int(max_dynamic_shared(kernel));
  out->preferredShmemCarveout = kernel ? attributes()[kernel].carveout : -1;
  return cudaSuccess;
}
cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) { return cudaSuccess; }
#if CUDART_VERSION < 13000
cudaError_t cudaFuncSetSharedMemConfig(const void*, cudaSharedMemConfig) { return cudaSuccess; }
#endif

// Registers do not count: a CPU has no figure for them.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* kernel, int block_size,
                                                                   size_t shared, unsigned) {
  if (!blocks || block_size <= 0) return finish(cudaErrorInvalidValue);
  *blocks = 0;
  if (block_size > kBlockThreads || shared > max_dynamic_shared(kernel)) return cudaSuccess;
  const int warps = (block_size + kWarpThreads - 1) / kWarpThreads;
  const int by_threads = kProcessorThreads / (warps * kWarpThreads);
  const int by_shared = int(std::size_t(kSharedPerProcessor) / (shared + kSharedReserved));
  *blocks = by_threads < kProcessorBlocks ? by_threads : kProcessorBlocks;
  if (by_shared < *blocks) *blocks = by_shared;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int block_size,
                                                          size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, block_size, shared, 0);
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* kernel, int blocks, int block_size) {
  if (!bytes || blocks <= 0 || block_size <= 0 || block_size > kBlockThreads) return finish(cudaErrorInvalidValue);
  const std::size_t share = std::size_t(kSharedPerProcessor) / std::size_t(blocks), limit = max_dynamic_shared(kernel);
  const std::size_t free = share > std::size_t(kSharedReserved) ? share - kSharedReserved : 0;
  *bytes = free < limit ? free : limit;
  return cudaSuccess;
}

}  // extern "C"
