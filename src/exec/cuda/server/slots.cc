#include "exec/cuda/server/slots.h"

#include "exec/cuda/wire.h"

namespace warpfuzz::cuda {
namespace {

// The driver's functions, without linking its library: a machine without a driver must still start this binary.
template <class F>
bool find(const char* name, F& function) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  if (cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result) != cudaSuccess || !found)
    return false;
  function = reinterpret_cast<F>(found);
  return true;
}

struct Driver {
  decltype(&cuMemAddressReserve) reserve = nullptr;
  decltype(&cuMemCreate) create = nullptr;
  decltype(&cuMemMap) map = nullptr;
  decltype(&cuMemUnmap) unmap = nullptr;
  decltype(&cuMemRelease) release = nullptr;
  decltype(&cuMemSetAccess) set_access = nullptr;
  decltype(&cuMemGetAllocationGranularity) granularity = nullptr;
  bool complete = false;
};
const Driver& driver() {
  static const Driver d = [] {
    Driver x;
    x.complete = find("cuMemAddressReserve", x.reserve) && find("cuMemCreate", x.create) && find("cuMemMap", x.map) &&
                 find("cuMemUnmap", x.unmap) && find("cuMemRelease", x.release) &&
                 find("cuMemSetAccess", x.set_access) && find("cuMemGetAllocationGranularity", x.granularity);
    return x;
  }();
  return d;
}

CUmemAllocationProp properties(int device) {
  CUmemAllocationProp p{};
  p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  p.location.id = device;
  return p;
}

std::string failed(const char* what, CUresult r) {
  return std::string(what) + " failed with CUDA driver error " + std::to_string(static_cast<int>(r));
}

}  // namespace

std::string Slots::open(int device) {
  const Driver& d = driver();
  if (!d.complete) return "the driver has no virtual memory management (cuMemMap): expected driver 11.2 or newer";
  device_ = device;
  const CUmemAllocationProp p = properties(device);
  if (CUresult r = d.granularity(&granularity_, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM))
    return failed("cuMemGetAllocationGranularity", r);
  if (CUresult r = d.reserve(&base_, kMaxTensors * kSlotStride, kSlotStride, 0, 0))
    return failed("cuMemAddressReserve of 32 GiB", r);
  return {};
}

bool Slots::grows(int k, std::size_t bytes) const { return memory_[k].bytes < round_up(bytes, kUnit) + kFrontZone; }

std::string Slots::reserve(int k, std::size_t bytes) {
  if (!grows(k, bytes)) return {};
  const Driver& d = driver();
  Memory& m = memory_[k];
  const CUdeviceptr at = base_ + static_cast<std::size_t>(k) * kSlotStride;
  if (m.bytes) {
    if (CUresult r = d.unmap(at, m.bytes)) return failed("cuMemUnmap", r);
    d.release(m.handle);
    m.bytes = 0;
  }
  // Twice what is asked for: cases grow step by step.
  const std::size_t size = round_up(2 * bytes + kFrontZone + kUnit, granularity_);
  const CUmemAllocationProp p = properties(device_);
  if (CUresult r = d.create(&m.handle, size, &p, 0)) return failed("cuMemCreate", r);
  if (CUresult r = d.map(at, size, 0, m.handle, 0)) return failed("cuMemMap", r);
  m.bytes = size;
  CUmemAccessDesc access{};
  access.location = p.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  if (CUresult r = d.set_access(at, size, &access, 1)) return failed("cuMemSetAccess", r);
  return {};
}

std::uint64_t Slots::place(int k, std::size_t bytes) const {
  return base_ + static_cast<std::size_t>(k) * kSlotStride + memory_[k].bytes - round_up(bytes, kUnit);
}

}  // namespace warpfuzz::cuda
