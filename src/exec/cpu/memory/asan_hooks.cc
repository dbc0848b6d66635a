// AddressSanitizer's reports in our words: which tensor, shared array or local variable, by how much, by which thread
// and line. The process ends after such a report; the death hook is told first. All of the sanitizer's functions are
// weak: without it this file only symbolizes nothing.
#include <unwind.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "exec/cpu/case.h"
#include "exec/cpu/memory/host_door.h"
#include "exec/cpu/state.h"
#include "schema/target_code.h"

extern "C" {
void* __asan_get_report_pc() __attribute__((weak));
void* __asan_get_report_address() __attribute__((weak));
int __asan_get_report_access_type() __attribute__((weak));
std::size_t __asan_get_report_access_size() __attribute__((weak));
const char* __asan_get_report_description() __attribute__((weak));
void __asan_get_shadow_mapping(std::size_t* scale, std::size_t* offset) __attribute__((weak));
void __sanitizer_symbolize_pc(void* pc, const char* format, char* out, std::size_t size) __attribute__((weak));
void __sanitizer_symbolize_global(void* address, const char* format, char* out, std::size_t size) __attribute__((weak));
}

namespace warpfuzz::cpu {
namespace {

DeathHook death_hook;  // __asan_on_error() is called without a context

// Functions of our surface and of CUDA's headers are inlined into the kernel: the user's line is the first one outside. Where a
// user's project may well have such a folder too (src/pipeline), our files are named one by one.
bool is_library_file(const char* file) {
  for (const char* part :
       {"warpfuzz_cuda/", "/src/exec/", "/src/engine/", "/src/pipeline/run_case.cc", "/src/process/death/",
        "/src/process/watchdog.cc", "/include/warpfuzz/", "/src/service/service.cc", "/src/base/hook.h", "compiler-rt/",
        "cuda_fp16.h", "cuda_bf16.h", "/cuda/", "/include/c++/", "vector_functions."}) {
    if (std::strstr(file, part)) return true;
  }
  return false;
}

// Of the C and C++ libraries, which name their sources relative to their own folders.
bool is_system_file(const char* file) {
  if (std::strstr(file, "libstdc++-v3/") || std::strstr(file, "/sysdeps/")) return true;
  for (const char* folder : {"nptl/", "stdlib/", "signal/", "assert/", "debug/", "sysdeps/", "string/", "csu/"}) {
    if (std::strncmp(file, "./", 2) == 0 ? !std::strncmp(file + 2, folder, std::strlen(folder))
                                         : !std::strncmp(file, folder, std::strlen(folder)))
      return true;
  }
  return false;
}

std::string offset_text(const std::string& what, const char* at, std::size_t access, const char* lo,
                        std::size_t bytes) {
  std::string size = what + " (" + std::to_string(bytes) + " bytes)";
  if (at < lo) return std::to_string(lo - at) + " bytes before the start of " + size;
  std::size_t offset = static_cast<std::size_t>(at - lo);
  if (offset >= bytes) return std::to_string(offset - bytes + access) + " bytes past the end of " + size;
  if (offset + access > bytes) return std::to_string(offset + access - bytes) + " bytes across the end of " + size;
  return "inside " + size;
}

// The sanitizer's shadow: one byte for eight of the program's, 0 or 1..7 where all or the first few are addressable.
struct Shadow {
  Shadow() { __asan_get_shadow_mapping(&scale, &offset); }
  const std::uint8_t* of(const char* p) const {
    return reinterpret_cast<const std::uint8_t*>((reinterpret_cast<std::uintptr_t>(p) >> scale) + offset);
  }
  const char* memory(const std::uint8_t* s) const {
    return reinterpret_cast<const char*>((reinterpret_cast<std::uintptr_t>(s) - offset) << scale);
  }
  std::size_t scale, offset;
};

// A variable of the kernel's own stack frame, from the frame's description: "2 32 4 3 sum 48 128 1 a" is the number of
// variables, then offset, size, length of the name, name (with ":line") of each.
__attribute__((no_sanitize("address"))) std::string describe_local(const char* at, std::size_t access) {
  Fiber* f = executor.pool ? executor.pool->owner(at, true) : nullptr;
  if (!f) return "";
  constexpr std::uint8_t kLeftRedZone = 0xf1;
  constexpr std::uintptr_t kFrameMagic = 0x41B58AB3;
  Shadow shadow;
  const std::uint8_t *s = shadow.of(at), *bottom = shadow.of(f->stack_lo);
  while (s > bottom && *s != kLeftRedZone) --s;
  while (s > bottom && s[-1] == kLeftRedZone) --s;
  const char* base = shadow.memory(s);
  auto* frame = reinterpret_cast<const std::uintptr_t*>(base);
  if (s <= bottom || frame[0] != kFrameMagic) return "a local variable";
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
    std::size_t distance = at < lo           ? static_cast<std::size_t>(lo - at)
                           : at >= lo + size ? static_cast<std::size_t>(at - lo) - size
                                             : 0;
    if (distance >= best_distance) continue;
    best_distance = distance;
    // "values.i.i:12": the line, and a suffix for each function that it was inlined through.
    best = offset_text("local variable " + name.substr(0, name.find_first_of(".:")), at, access, lo, size);
  }
  return best;
}

std::string global_name(const char* inside) {
  char name[256] = "";
  if (__sanitizer_symbolize_global) __sanitizer_symbolize_global(const_cast<char*>(inside), "%g", name, sizeof name);
  return name[0] ? std::string("global variable ") + name : "a global variable";
}

// The nearer of the global variables below and above. (The sanitizer's own search takes a lock that a report already
// holds.)
std::string describe_global(const char* at, std::size_t access) {
  constexpr std::uint8_t kGlobalRedZone = 0xf9;
  constexpr std::ptrdiff_t kReach = 1 << 15;
  auto addressable = [](std::uint8_t s) { return s < 8; };
  Shadow shadow;
  const std::uint8_t* here = shadow.of(at);
  std::ptrdiff_t down = 0, up = 1;
  while (down < kReach && here[-down] == kGlobalRedZone) ++down;
  while (up < kReach && here[up] == kGlobalRedZone) ++up;
  if (!addressable(here[-down]) || (down == 0 && here[1] != kGlobalRedZone)) return "";
  std::uint8_t last = here[-down];
  const char* end = shadow.memory(here - down) + (last ? last : 8);
  const char* start = shadow.memory(here + up);
  if (addressable(here[up]) && start - at < at - end)
    return std::to_string(start - at) + " bytes before the start of " + global_name(start);
  return std::to_string(at - end + static_cast<std::ptrdiff_t>(access)) + " bytes past the end of " +
         global_name(end - 1);
}

std::string describe_other(const char* at, std::size_t access) {
  if (!__asan_get_shadow_mapping) return "";
  std::string where = describe_local(at, access);
  if (where.empty()) where = describe_global(at, access);
  if (!where.empty()) return where;
  constexpr std::uint8_t kHeapRedZone = 0xfa, kHeapFreed = 0xfd;
  std::uint8_t s = *Shadow().of(at);
  return s == kHeapRedZone ? "out of the bounds of heap memory"
         : s == kHeapFreed ? "inside freed heap memory"
                           : "in no tensor of the case";
}

// lost_line: the innermost frame of the user's code has no line, so that the answer is a caller's.
bool symbolize_exactly(std::uintptr_t pc, std::string& file, int& line, bool& lost_line) {
  char text[4096];
  std::memset(text, 0, sizeof text);
  __sanitizer_symbolize_pc(reinterpret_cast<void*>(pc), "%l %s", text, sizeof text - 2);  // one string an inlined frame
  bool found = false;
  for (const char* frame = text; *frame; frame += std::strlen(frame) + 1) {
    int at = 0, used = 0;
    if (std::sscanf(frame, "%d %n", &at, &used) != 1 || frame[used] == '<') continue;
    const bool library = is_library_file(frame + used);
    if (at <= 0) {
      lost_line = lost_line || !library;
      continue;
    }
    if (found && library) continue;
    file = frame + used;
    line = at;
    found = true;
    if (!library) return true;
  }
  return found;
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
    s.message = std::string(in_kernel() ? "the kernel" : "the launcher's host code") + " died: AddressSanitizer " +
                (text && *text ? text : "error");
    return;
  }
  symbolize(pc, s.place.file, s.place.line);
  bool write = __asan_get_report_access_type() != 0;
  if (const std::string what = closed_to_host(at, access, &s.tensor); !what.empty()) {
    if (s.place.file.empty()) {  // memcpy and its kind have no line
      const Place caller = host_place();
      s.place.file = caller.file;
      s.place.line = caller.line;
    }
    s.fault = FaultClass::host_access;
    s.message = std::string("the launcher's host code ") + (write ? "writes " : "reads ") + std::to_string(access) +
                " bytes at " + what + ", which is device memory" +
                (s.place.file.empty() ? "" : ", at " + s.place.file + ":" + std::to_string(s.place.line));
    return;
  }
  s.fault = write ? FaultClass::oob_write : FaultClass::oob_read;
  std::string where;
  if (device_arena().contains(at) || shared_arena().contains(at) || large_addresses().contains(at))
    where = describe_address(at, access, &s.tensor);
  if (where.empty()) where = describe_other(at, access);
  s.message = std::string(write ? "write of " : "read of ") + std::to_string(access) + " bytes " + where;
}

// The target's reference or constraint did it: no finding, whatever the sanitizer calls it.
[[noreturn]] void end_in_target_code(const std::string& code) {
  ExecStatus s;
  classify(s);
  if (!__asan_get_report_pc()) {
    const char* text = __asan_get_report_description ? __asan_get_report_description() : nullptr;
    s.message = std::string("AddressSanitizer: ") + (text && *text ? text : "error");
  }
  const Place place = host_place();
  target_error(code + ": " + s.message +
               (place.file.empty() ? "" : " at " + place.file + ":" + std::to_string(place.line)));
}

}  // namespace

void set_death_hook(DeathHook hook) { death_hook = hook; }

bool symbolize(std::uintptr_t pc, std::string& file, int& line) {
  if (!__sanitizer_symbolize_pc) return false;
  // An instruction that the optimiser made of several has line 0, and only the call that it was inlined into has one: a
  // neighbour in front of it says more.
  constexpr std::uintptr_t kStep = 4, kReach = 64;
  for (std::uintptr_t back = 0; back <= kReach; back += kStep) {
    bool lost_line = false;
    if (symbolize_exactly(pc - back, file, line, lost_line) && !lost_line) return true;
    if (!lost_line) break;
  }
  bool lost_line = false;
  return symbolize_exactly(pc, file, line, lost_line);
}

Place host_place() {
  Place place;
  const auto look = [](_Unwind_Context* context, void* into) {
    Place found;
    const bool known = symbolize(static_cast<std::uintptr_t>(_Unwind_GetIP(context)) - 1, found.file, found.line);
    if (!known || is_library_file(found.file.c_str()) || is_system_file(found.file.c_str())) return _URC_NO_REASON;
    *static_cast<Place*>(into) = found;
    return _URC_END_OF_STACK;
  };
  _Unwind_Backtrace(look, &place);
  return place;
}

void locate(const void* pc, Place& place) { symbolize(reinterpret_cast<std::uintptr_t>(pc), place.file, place.line); }

}  // namespace warpfuzz::cpu

// Instrumented code calls this before a function that does not return (linked with --wrap). On a fiber the sanitizer
// would print a warning that it does not know the stack; what a fault leaves behind on it is cleaned up with the fiber.
extern "C" void __real___asan_handle_no_return() __attribute__((weak));
extern "C" void __wrap___asan_handle_no_return() {
  if (!warpfuzz::cpu::in_kernel() && __real___asan_handle_no_return) __real___asan_handle_no_return();
}

// Called by AddressSanitizer before it prints a report.
extern "C" void __asan_on_error() {
  using namespace warpfuzz;
  static bool told = false;
  if (told || !__asan_get_report_pc) return;
  told = true;
  if (const std::string code = running_target_code(); !code.empty()) cpu::end_in_target_code(code);
  ExecStatus& s = cpu::current_case().status;
  cpu::classify(s);
  std::fprintf(stderr, "==WARPFUZZ== %s%s%s: %s\n", std::string(fault_name(s.fault)).c_str(),
               s.place.kernel.empty() ? "" : " in ", s.place.kernel.empty() ? "" : describe(s.place).c_str(),
               s.message.c_str());
  std::fflush(stderr);
  if (cpu::death_hook) cpu::death_hook(s);
}
