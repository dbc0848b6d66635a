// AddressSanitizer's reports in our words: which tensor, shared array or local variable, by how much, by which thread and line.
// The process ends after such a report; the death hook is told first. All of the sanitizer's functions are weak: without
// it this file only symbolizes nothing.
#include <cstdio>
#include <cstring>
#include <string>

#include "exec/cpu/case.h"
#include "exec/cpu/state.h"

extern "C" {
void* __asan_get_report_pc() __attribute__((weak));
void* __asan_get_report_address() __attribute__((weak));
int __asan_get_report_access_type() __attribute__((weak));
std::size_t __asan_get_report_access_size() __attribute__((weak));
const char* __asan_get_report_description() __attribute__((weak));
const char* __asan_locate_address(void* addr, char* name, std::size_t name_size, void** region, std::size_t* size) __attribute__((weak));
void __asan_get_shadow_mapping(std::size_t* scale, std::size_t* offset) __attribute__((weak));
void __sanitizer_symbolize_pc(void* pc, const char* format, char* out, std::size_t size) __attribute__((weak));
}

namespace warpfuzz::cpu {
namespace {

DeathHook death_hook = nullptr;

// Functions of our surface and of CUDA's headers are inlined into the kernel: the user's line is the first one outside.
bool is_library_file(const char* file) {
  for (const char* part : {"warpfuzz_cuda/", "/src/exec/", "cuda_fp16.h", "cuda_bf16.h", "/cuda/", "/include/c++/", "vector_functions."}) {
    if (std::strstr(file, part)) return true;
  }
  return false;
}

std::string offset_text(const std::string& what, const char* at, std::size_t access, const char* lo, std::size_t bytes) {
  std::string size = what + " (" + std::to_string(bytes) + " bytes)";
  if (at < lo) return std::to_string(lo - at) + " bytes before the start of " + size;
  std::size_t offset = static_cast<std::size_t>(at - lo);
  if (offset >= bytes) return std::to_string(offset - bytes + access) + " bytes past the end of " + size;
  if (offset + access > bytes) return std::to_string(offset + access - bytes) + " bytes across the end of " + size;
  return "inside " + size;
}

// A variable of the kernel's own stack frame, from the frame's description: "2 32 4 3 sum 48 128 1 a" is the number of variables, then
// offset, size, length of the name, name (with ":line") of each.
std::string describe_local(const char* at, std::size_t access) {
  Fiber* f = executor.pool ? executor.pool->owner(at, true) : nullptr;
  if (!f || !__asan_get_shadow_mapping) return "";
  constexpr std::uint8_t kLeftRedZone = 0xf1;
  constexpr std::uintptr_t kFrameMagic = 0x41B58AB3;
  std::size_t scale, offset;
  __asan_get_shadow_mapping(&scale, &offset);
  auto shadow = [&](const char* p) { return reinterpret_cast<const std::uint8_t*>((reinterpret_cast<std::uintptr_t>(p) >> scale) + offset); };
  const std::uint8_t *s = shadow(at), *bottom = shadow(f->stack_lo);
  while (s > bottom && *s != kLeftRedZone) --s;
  while (s > bottom && s[-1] == kLeftRedZone) --s;
  auto* frame = reinterpret_cast<const std::uintptr_t*>((reinterpret_cast<std::uintptr_t>(s) - offset) << scale);
  if (s <= bottom || frame[0] != kFrameMagic) return "a local variable";
  const char* base = reinterpret_cast<const char*>(frame);
  const char* text = reinterpret_cast<const char*>(frame[1]);
  int count = 0, used = 0;
  if (std::sscanf(text, "%d%n", &count, &used) != 1) return "a local variable";
  text += used;
  std::string best = "a local variable";
  std::size_t best_distance = ~std::size_t{0};
  for (int i = 0; i < count; ++i) {
    unsigned long start, size;
    int length;
    if (std::sscanf(text, " %lu %lu %d%n", &start, &size, &length, &used) != 3) break;
    text += used + 1;
    std::string name(text, static_cast<std::size_t>(length));
    text += length;
    const char* lo = base + start;
    std::size_t distance = at < lo ? static_cast<std::size_t>(lo - at) : at >= lo + size ? static_cast<std::size_t>(at - lo) - size : 0;
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = offset_text("local variable " + name.substr(0, name.find(':')), at, access, lo, size);
  }
  return best;
}

std::string describe_other(const char* at, std::size_t access) {
  std::string local = describe_local(at, access);
  if (!local.empty() || !__asan_locate_address) return local;
  char name[128] = "";
  void* region = nullptr;
  std::size_t size = 0;
  std::string kind = __asan_locate_address(const_cast<char*>(at), name, sizeof name, &region, &size);
  if (!region) return "in no tensor of the case";
  return offset_text(name[0] ? kind + " variable " + name : kind + " memory", at, access, static_cast<const char*>(region), size);
}

void classify(ExecStatus& s) {
  auto pc = reinterpret_cast<std::uintptr_t>(__asan_get_report_pc());
  auto* at = static_cast<const char*>(__asan_get_report_address());
  std::size_t access = __asan_get_report_access_size();
  s.place = place_at({});
  s.tensor = -1;
  if (!pc) {
    // Not an access: a signal outside kernels, a double free ...
    const char* text = __asan_get_report_description ? __asan_get_report_description() : nullptr;
    s.fault = FaultClass::launch;
    s.message = std::string(in_kernel() ? "the kernel" : "the launcher's host code") + " died: AddressSanitizer " + (text && *text ? text : "error");
    return;
  }
  symbolize(pc, s.place.file, s.place.line);
  bool write = __asan_get_report_access_type() != 0;
  s.fault = write ? FaultClass::oob_write : FaultClass::oob_read;
  std::string where;
  if (device_arena().contains(at) || shared_arena().contains(at)) where = describe_address(at, access, &s.tensor);
  if (where.empty()) where = describe_other(at, access);
  s.message = std::string(write ? "write of " : "read of ") + std::to_string(access) + " bytes " + where;
}

}  // namespace

void set_death_hook(DeathHook hook) { death_hook = hook; }

bool symbolize(std::uintptr_t pc, std::string& file, int& line) {
  if (!__sanitizer_symbolize_pc) return false;
  char text[4096];
  std::memset(text, 0, sizeof text);
  __sanitizer_symbolize_pc(reinterpret_cast<void*>(pc), "%l %s", text, sizeof text - 2);  // one string an inlined frame
  bool found = false;
  for (const char* frame = text; *frame; frame += std::strlen(frame) + 1) {
    int at = 0, used = 0;
    if (std::sscanf(frame, "%d %n", &at, &used) != 1 || at <= 0 || frame[used] == '<') continue;
    if (found && is_library_file(frame + used)) continue;
    file = frame + used;
    line = at;
    found = true;
    if (!is_library_file(frame + used)) return true;
  }
  return found;
}

void locate(const void* pc, Place& place) { symbolize(reinterpret_cast<std::uintptr_t>(pc), place.file, place.line); }

}  // namespace warpfuzz::cpu

// Called by AddressSanitizer before it prints a report.
extern "C" void __asan_on_error() {
  using namespace warpfuzz;
  static bool told = false;
  if (told || !__asan_get_report_pc) return;
  told = true;
  ExecStatus& s = cpu::current_case().status;
  cpu::classify(s);
  std::fprintf(stderr, "==WARPFUZZ== %s%s%s: %s\n", std::string(fault_name(s.fault)).c_str(), s.place.kernel.empty() ? "" : " in ",
               s.place.kernel.empty() ? "" : describe(s.place).c_str(), s.message.c_str());
  std::fflush(stderr);
  if (cpu::death_hook) cpu::death_hook(s);
}
