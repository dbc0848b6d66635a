// Address space of tensors on the device: tensor k in a slot of 4 GiB of its own, with memory mapped at the slot's start alone. A
// tensor ends where its slot's memory ends, so that an overrun is a fault in every build, and no overrun reaches another tensor.
#pragma once
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "schema/schema.h"

namespace warpfuzz::cuda {

inline constexpr std::size_t kSlotStride = std::size_t{1} << 32;
inline constexpr std::size_t kFrontZone = 256;  // before a tensor, inside the slot's memory

class Slots {
 public:
  // Reserves the addresses. "" or one line about what the driver refused.
  std::string open(int device);
  // Memory for a tensor of `bytes` in slot k, a red zone before it included. Contents change when the slot grows, and the device must
  // be idle then: grows() says so beforehand.
  bool grows(int k, std::size_t bytes) const;
  std::string reserve(int k, std::size_t bytes);
  // Address of the tensor's first byte, a multiple of 16: its last byte lies in the last 16 of the slot's memory.
  std::uint64_t place(int k, std::size_t bytes) const;
  std::uint32_t base_high() const { return static_cast<std::uint32_t>(base_ >> 32); }

 private:
  CUdeviceptr base_ = 0;
  int device_ = 0;
  std::size_t granularity_ = 0;
  struct Memory {
    std::size_t bytes = 0;
    CUmemGenericAllocationHandle handle = 0;
  };
  Memory memory_[kMaxTensors];
};

}  // namespace warpfuzz::cuda
