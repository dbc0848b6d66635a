// What a target's launcher asks of the CUDA runtime while the server runs it: launches, allocations, and calls after which its work
// can't be captured as a graph. The linker's --wrap sends the runtime's functions here (WarpFuzzCuda links them so).
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "exec/cuda/wire.h"

namespace warpfuzz::cuda {

struct Observation {
  std::vector<LaunchWire> launches;  // at most kMaxLaunches
  struct Allocation {
    void* start;
    std::size_t bytes;
    bool freed;
  };
  std::vector<Allocation> allocations;
  std::function<void(const Allocation&)> on_allocation;  // may be empty
  std::uint64_t leaked = 0;                              // bytes that the launcher didn't free
  bool capturable = true;                                // kernels on the given stream and nothing that waits
  std::string why_not;                                   // the first call that said otherwise
};

// While one of these lives, the calling thread's calls are the launcher's.
class Observer {
 public:
  Observer(Observation& into, cudaStream_t stream, std::uint8_t poison_byte);
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
};

const Observation* observed();  // by the observer that lives on this thread; null: there is none

// Frees what the launcher allocated, freed or not, now that its kernels have ended.
void free_allocations(Observation& seen);

// Device variables of the kernels' sources, in the order of registration; our own are not among them.
struct DeviceVariable {
  const void* symbol;
  std::string name;
  std::size_t bytes;
};
const std::vector<DeviceVariable>& device_variables();
const std::vector<ModuleSymbols>& modules();
std::string kernel_name(const void* function);  // "softmax_kernel"; "?" where it was not registered

}  // namespace warpfuzz::cuda
