// What is closed, and what an access of it is called.
#include "exec/cpu/memory/host_door.h"

#include <cstdint>
#include <vector>

#include "exec/cpu/memory/address_space.h"
#include "exec/cpu/memory/device_globals.h"

extern "C" void __asan_get_shadow_mapping(std::size_t* scale, std::size_t* offset) __attribute__((weak));

namespace warpfuzz::cpu {
namespace {

struct Door {
  bool host_code = false;
  int open = 0;  // instances of DeviceAccess
  bool closed() const { return host_code && open == 0; }
};
Door door;

// Of a larger region the ends alone are closed, where host code starts and stops to touch it: a launch costs the same
// whatever the size of a workspace.
constexpr std::size_t kWhole = 256 << 10, kEnd = 64 << 10;

bool is_device_memory(const Region& r) {
  return !r.freed && r.bytes && !r.host_reaches && r.kind <= RegionKind::allocation;
}

template <class F>
void for_each_closed_part(const Region& r, F&& change) {
  if (!is_device_memory(r)) return;
  if (r.bytes <= kWhole) return change(r.lo, r.bytes);
  const std::size_t last = (r.bytes - kEnd) & ~std::size_t{7};
  change(r.lo, kEnd);
  change(r.lo + last, r.bytes - last);
}

// The sanitizer's shadow of the device's variables: its own red zones lie between them.
class VariablesShadow {
 public:
  VariablesShadow() {
    const DeviceGlobals g = device_globals();
    if (!__asan_get_shadow_mapping || g.size < 8) return;
    std::size_t scale, offset;
    __asan_get_shadow_mapping(&scale, &offset);
    const auto from = (reinterpret_cast<std::uintptr_t>(g.begin) + 7) >> scale;
    const auto to = reinterpret_cast<std::uintptr_t>(g.begin + g.size) >> scale;
    shadow_ = reinterpret_cast<char*>(from + offset);
    open_.resize(to - from);
    raw_copy(open_.data(), shadow_, open_.size());
  }
  void open() const { raw_copy(shadow_, open_.data(), open_.size()); }
  void close() const {
    constexpr std::uint64_t kUserPoison = 0xf7f7f7f7f7f7f7f7u;
    raw_fill(shadow_, kUserPoison, open_.size());
  }

 private:
  char* shadow_ = nullptr;
  std::vector<char> open_;
};
const VariablesShadow& variables() {
  static const VariablesShadow* const shadow = new VariablesShadow;
  return *shadow;
}

void close_all() {
  for (const Region& r : current_case().regions) for_each_closed_part(r, forbid);
  variables().close();
}
void open_all() {
  for (const Region& r : current_case().regions) for_each_closed_part(r, allow);
  variables().open();
}

}  // namespace

void begin_host_code() {
  variables();  // their shadow as the sanitizer has made it
  door = {true, 0};
  close_all();
}
void end_host_code() {
  if (door.closed()) open_all();
  door = {};
}

DeviceAccess::DeviceAccess() {
  if (door.closed()) open_all();
  ++door.open;
}
DeviceAccess::~DeviceAccess() {
  --door.open;
  if (door.closed()) close_all();
}

void close_new_region(const Region& region) {
  if (door.closed()) for_each_closed_part(region, forbid);
}
void open_old_region(const Region& region) {
  if (door.closed()) for_each_closed_part(region, allow);
}

std::string closed_to_host(const void* address, std::size_t size, int* tensor) {
  *tensor = -1;
  if (!door.closed()) return "";
  const char* at = static_cast<const char*>(address);
  for (const Region& r : current_case().regions) {
    if (!is_device_memory(r) || at < r.lo || at >= r.lo + r.bytes) continue;
    *tensor = r.tensor;
    const std::size_t element = static_cast<std::size_t>(at - r.lo) / r.element_size;
    if (r.kind == RegionKind::allocation)
      return "byte " + std::to_string(element) + " of a cudaMalloc of " + std::to_string(r.bytes) + " bytes";
    return "element " + std::to_string(element) + " of tensor " + r.name + " (" +
           std::to_string(r.bytes / r.element_size) + " elements)";
  }
  const DeviceGlobals g = device_globals();
  if (at >= g.begin && at < g.begin + g.size) return "a __device__ or __constant__ variable";
  return device_addresses().contains(at) || large_addresses().contains(at) ? describe_address(at, size, tensor) : "";
}

}  // namespace warpfuzz::cpu
