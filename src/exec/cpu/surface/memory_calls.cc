// Allocation, copies and fills. Host and device share one address space, so a copy is a memmove; where an end of it lies in a
// launcher's allocation or a tensor, the whole of it must.
#include <cstring>
#include <string>

#include "exec/cpu/case.h"
#include "exec/cpu/memory/host_door.h"
#include "exec/cpu/surface/internal.h"

namespace warpfuzz::cpu {
namespace {

// False after recording an out-of-bounds fault: [p, p + bytes) begins in, or next to, device memory and leaves it.
bool in_bounds(const char* call, const void* p, std::size_t bytes, bool writes) {
  if (bytes == 0 || device_range(p, bytes)) return true;
  int tensor = -1;
  std::string where;
  if (device_range(p, 1)) {
    std::size_t inside = 1, step = 1;  // how much fits: by doubling, then by halving
    while (inside + step < bytes && device_range(p, inside + step)) inside += step, step *= 2;
    for (; step > 0; step /= 2) {
      if (inside + step < bytes && device_range(p, inside + step)) inside += step;
    }
    where = describe_address(static_cast<const char*>(p) + inside, 1, &tensor);
    where = std::to_string(inside) + " of " + std::to_string(bytes) + " bytes fit" +
            (where.empty() ? "" : "; the next is " + where);
  } else {
    where = describe_address(p, bytes, &tensor);
    if (where.empty()) return true;  // host memory
  }
  record_fault(writes ? FaultClass::oob_write : FaultClass::oob_read, Place{},
               std::string(call) + (writes ? " writes" : " reads") + " past the end of device memory: " + where,
               tensor);
  return false;
}

cudaError_t copy(const char* call, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (const cudaError_t error = sticky_error()) return error;
  if (bytes == 0) return cudaSuccess;
  if (unsigned(kind) > unsigned(cudaMemcpyDefault)) return finish(cudaErrorInvalidMemcpyDirection);
  if (!to || !from) return finish(cudaErrorInvalidValue);
  if (!in_bounds(call, to, bytes, true) || !in_bounds(call, from, bytes, false)) return finish(cudaErrorInvalidValue);
  const DeviceAccess open;
  std::memmove(to, from, bytes);
  return cudaSuccess;
}

cudaError_t copy_rows(const char* call, void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  if (width > to_pitch || width > from_pitch) return finish(cudaErrorInvalidPitchValue);
  const DeviceAccess open;  // once for all rows
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t error = copy(call, static_cast<char*>(to) + row * to_pitch,
                                   static_cast<const char*>(from) + row * from_pitch, width, kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t set(const char* call, void* to, int value, std::size_t bytes) {
  if (const cudaError_t error = sticky_error()) return error;
  if (bytes == 0) return cudaSuccess;
  if (!to || !in_bounds(call, to, bytes, true)) return finish(cudaErrorInvalidValue);
  const DeviceAccess open;
  std::memset(to, value, bytes);
  return cudaSuccess;
}

cudaError_t set_rows(const char* call, void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  if (width > pitch) return finish(cudaErrorInvalidPitchValue);
  const DeviceAccess open;  // once for all rows
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t error = set(call, static_cast<char*>(to) + row * pitch, value, width);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t allocate(void** p, std::size_t bytes, Reach reach = Reach::device) {
  if (const cudaError_t error = sticky_error()) return error;
  if (!p) return finish(cudaErrorInvalidValue);
  *p = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (bytes > kGlobalMemory) return finish(cudaErrorMemoryAllocation);
  *p = device_alloc(bytes, reach);
  return *p ? cudaSuccess : finish(cudaErrorMemoryAllocation);
}

cudaError_t release(void* p) {
  if (!p) return cudaSuccess;
  return finish(static_cast<cudaError_t>(device_free(p)));
}

}  // namespace

void* symbol_address(const void* symbol) { return const_cast<void*>(symbol); }

int symbol_copy(void* to, const void* from, std::size_t symbol_bytes, std::size_t count, std::size_t offset,
                bool to_symbol) {
  const char* const call = to_symbol ? "cudaMemcpyToSymbol" : "cudaMemcpyFromSymbol";
  if (offset > symbol_bytes || count > symbol_bytes - offset) {
    record_fault(to_symbol ? FaultClass::oob_write : FaultClass::oob_read, Place{},
                 std::string(call) + ": bytes " + std::to_string(offset) + " to " + std::to_string(offset + count) +
                     " of a symbol of " + std::to_string(symbol_bytes) + " bytes");
    return finish(cudaErrorInvalidValue);
  }
  if (to_symbol) return copy(call, static_cast<char*>(to) + offset, from, count, cudaMemcpyHostToDevice);
  return copy(call, to, static_cast<const char*>(from) + offset, count, cudaMemcpyDeviceToHost);
}

}  // namespace warpfuzz::cpu

using namespace warpfuzz::cpu;

extern "C" {

cudaError_t cudaMalloc(void** p, size_t bytes) { return allocate(p, bytes); }
cudaError_t cudaMallocAsync(void** p, size_t bytes, cudaStream_t) { return allocate(p, bytes); }
cudaError_t cudaMallocFromPoolAsync(void** p, size_t bytes, cudaMemPool_t, cudaStream_t) { return allocate(p, bytes); }
cudaError_t cudaMallocHost(void** p, size_t bytes) { return allocate(p, bytes, Reach::host_too); }
cudaError_t cudaHostAlloc(void** p, size_t bytes, unsigned) { return allocate(p, bytes, Reach::host_too); }
cudaError_t cudaMallocManaged(void** p, size_t bytes, unsigned) { return allocate(p, bytes, Reach::host_too); }
cudaError_t cudaMallocPitch(void** p, size_t* pitch, size_t width, size_t height) {
  if (!pitch) return finish(cudaErrorInvalidValue);
  *pitch = (width + 511) / 512 * 512;
  return allocate(p, *pitch * height);
}
cudaError_t cudaFree(void* p) { return release(p); }
cudaError_t cudaFreeAsync(void* p, cudaStream_t) { return release(p); }
cudaError_t cudaFreeHost(void* p) { return release(p); }
cudaError_t cudaHostRegister(void*, size_t, unsigned) { return cudaSuccess; }
cudaError_t cudaHostUnregister(void*) { return cudaSuccess; }
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return cudaSuccess;
}
cudaError_t cudaHostGetFlags(unsigned* flags, void*) {
  *flags = 0;
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* out, const void* p) {
  if (!out) return finish(cudaErrorInvalidValue);
  *out = {};
  const bool device = device_range(p, 1);
  out->type = device ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
  out->devicePointer = device ? const_cast<void*>(p) : nullptr;
  out->device = device ? 0 : -2;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return copy("cudaMemcpy", to, from, bytes, kind);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  return copy("cudaMemcpyAsync", to, from, bytes, kind);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return copy_rows("cudaMemcpy2D", to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t) {
  return copy_rows("cudaMemcpy2DAsync", to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemset(void* to, int value, size_t bytes) { return set("cudaMemset", to, value, bytes); }
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t) {
  return set("cudaMemsetAsync", to, value, bytes);
}
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return set_rows("cudaMemset2D", to, pitch, value, width, height);
}
cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t) {
  return set_rows("cudaMemset2DAsync", to, pitch, value, width, height);
}

// The size of the symbol is unknown in the C form; the templates of warpfuzz_cuda/runtime.h know it.
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind) {
  return copy("cudaMemcpyToSymbol", static_cast<char*>(const_cast<void*>(symbol)) + offset, from, bytes,
              cudaMemcpyHostToDevice);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind) {
  return copy("cudaMemcpyFromSymbol", to, static_cast<const char*>(symbol) + offset, bytes, cudaMemcpyDeviceToHost);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t) {
  return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  *address = const_cast<void*>(symbol);
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total) {
  if (free_bytes) *free_bytes = kGlobalMemory;
  if (total) *total = kGlobalMemory;
  return cudaSuccess;
}
#if CUDART_VERSION >= 13000
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation) { return cudaSuccess; }
cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t) { return cudaSuccess; }
#else
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, int) { return cudaSuccess; }
cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t) { return cudaSuccess; }
#endif
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t, unsigned) { return cudaSuccess; }

}  // extern "C"
