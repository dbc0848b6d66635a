// What the files of the runtime API share.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>

#include "exec/cpu/surface/surface.h"

namespace warpfuzz::cpu {

// The device that is imitated: sm_90, the launch limits of an H100.
inline constexpr int kProcessors = 132, kWarpThreads = 32, kBlockThreads = 1024, kProcessorThreads = 2048,
                     kProcessorBlocks = 32;
inline constexpr int kSharedPerBlock = 48 * 1024, kSharedPerBlockOptIn = 227 * 1024, kSharedPerProcessor = 228 * 1024,
                     kSharedReserved = 1024;
inline constexpr std::size_t kGlobalMemory = kDeviceMemory;

// The result of a runtime call: an error becomes the last error too.
cudaError_t finish(cudaError_t error);
// The error of a fault that ended an earlier launch of this case, else cudaSuccess. Calls that would touch the device return it.
cudaError_t sticky_error();

std::size_t max_dynamic_shared(const void* kernel);  // null: the largest opt-in of any kernel
void restart_device_clock();                         // at each launch: what kernels read depends on nothing before

}  // namespace warpfuzz::cpu
