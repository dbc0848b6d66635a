// The start of a runner: everything that needs a device and happens once.
#include <cstdio>
#include <cstdlib>

#include "exec/cuda/server/runner.h"

namespace warpfuzz::cuda {

std::string failed_call(const char* what, cudaError_t e) {
  return std::string(what) + " failed with CUDA error " + std::to_string(static_cast<int>(e)) + " (" +
         cudaGetErrorName(e) + ")";
}

std::string Runner::open(int device, HelloCode& code) {
  code = HelloCode::no_device;
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);  // a module that is loaded at its first launch can't be captured
  int devices = 0;
  const cudaError_t counted = cudaGetDeviceCount(&devices);
  if (counted == cudaErrorInsufficientDriver)
    return "no NVIDIA driver, or one older than CUDA " + std::to_string(CUDART_VERSION / 1000) + " needs";
  if (counted == cudaErrorNoDevice || (!counted && devices == 0)) return "no NVIDIA GPU on this machine";
  if (counted) return failed_call("cudaGetDeviceCount", counted);
  if (device >= devices)
    return "no GPU " + std::to_string(device) + ": this machine has " + std::to_string(devices) + ", numbered from 0";
  code = HelloCode::failed;
  if (const cudaError_t e = cudaSetDevice(device)) return failed_call("cudaSetDevice", e);
  if (const cudaError_t e = cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceMapHost))
    return failed_call("cudaSetDeviceFlags", e);
  cudaDeviceProp p{};
  if (const cudaError_t e = cudaGetDeviceProperties(&p, device)) return failed_call("cudaGetDeviceProperties", e);
  int driver = 0;
  cudaDriverGetVersion(&driver);
  device_name_ = std::string(p.name) + ", sm_" + std::to_string(p.major) + std::to_string(p.minor) + ", driver " +
                 std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10);
  if (const cudaError_t e = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking))
    return failed_call("cudaStreamCreate", e);
  void* counter = nullptr;
  if (const cudaError_t e = cudaMalloc(&counter, kPage)) return failed_call("cudaMalloc", e);
  if (const cudaError_t e = cudaMemset(counter, 0, kPage)) return failed_call("cudaMemset", e);
  counter_ = reinterpret_cast<std::uint64_t>(counter);
  if (std::string error = slots_.open(device); !error.empty()) return error;
  if (std::string error = open_modules(); !error.empty()) return error;
  if (std::string error = keep_variables(); !error.empty()) return error;
  code = HelloCode::ready;
  return {};
}

std::string Runner::open_modules() {
  if (modules().size() > kMaxModules)
    return "the target has more than " + std::to_string(kMaxModules) + " instrumented sources";
  for (const ModuleSymbols& symbols : modules()) {
    Module m{};
    m.symbols = symbols;
    if (const cudaError_t e = cudaMemcpyFromSymbol(m.counts, symbols.counts, sizeof m.counts)) {
      if (e == cudaErrorNoKernelImageForDevice || e == cudaErrorInvalidDeviceFunction ||
          e == cudaErrorUnsupportedPtxVersion)
        return "this binary holds no code for " + device_name_ +
               ": configure with -DWARPFUZZ_CUDA_ARCHITECTURES for it";
      return failed_call("reading wf_counts", e);
    }
    const std::size_t bytes = round_up(state_bytes(m.counts[kCountEdges], m.counts[kCountCompares]), kUnit);
    m.bytes =
        module_bytes(m.counts[kCountEdges], m.counts[kCountCompares], (m.counts[kCountMode] & kModeCoverage) != 0);
    checks_ |= (m.counts[kCountMode] & kModeChecks) != 0;
    void* state = nullptr;
    if (const cudaError_t e = cudaMalloc(&state, round_up(bytes, kPage))) return failed_call("cudaMalloc", e);
    if (const cudaError_t e = cudaMemset(state, 0, round_up(bytes, kPage))) return failed_call("cudaMemset", e);
    m.state = reinterpret_cast<std::uint64_t>(state);
    const std::uint32_t base = slots_.base_high();
    if (const cudaError_t e = cudaMemcpyToSymbol(symbols.state, &m.state, sizeof m.state))
      return failed_call("setting wf_state", e);
    if (const cudaError_t e = cudaMemcpyToSymbol(symbols.slot_base, &base, sizeof base))
      return failed_call("setting wf_slot_base", e);
    modules_.push_back(m);
  }
  return {};
}

std::string Runner::keep_variables() {
  for (const DeviceVariable& v : device_variables()) {
    Kept kept{nullptr, nullptr, v.bytes};
    // A variable that no kernel uses may be gone from the module.
    if (cudaGetSymbolAddress(&kept.variable, v.symbol) != cudaSuccess) {
      cudaGetLastError();
      continue;
    }
    if (const cudaError_t e = cudaMalloc(&kept.copy, v.bytes)) return failed_call("cudaMalloc", e);
    if (const cudaError_t e = cudaMemcpy(kept.copy, kept.variable, v.bytes, cudaMemcpyDeviceToDevice))
      return failed_call("cudaMemcpy", e);
    variables_.push_back(kept);
  }
  return {};
}

}  // namespace warpfuzz::cuda
