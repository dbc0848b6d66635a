#include "exec/cuda/observe.h"

#include <cxxabi.h>

#include <cstdlib>
#include <cstring>
#include <map>

#include "exec/kernel_name.h"

namespace warpfuzz::cuda {
namespace {

// Filled by constructors of other translation units, hence built on first use.
struct Registry {
  std::map<const void*, std::string> kernels;
  std::vector<DeviceVariable> variables;
  std::vector<ModuleSymbols> modules;
};
Registry& registry() {
  static Registry* r = new Registry;
  return *r;
}

struct Watch {
  Observation* seen = nullptr;
  cudaStream_t stream = nullptr;
  std::uint8_t poison = 0xff;
};
thread_local Watch watch;  // the runtime's functions carry no context

void uncapturable(const char* call) {
  if (!watch.seen || !watch.seen->capturable) return;
  watch.seen->capturable = false;
  watch.seen->why_not = call;
}

}  // namespace

Observer::Observer(Observation& into, cudaStream_t stream, std::uint8_t poison_byte) {
  watch = {&into, stream, poison_byte};
}
Observer::~Observer() { watch = {}; }

const Observation* observed() { return watch.seen; }

const std::vector<DeviceVariable>& device_variables() { return registry().variables; }
const std::vector<ModuleSymbols>& modules() { return registry().modules; }

std::string kernel_name(const void* function) {
  const auto found = registry().kernels.find(function);
  return found == registry().kernels.end() ? "?" : found->second;
}

}  // namespace warpfuzz::cuda

using namespace warpfuzz::cuda;

void warpfuzz_cuda_register_module(const ModuleSymbols& symbols) { registry().modules.push_back(symbols); }

extern "C" {

cudaError_t __real_cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t __real_cudaMalloc(void**, std::size_t);
cudaError_t __real_cudaFree(void*);
cudaError_t __real_cudaMallocAsync(void**, std::size_t, cudaStream_t);
cudaError_t __real_cudaFreeAsync(void*, cudaStream_t);
void __real___cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
void __real___cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);

void __wrap___cudaRegisterFunction(void** module, const char* host, char* device, const char* name, int limit,
                                   uint3* tid, uint3* bid, dim3* block, dim3* grid, int* warp) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  registry().kernels[host] = warpfuzz::plain_kernel_name(text ? text : name);
  std::free(text);
  __real___cudaRegisterFunction(module, host, device, name, limit, tid, bid, block, grid, warp);
}

void __wrap___cudaRegisterVar(void** module, char* host, char* device, const char* name, int ext, std::size_t size,
                              int constant, int global) {
  // A kernel can't change constants. What the instrumentation brings is in a namespace of its own.
  if (!constant && !std::strstr(name, "wf_device")) registry().variables.push_back({host, name, size});
  __real___cudaRegisterVar(module, host, device, name, ext, size, constant, global);
}

cudaError_t __wrap_cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                                    cudaStream_t stream) {
  if (!watch.seen) return __real_cudaLaunchKernel(function, grid, block, arguments, shared, stream);
  if (stream != watch.stream) uncapturable("a launch on another stream than the one it was given");
  const cudaError_t error = __real_cudaLaunchKernel(function, grid, block, arguments, shared, stream);
  if (watch.seen->launches.size() < static_cast<std::size_t>(kMaxLaunches)) {
    LaunchWire l{};
    std::strncpy(l.kernel, kernel_name(function).c_str(), sizeof l.kernel - 1);
    const std::uint32_t g[3] = {grid.x, grid.y, grid.z}, b[3] = {block.x, block.y, block.z};
    std::memcpy(l.grid, g, sizeof g);
    std::memcpy(l.block, b, sizeof b);
    l.shared = shared;
    l.error = static_cast<std::uint32_t>(error);
    watch.seen->launches.push_back(l);
  }
  return error;
}

// A launch that is refused before it gets to cudaLaunchKernel leaves an error only, which a launcher that checks takes away.
static void note_error(cudaError_t error) {
  if (error == cudaSuccess || !watch.seen || watch.seen->launches.size() >= static_cast<std::size_t>(kMaxLaunches))
    return;
  for (const LaunchWire& l : watch.seen->launches)
    if (l.error) return;
  watch.seen->launches.push_back({"", {}, {}, static_cast<std::uint32_t>(error), 0});
}
cudaError_t __real_cudaGetLastError();
cudaError_t __real_cudaPeekAtLastError();
cudaError_t __wrap_cudaGetLastError() {
  const cudaError_t error = __real_cudaGetLastError();
  note_error(error);
  return error;
}
cudaError_t __wrap_cudaPeekAtLastError() {
  const cudaError_t error = __real_cudaPeekAtLastError();
  note_error(error);
  return error;
}

// Allocations are filled with poison, counted, and freed behind the case, when no kernel uses them any more.
static cudaError_t allocate(void** p, std::size_t bytes, const char* call) {
  Watch mine = watch;
  uncapturable(call);
  watch.seen = nullptr;  // what the runtime calls inside is not the launcher's
  const cudaError_t error = __real_cudaMalloc(p, bytes);
  if (error == cudaSuccess && bytes) {
    cudaMemsetAsync(*p, mine.poison, bytes, mine.stream);
    cudaStreamSynchronize(mine.stream);
    mine.seen->allocations.push_back({*p, bytes, false});
    mine.seen->leaked += bytes;
    if (mine.seen->on_allocation) mine.seen->on_allocation(mine.seen->allocations.back());
  }
  watch = mine;
  return error;
}
static cudaError_t give_back(void* p, const char* call) {
  uncapturable(call);
  if (!p) return cudaSuccess;
  for (Observation::Allocation& a : watch.seen->allocations) {
    if (a.start != p || a.freed) continue;
    a.freed = true;
    watch.seen->leaked -= a.bytes;
    return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}
cudaError_t __wrap_cudaMalloc(void** p, std::size_t bytes) {
  return watch.seen ? allocate(p, bytes, "cudaMalloc") : __real_cudaMalloc(p, bytes);
}
cudaError_t __wrap_cudaFree(void* p) { return watch.seen ? give_back(p, "cudaFree") : __real_cudaFree(p); }
cudaError_t __wrap_cudaMallocAsync(void** p, std::size_t bytes, cudaStream_t s) {
  return watch.seen ? allocate(p, bytes, "cudaMallocAsync") : __real_cudaMallocAsync(p, bytes, s);
}
cudaError_t __wrap_cudaFreeAsync(void* p, cudaStream_t s) {
  return watch.seen ? give_back(p, "cudaFreeAsync") : __real_cudaFreeAsync(p, s);
}

// Calls that wait for the device, which a capture would refuse.
#define WARPFUZZ_WAITS(NAME, PARAMETERS, ARGUMENTS) \
  cudaError_t __real_##NAME PARAMETERS;             \
  cudaError_t __wrap_##NAME PARAMETERS {            \
    uncapturable(#NAME);                            \
    return __real_##NAME ARGUMENTS;                 \
  }
WARPFUZZ_WAITS(cudaDeviceSynchronize, (), ())
WARPFUZZ_WAITS(cudaStreamSynchronize, (cudaStream_t s), (s))
WARPFUZZ_WAITS(cudaEventSynchronize, (cudaEvent_t e), (e))
WARPFUZZ_WAITS(cudaMemcpy, (void* to, const void* from, std::size_t n, cudaMemcpyKind kind), (to, from, n, kind))
WARPFUZZ_WAITS(cudaMemset, (void* to, int value, std::size_t n), (to, value, n))
WARPFUZZ_WAITS(cudaMemcpyToSymbol,
               (const void* to, const void* from, std::size_t n, std::size_t at, cudaMemcpyKind kind),
               (to, from, n, at, kind))
WARPFUZZ_WAITS(cudaMemcpyFromSymbol, (void* to, const void* from, std::size_t n, std::size_t at, cudaMemcpyKind kind),
               (to, from, n, at, kind))
WARPFUZZ_WAITS(cudaStreamCreate, (cudaStream_t * s), (s))

}  // extern "C"

void warpfuzz::cuda::free_allocations(Observation& seen) {
  for (const Observation::Allocation& a : seen.allocations) __real_cudaFree(a.start);
  seen.allocations.clear();
}
