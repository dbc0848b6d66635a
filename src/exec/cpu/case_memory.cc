// Memory that kernels see: tensors, launcher allocations, dynamic and static shared memory.
#include <algorithm>

#include "exec/cpu/case.h"
#include "exec/cpu/memory/host_door.h"
#include "exec/cpu/state.h"
#include "exec/launch.h"

namespace warpfuzz::cpu {
namespace {
constexpr std::size_t kDeviceAlign = 256, kDynamicSharedAlign = 256;
constexpr int kInvalidValue = 1;

// Shared memory of the running launch.
std::uint64_t first_epoch = 0;  // slots touched since then have storage
std::size_t dynamic_bytes = 0, static_bytes = 0;

std::uint64_t untyped_poison(PoisonKind kind) { return poison_bits(DType::f64, kind, current_case().variant); }

std::uint64_t shared_poison(std::size_t element_size) {
  int variant = current_case().variant;
  switch (element_size) {
    case 1: return repeated(poison_bits(DType::u8, PoisonKind::shared, variant), 1);
    case 2: return repeated(poison_bits(DType::f16, PoisonKind::shared, variant), 2);
    case 4: return repeated(poison_bits(DType::f32, PoisonKind::shared, variant), 4);
    default: return untyped_poison(PoisonKind::shared);
  }
}
}  // namespace

GuardedArena& device_arena() {
  static GuardedArena* arena = new GuardedArena(device_addresses(), 64 << 10, 1 << 20);
  return *arena;
}
GuardedArena& shared_arena() {
  static GuardedArena* arena = new GuardedArena(shared_addresses(), 16 << 10, 16 << 10);
  return *arena;
}
LargeArena& large_arena() {
  static LargeArena* arena = new LargeArena(large_addresses());
  return *arena;
}

void* allocate_tensor(const char* name, int tensor, std::size_t bytes, std::size_t element_size) {
  void* p = device_arena().allocate(bytes, kDeviceAlign);
  if (!p)
    target_error(std::string("tensor ") + name + " of " + std::to_string(bytes) +
                 " bytes does not fit in device memory (4 GiB)");
  current_case().regions.push_back(
      {RegionKind::tensor, static_cast<char*>(p), bytes, name, element_size, tensor, false});
  return p;
}

void* device_alloc(std::size_t bytes, Reach reach) {
  Case& c = current_case();
  if (bytes > kDeviceMemory - c.allocated_bytes) return nullptr;
  const std::uint64_t poison = untyped_poison(PoisonKind::workspace);
  void* p = bytes < LargeArena::kPiece ? device_arena().allocate(bytes, kDeviceAlign) : nullptr;
  if (p) raw_fill(p, poison, bytes);
  else p = large_arena().allocate(bytes, poison);
  if (!p) return nullptr;
  c.allocated_bytes += bytes;
  c.regions.push_back(
      {RegionKind::allocation, static_cast<char*>(p), bytes, "", 1, -1, false, reach == Reach::host_too});
  close_new_region(c.regions.back());
  return p;
}

int device_free(void* p) {
  if (!p) return 0;
  Case& c = current_case();
  for (Region& r : c.regions) {
    if (r.kind != RegionKind::allocation || r.lo != p || r.freed) continue;
    open_old_region(r);
    r.freed = true;
    c.allocated_bytes -= r.bytes;
    if (large_addresses().contains(p)) large_arena().release(p);
    else device_arena().release(p, r.bytes);
    return 0;
  }
  return kInvalidValue;
}

bool device_range(const void* p, std::size_t bytes) {
  const char* at = static_cast<const char*>(p);
  for (const Region& r : current_case().regions) {
    if (r.kind > RegionKind::allocation || r.freed || at < r.lo) continue;
    std::size_t offset = static_cast<std::size_t>(at - r.lo);
    if (offset <= r.bytes && bytes <= r.bytes - offset) return true;
  }
  return false;
}

void begin_launch_memory(std::size_t dynamic_shared) {
  first_epoch = executor.epoch + 1;
  dynamic_bytes = dynamic_shared;
  static_bytes = 0;
  warpfuzz_dynamic_shared = nullptr;
  if (!dynamic_shared) return;
  warpfuzz_dynamic_shared = shared_arena().allocate(dynamic_shared, kDynamicSharedAlign);
  current_case().regions.push_back(
      {RegionKind::dynamic_shared, static_cast<char*>(warpfuzz_dynamic_shared), dynamic_shared, "", 1, -1, false});
}

void begin_block_memory() {
  if (dynamic_bytes) raw_fill(warpfuzz_dynamic_shared, untyped_poison(PoisonKind::shared), dynamic_bytes);
}

void end_launch_memory() {
  if (dynamic_bytes || static_bytes) {
    std::erase_if(current_case().regions, [](const Region& r) { return r.kind >= RegionKind::dynamic_shared; });
    shared_arena().reset();
  }
  dynamic_bytes = static_bytes = 0;
  warpfuzz_dynamic_shared = nullptr;
}

void* shared_storage(SharedSlot& slot, std::size_t bytes, std::size_t align, std::size_t elements, const char* name,
                     Site site) {
  if (slot.epoch == warpfuzz_block_epoch && slot.epoch != 0) return slot.data;
  if (!executor.current) outside_kernel("a __shared__ variable", site);
  Case& c = current_case();
  std::size_t element_size = elements ? bytes / elements : bytes;
  if (slot.epoch < first_epoch) {
    if (static_bytes + bytes > kSharedDefault) {
      note_fault(FaultClass::launch, site,
                 "static shared memory of the kernel is " + std::to_string(static_bytes + bytes) + " bytes with '" +
                     name + "', at most " + std::to_string(kSharedDefault) +
                     " are allowed (a CUDA compiler refuses this kernel)");
      leave_kernel();
    }
    slot.data = shared_arena().allocate(bytes, std::max(align, std::size_t{16}));
    static_bytes += bytes;
    c.regions.push_back(
        {RegionKind::static_shared, static_cast<char*>(slot.data), bytes, name, element_size, -1, false});
    auto extent = static_cast<std::uint32_t>(elements);
    auto& extents = c.status.shared_extents;
    if (std::find(extents.begin(), extents.end(), extent) == extents.end()) extents.push_back(extent);
  }
  slot.epoch = warpfuzz_block_epoch;
  raw_fill(slot.data, shared_poison(element_size), bytes);
  return slot.data;
}

std::string describe_address(const void* address, std::size_t size, int* tensor) {
  *tensor = -1;
  const char* at = static_cast<const char*>(address);
  const Region* nearest = nullptr;
  std::size_t best = std::size_t{2} << 20;  // farther away is nobody's neighbour
  for (const Region& r : current_case().regions) {
    std::size_t distance = at < r.lo              ? static_cast<std::size_t>(r.lo - at)
                           : at >= r.lo + r.bytes ? static_cast<std::size_t>(at - r.lo) - r.bytes + 1
                                                  : 0;
    if (distance < best) {
      best = distance;
      nearest = &r;
    }
  }
  if (!nearest) return "";
  const Region& r = *nearest;
  *tensor = r.tensor;
  std::string what;
  switch (r.kind) {
    case RegionKind::tensor:
      what = "tensor " + r.name + " (" + std::to_string(r.bytes / r.element_size) + " elements)";
      break;
    case RegionKind::allocation: what = "a launcher allocation of " + std::to_string(r.bytes) + " bytes"; break;
    case RegionKind::dynamic_shared: what = "dynamic shared memory (" + std::to_string(r.bytes) + " bytes)"; break;
    case RegionKind::static_shared:
      what = "shared array " + r.name + " (" + std::to_string(r.bytes / r.element_size) + " elements)";
  }
  if (best == 0 && r.freed) return "inside " + what + " that was freed";
  if (best == 0) {
    std::size_t over = static_cast<std::size_t>(at - r.lo) + size;
    return over > r.bytes ? std::to_string(over - r.bytes) + " bytes across the end of " + what : "inside " + what;
  }
  bool untyped = r.element_size <= 1;
  std::size_t unit = untyped ? 1 : r.element_size;
  const char* noun = untyped ? " byte" : " element";
  // The first element past the end is 1 past, the last before the start 1 before; bytes count as far as the access
  // reaches.
  std::size_t n = at < r.lo ? (best + unit - 1) / unit : untyped ? best - 1 + size : (best - 1) / unit + 1;
  return std::to_string(n) + noun + (n == 1 ? "" : "s") + (at < r.lo ? " before the start of " : " past the end of ") +
         what;
}

}  // namespace warpfuzz::cpu
