#include "exec/cuda/faults.h"

#include <cstdio>
#include <cstdlib>

#include "exec/tensor_image.h"

namespace warpfuzz::cuda {
namespace {

// Of the runtime's cudaError_t, which worker code cannot include.
enum CudaError {
  kInvalidValue = 1,
  kInvalidConfiguration = 9,
  kIllegalAddress = 700,
  kOutOfResources = 701,
  kAssert = 710,
  kHardwareStackError = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kInvalidAddressSpace = 717,
  kInvalidPc = 718,
  kLaunchFailure = 719
};

}  // namespace

FaultClass class_of_error(int error) {
  switch (error) {
    case kMisalignedAddress: return FaultClass::misaligned;
    case kAssert:
    case kLaunchFailure: return FaultClass::assertion;  // assert(); __trap() and the like
    case kIllegalAddress:
    case kInvalidAddressSpace:
    case kHardwareStackError:
    case kInvalidPc:
    case kIllegalInstruction: return FaultClass::oob_read;
    default: return FaultClass::launch;
  }
}

const char* error_text(int error) {
  switch (error) {
    case kInvalidValue: return "invalid value (CUDA error 1)";
    case kInvalidConfiguration: return "invalid configuration (CUDA error 9)";
    case kIllegalAddress: return "an illegal memory access (CUDA error 700)";
    case kOutOfResources: return "too many resources requested for launch (CUDA error 701)";
    case kAssert: return "a failed assertion (CUDA error 710)";
    case kHardwareStackError: return "a stack error (CUDA error 714)";
    case kIllegalInstruction: return "an illegal instruction (CUDA error 715)";
    case kMisalignedAddress: return "a misaligned address (CUDA error 716)";
    case kInvalidAddressSpace: return "an address of another memory space (CUDA error 717)";
    case kInvalidPc: return "a jump to nowhere (CUDA error 718)";
    case kLaunchFailure: return "a launch failure, as __trap() makes one (CUDA error 719)";
    default: {
      static thread_local char text[40];
      std::snprintf(text, sizeof text, "CUDA error %d", error);
      return text;
    }
  }
}

void describe_finding(const DeviceFinding& f, std::span<const TensorLayout> layouts, const Schema& schema,
                      std::uint32_t slot_base, const StateHeader& header, const std::string& where,
                      ExecStatus& status) {
  const auto access = static_cast<Access>(f.access);
  status.fault = access == Access::read ? FaultClass::oob_read : FaultClass::oob_write;
  for (int i = 0; i < 3; ++i) status.place.block[i] = f.block[i], status.place.thread[i] = f.thread[i];
  // "softmax.cu:31: softmax_kernel"
  const std::size_t colon = where.find(": "), line = where.rfind(':', colon == std::string::npos ? colon : colon - 1);
  if (line != std::string::npos && line != colon) {
    status.place.file = where.substr(0, line);
    status.place.line = std::atoi(where.c_str() + line + 1);
  }
  const char* verb = access == Access::read ? "read" : access == Access::write ? "write" : "atomic update";
  const std::uint64_t slot = (f.address >> 32) - slot_base;
  status.message = std::string(verb) + " of " + std::to_string(f.size) + " bytes ";
  if (slot >= schema.tensors.size() || !layouts[slot].present) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(f.address));
    status.message += std::string("at address ") + text + ", which belongs to no tensor and no allocation";
    return;
  }
  const TensorLayout& l = layouts[slot];
  const std::size_t size = dtype_size(l.dtype);
  const auto start = static_cast<std::int64_t>(header.bounds[slot].start_low);
  const std::int64_t offset = static_cast<std::int64_t>(f.address & 0xffffffffu) - start,
                     bytes = static_cast<std::int64_t>(l.storage_bytes());
  std::string shape;
  for (const std::uint32_t d : l.shape) shape += (shape.empty() ? "" : ",") + std::to_string(d);
  const std::string tensor = schema.tensors[slot].name + "[" + shape + "] (" + std::string(dtype_name(l.dtype)) + ", " +
                             std::to_string(bytes) + " bytes)";
  status.tensor = static_cast<int>(slot);
  if (offset < 0) status.message += std::to_string(-offset) + " bytes before the start of tensor " + tensor;
  else
    status.message += std::to_string(offset + f.size - bytes) + " bytes past the end of tensor " + tensor +
                      ", at element " + std::to_string(offset / static_cast<std::int64_t>(size)) + " of its storage";
}

}  // namespace warpfuzz::cuda
