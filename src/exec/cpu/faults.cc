// Faults inside kernels: recorded with their place, then every thread of the launch is left and launch() returns.
#include "exec/cpu/case.h"

#include <cstdio>
#include <cstring>

#include "exec/cpu/state.h"
#include "exec/kernel_name.h"
#include "exec/launch.h"

namespace warpfuzz::cpu {

bool same_place_slow(const Site& a, const Site& b) { return a.file && b.file && std::strcmp(a.file, b.file) == 0; }

Case& current_case() {
  static Case* the_case = new Case;
  return *the_case;
}

bool in_kernel() { return executor.current != nullptr; }

Place place_at(const Site& site) {
  Place p;
  if (!executor.current) return p;
  p.kernel = plain_kernel_name(executor.kernel);
  const Index3 &b = warpfuzz_block_idx, &t = warpfuzz_thread_idx;
  p.block[0] = b.x, p.block[1] = b.y, p.block[2] = b.z;
  p.thread[0] = t.x, p.thread[1] = t.y, p.thread[2] = t.z;
  if (site.file) {
    p.file = site.file;
    p.line = site.line;
  }
  return p;
}

Place current_place() { return place_at(executor.last_site); }

void record_fault(FaultClass fault, const Place& place, const std::string& message, int tensor) {
  ExecStatus& s = current_case().status;
  if (s.fault != FaultClass::none) return;
  s.fault = fault;
  s.place = place;
  s.message = message;
  s.tensor = tensor;
}

void note_fault(FaultClass fault, const Site& site, const std::string& message) {
  record_fault(fault, place_at(site), message);
}

void leave_kernel(const void* sp) {
  Executor& x = executor;
  x.aborted = true;
  x.fault_sp = sp ? sp : __builtin_frame_address(0);
  warpfuzz_jump(x.main.sp);
}

std::string site_text(const Site& s) {
  return std::string(s.file && *s.file ? s.file : "?") + ":" + std::to_string(s.line) + ":" + std::to_string(s.column);
}

void outside_kernel(const char* what, const Site& site) {
  target_error(std::string(what) + " is used outside a kernel, at " + site_text(site));
}

void kernel_fault(FaultClass fault, Site site, const char* message) {
  if (!executor.current) outside_kernel(message, site);
  note_fault(fault, site, message);
  leave_kernel();
}

namespace {
// Who waits where, shortest form: the barrier, then each open group of each warp.
void note_deadlock() {
  Executor& x = executor;
  std::string text = "threads wait for each other and none can go on: ";
  Site where = x.last_site;
  constexpr int kShown = 6;
  int places = 0;
  auto add = [&](const std::string& what, const Site& site) {
    if (places++ == 0) where = site;
    if (places <= kShown) text += (places > 1 ? "; " : "") + what + " at " + site_text(site);
  };
  if (x.barrier.arrived) {
    add(std::to_string(x.barrier.arrived) + " of " + std::to_string(x.alive) + " threads wait at __syncthreads",
        x.barrier.site);
  }
  for (std::uint32_t i = 0; i * kWarp < x.count; ++i) {
    const Warp& w = x.warps[i];
    for (std::uint32_t g = 0; g < w.open; ++g) {
      char masks[64];
      std::snprintf(masks, sizeof masks, "lanes 0x%08x of mask 0x%08x", w.groups[g].arrived, w.groups[g].mask);
      add("warp " + std::to_string(i) + ", " + masks + " wait at " + warp_op_name(w.groups[g].op), w.groups[g].site);
    }
  }
  if (places > kShown) text += "; and " + std::to_string(places - kShown) + " more";
  note_fault(FaultClass::divergence, where, text);
}
}  // namespace

void deadlock() {
  note_deadlock();
  leave_kernel();
}

// A thread that polls with atomics never lets another one run. No kernel of a case's size needs this many in a row.
void atomic_touch(const void*, bool floating, Site site) {
  constexpr std::uint32_t kSpin = 1u << 22;
  Executor& x = executor;
  x.last_site = site;
  if (floating) current_case().status.float_atomics = true;
  if (__builtin_expect(++x.atomics > kSpin, 0) && x.current) {
    kernel_fault(FaultClass::unsupported, site,
                 "spin-wait on another thread through an atomic: over 4 million atomics of one thread without a "
                 "barrier between");
  }
}

int take_last_error() {
  Case& c = current_case();
  int error = c.last_error;
  c.last_error = c.sticky_error;
  return error;
}
int peek_last_error() { return current_case().last_error; }
void set_last_error(int error) { current_case().last_error = error; }

}  // namespace warpfuzz::cpu

extern "C" void __warpfuzz_misaligned(const void* p, unsigned align, unsigned size, int is_store, const char* file,
                                      int line) {
  using namespace warpfuzz;
  char text[160];
  std::snprintf(text, sizeof text,
                "%s of %u bytes at an address %u past a multiple of %u: the hardware needs %u-byte alignment",
                is_store ? "store" : "load", size, static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(p) % align),
                align, align);
  cpu::Site site{file, line, 0};
  if (cpu::in_kernel()) cpu::kernel_fault(FaultClass::misaligned, site, text);
  target_error(std::string("misaligned access outside a kernel, at ") + (file ? file : "?") + ":" +
               std::to_string(line) + ": " + text);
}
