// The device that programs see: its properties and limits, streams and events. All work is done when a call returns.
#include <cstdio>
#include <cstring>

#include "exec/cpu/surface/internal.h"

// Opaque in NVIDIA's headers.
struct CUstream_st {
  unsigned flags;
  int priority;
};
struct CUevent_st {
  std::uint64_t at = 0;
  bool recorded = false;
};

using namespace warpfuzz::cpu;

namespace {

// Time of events: a count of recorded events, so that a launcher that tunes itself by time does the same everywhere.
std::uint64_t event_ticks = 0;

bool real(cudaStream_t stream) {
  return stream != nullptr && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
}

struct Attribute {
  cudaDeviceAttr id;
  int value;
};
constexpr Attribute kAttributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, kBlockThreads},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, 2147483647},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrMaxSharedMemoryPerBlock, kSharedPerBlock},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, kSharedPerBlockOptIn},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, kSharedPerProcessor},
    {cudaDevAttrReservedSharedMemoryPerBlock, kSharedReserved},
    {cudaDevAttrTotalConstantMemory, 65536},
    {cudaDevAttrWarpSize, kWarpThreads},
    {cudaDevAttrMaxPitch, 2147483647},
    {cudaDevAttrMaxRegistersPerBlock, 65536},
    {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
    {cudaDevAttrClockRate, 1980000},
    {cudaDevAttrTextureAlignment, 512},
    {cudaDevAttrMultiProcessorCount, kProcessors},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrAsyncEngineCount, 3},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrMemoryClockRate, 2619000},
    {cudaDevAttrGlobalMemoryBusWidth, 5120},
    {cudaDevAttrL2CacheSize, 50 << 20},
    {cudaDevAttrMaxThreadsPerMultiProcessor, kProcessorThreads},
    {cudaDevAttrMaxBlocksPerMultiprocessor, kProcessorBlocks},
    {cudaDevAttrComputeCapabilityMajor, 9},
    {cudaDevAttrComputeCapabilityMinor, 0},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrPageableMemoryAccess, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrHostNativeAtomicSupported, 1},
    {cudaDevAttrMemoryPoolsSupported, 0},
    {cudaDevAttrCooperativeLaunch, 0},
};

void fill(cudaDeviceProp& p) {
  std::memset(&p, 0, sizeof p);
  std::snprintf(p.name, sizeof p.name, "WarpFuzz CPU executor (as sm_90)");
  p.totalGlobalMem = kGlobalMemory;
  p.sharedMemPerBlock = kSharedPerBlock;
  p.sharedMemPerBlockOptin = kSharedPerBlockOptIn;
  p.sharedMemPerMultiprocessor = kSharedPerProcessor;
  p.reservedSharedMemPerBlock = kSharedReserved;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.warpSize = kWarpThreads;
  p.memPitch = 2147483647;
  p.maxThreadsPerBlock = kBlockThreads;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024, p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 2147483647, p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.totalConstMem = 65536;
  p.major = 9, p.minor = 0;
  p.textureAlignment = 512;
  p.multiProcessorCount = kProcessors;
  p.unifiedAddressing = p.managedMemory = p.concurrentManagedAccess = p.pageableMemoryAccess = 1;
  p.concurrentKernels = p.streamPrioritiesSupported = p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.asyncEngineCount = 3;
  p.memoryBusWidth = 5120;
  p.l2CacheSize = 50 << 20;
  p.persistingL2CacheMaxSize = 32 << 20;
  p.maxThreadsPerMultiProcessor = kProcessorThreads;
  p.maxBlocksPerMultiProcessor = kProcessorBlocks;
#if CUDART_VERSION < 13000
  p.clockRate = 1980000;
  p.memoryClockRate = 2619000;
  p.deviceOverlap = 1;
#endif
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }
cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : finish(cudaErrorInvalidDevice); }
cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return *device = 0, cudaSuccess; }
cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
cudaError_t cudaGetDeviceFlags(unsigned* flags) { return *flags = 0, cudaSuccess; }
cudaError_t cudaDeviceReset() { return cudaSuccess; }
cudaError_t cudaDeviceSynchronize() { return sticky_error(); }
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) { return *can = 0, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaDriverGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) { return *config = cudaFuncCachePreferNone, cudaSuccess; }
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  *value = limit == cudaLimitMallocHeapSize   ? 8u << 20
           : limit == cudaLimitPrintfFifoSize ? 1u << 20
           : limit == cudaLimitStackSize      ? 1024
                                              : 0;
  return cudaSuccess;
}
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (!properties) return finish(cudaErrorInvalidValue);
  if (device != 0) return finish(cudaErrorInvalidDevice);
  fill(*properties);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return finish(cudaErrorInvalidDevice);
  if (!value || attribute <= 0 || attribute >= cudaDevAttrMax) return finish(cudaErrorInvalidValue);
  *value = 0;
  for (const Attribute& a : kAttributes) {
    if (a.id == attribute) *value = a.value;
  }
  return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  if (!stream) return finish(cudaErrorInvalidValue);
  *stream = new CUstream_st{flags, priority};
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!real(stream)) return finish(cudaErrorInvalidResourceHandle);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return *priority = real(stream) ? stream->priority : 0, cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return *flags = real(stream) ? stream->flags : 0, cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return sticky_error(); }
cudaError_t cudaStreamQuery(cudaStream_t) { return sticky_error(); }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  return *status = cudaStreamCaptureStatusNone, cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned) {
  return callback(stream, sticky_error(), data), cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* data) { return function(data), cudaSuccess; }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  if (!event) return finish(cudaErrorInvalidValue);
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  if (!event) return finish(cudaErrorInvalidResourceHandle);
  event->at = ++event_ticks;
  event->recorded = true;
  return sticky_error();
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return event ? sticky_error() : finish(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return event ? sticky_error() : finish(cudaErrorInvalidResourceHandle);
}
// One microsecond for each event recorded in between: positive and reproducible, no measurement.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!milliseconds || !start || !end || !start->recorded || !end->recorded)
    return finish(cudaErrorInvalidResourceHandle);
  *milliseconds = 0.001f * float(std::int64_t(end->at - start->at));
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!event) return finish(cudaErrorInvalidResourceHandle);
  delete event;
  return cudaSuccess;
}

}  // extern "C"
