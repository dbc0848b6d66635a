// Device memory is out of the host's reach while the launcher's own code runs, as on a GPU: tensors, cudaMalloc'ed memory and
// __device__ variables are poisoned for AddressSanitizer, so that instrumented code, memcpy and their kind are reported with their
// line. Kernels and the runtime's copies open it. Managed and pinned memory stay open. Without the sanitizer nothing is closed.
//
// Page protection would find the same without a sanitizer; it costs 20 to 50 us a launch (measured in a virtual machine, two calls of
// mprotect on 16 to 200 KiB), and the shadow of the same memory 0.1 to 2 us.
#pragma once
#include <cstddef>

#include "exec/cpu/case.h"

namespace warpfuzz::cpu {

// Around the launcher's call: between the two its code runs, and device memory is closed.
void begin_host_code();
void end_host_code();

// Open while an instance lives: in a launch, or in a call of the runtime that copies. Nests.
class DeviceAccess {
 public:
  DeviceAccess();
  ~DeviceAccess();
  DeviceAccess(const DeviceAccess&) = delete;
};

void close_new_region(const Region& region);  // one that host code has just allocated
void open_old_region(const Region& region);   // one that it is about to free

// "element 3 of tensor x (10 elements)" where host code may not touch this address now; empty where it may. *tensor: its index or -1.
std::string closed_to_host(const void* address, std::size_t size, int* tensor);

}  // namespace warpfuzz::cpu
