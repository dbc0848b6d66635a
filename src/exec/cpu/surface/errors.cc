// The last error, and the names and texts of errors.
#include "exec/cpu/surface/internal.h"

namespace warpfuzz::cpu {

cudaError_t finish(cudaError_t error) {
  if (error != cudaSuccess) set_last_error(error);
  return error;
}

cudaError_t sticky_error() {
  switch (const int error = peek_last_error()) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure: return static_cast<cudaError_t>(error);
    default: return cudaSuccess;
  }
}

namespace {
struct ErrorText {
  cudaError_t error;
  const char *name, *text;
};
#define WARPFUZZ_ERROR(name, text) {name, #name, text}
constexpr ErrorText kErrors[] = {
    WARPFUZZ_ERROR(cudaSuccess, "no error"),
    WARPFUZZ_ERROR(cudaErrorInvalidValue, "invalid argument"),
    WARPFUZZ_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    WARPFUZZ_ERROR(cudaErrorInitializationError, "initialization error"),
    WARPFUZZ_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    WARPFUZZ_ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    WARPFUZZ_ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    WARPFUZZ_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    WARPFUZZ_ERROR(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"),
    WARPFUZZ_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    WARPFUZZ_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    WARPFUZZ_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    WARPFUZZ_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    WARPFUZZ_ERROR(cudaErrorNotReady, "device not ready"),
    WARPFUZZ_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    WARPFUZZ_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    WARPFUZZ_ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    WARPFUZZ_ERROR(cudaErrorAssert, "device-side assert triggered"),
    WARPFUZZ_ERROR(cudaErrorHardwareStackError, "hardware stack error"),
    WARPFUZZ_ERROR(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
    WARPFUZZ_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    WARPFUZZ_ERROR(cudaErrorInvalidAddressSpace, "operation not supported on global/shared address space"),
    WARPFUZZ_ERROR(cudaErrorInvalidPc, "invalid program counter"),
    WARPFUZZ_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    WARPFUZZ_ERROR(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    WARPFUZZ_ERROR(cudaErrorNotPermitted, "operation not permitted"),
    WARPFUZZ_ERROR(cudaErrorNotSupported, "operation not supported"),
    WARPFUZZ_ERROR(cudaErrorInvalidKernelImage, "device kernel image is invalid"),
    WARPFUZZ_ERROR(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"),
    WARPFUZZ_ERROR(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices"),
    WARPFUZZ_ERROR(cudaErrorUnknown, "unknown error"),
};
#undef WARPFUZZ_ERROR
const ErrorText* find(cudaError_t error) {
  for (const ErrorText& e : kErrors) {
    if (e.error == error) return &e;
  }
  return nullptr;
}
}  // namespace
}  // namespace warpfuzz::cpu

using namespace warpfuzz::cpu;

extern "C" {
cudaError_t cudaGetLastError() { return static_cast<cudaError_t>(take_last_error()); }
cudaError_t cudaPeekAtLastError() { return static_cast<cudaError_t>(peek_last_error()); }
const char* cudaGetErrorName(cudaError_t error) {
  const auto* e = find(error);
  return e ? e->name : "unrecognized error code";
}
const char* cudaGetErrorString(cudaError_t error) {
  const auto* e = find(error);
  return e ? e->text : "unrecognized error code";
}
}  // extern "C"
