// Signals that a kernel raises (null and wild pointers, the end of a stack, integer division by zero) become faults of
// the case: the handler only notes the registers and goes on in land(), on a stack of its own, which leaves the kernel.
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <string>

#include "exec/cpu/case.h"
#include "exec/cpu/state.h"
#include "exec/launch.h"
#include "exec/signal_chain.h"

extern "C" void __asan_get_shadow_mapping(std::size_t* scale, std::size_t* offset) __attribute__((weak));

namespace warpfuzz::cpu {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr std::size_t kLandingStack = 512 * 1024, kAlternateStack = 64 * 1024;

struct sigaction previous[64];
pthread_t kernel_thread;
char* landing_stack = nullptr;

struct Caught {
  int number = 0;
  std::uintptr_t pc = 0, sp = 0, address = 0;
  bool write = false, address_known = false;
  bool landing = false;  // a signal during land() is ours, and fatal
} caught;

// A check of the sanitizer on a pointer far outside of the address space faults in the shadow: the address it stands
// for.
std::uintptr_t from_shadow(std::uintptr_t address) {
  if (!__asan_get_shadow_mapping) return address;
  std::size_t scale, offset;
  __asan_get_shadow_mapping(&scale, &offset);
  constexpr std::uintptr_t top = std::uintptr_t{1} << 47;
  return address >= offset && address < (top >> scale) + offset ? (address - offset) << scale : address;
}

void note_signal() {
  Site site{};
  std::string file;
  int line = 0;
  if (symbolize(caught.pc + 1, file, line)) site.line = line;
  Place place = place_at(site);
  place.file = file;
  place.line = line;
  int tensor = -1;
  const void* address = reinterpret_cast<const void*>(caught.address);
  FaultClass fault = caught.write ? FaultClass::oob_write : FaultClass::oob_read;
  std::string message = caught.write ? "write" : "read";
  if (caught.number == SIGFPE) {
    fault = FaultClass::assertion;
    message = "integer division by zero";
  } else if (caught.number == SIGILL) {
    fault = FaultClass::assertion;
    message = "a trap was executed";
  } else if (executor.pool->owner(address, false)) {
    fault = FaultClass::oob_write;
    message = "stack overflow: the thread uses more than " + std::to_string(kStackBytes / 1024) +
              " KiB of local variables and calls (endless recursion, or an array too large)";
  } else if (!caught.address_known) {
    message = "access through a wild pointer";
  } else if (caught.address < 65536) {
    message += " through a null pointer (offset " + std::to_string(caught.address) + ")";
  } else {
    std::string near = describe_address(address, 1, &tensor);
    message += near.empty() ? " through a wild pointer, in no tensor of the case" : " through a wild pointer, " + near;
  }
  record_fault(fault, place, message, tensor);
}

[[noreturn]] void land() {
  note_signal();
  caught.landing = false;
  leave_kernel(reinterpret_cast<const void*>(caught.sp));
}

void on_signal(int number, siginfo_t* info, void* context) {
  bool ours = executor.current && !caught.landing && info->si_code > 0 && pthread_equal(pthread_self(), kernel_thread);
  if (!ours) return pass_on(previous[number], number, info, context);
  greg_t* regs = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  constexpr int kPageFault = 14, kWriteBit = 2;
  caught.number = number;
  caught.landing = true;
  caught.pc = static_cast<std::uintptr_t>(regs[REG_RIP]);
  caught.sp = static_cast<std::uintptr_t>(regs[REG_RSP]);
  caught.address_known = number == SIGSEGV ? regs[REG_TRAPNO] == kPageFault : true;
  caught.address = from_shadow(reinterpret_cast<std::uintptr_t>(info->si_addr));
  caught.write = regs[REG_TRAPNO] == kPageFault && (regs[REG_ERR] & kWriteBit) != 0;
  regs[REG_RIP] = reinterpret_cast<greg_t>(&land);
  regs[REG_RSP] = reinterpret_cast<greg_t>(landing_stack + kLandingStack - 64 - 8);  // as after a call
  regs[REG_RBP] = 0;
}

void* map_stack(std::size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) target_error("cannot make the stack of the signal handler");
  return p;
}

}  // namespace

void install_signal_handlers() {
  static bool installed = false;
  if (installed) return;
  installed = true;
  kernel_thread = pthread_self();
  landing_stack = static_cast<char*>(map_stack(kLandingStack));
  stack_t current{};
  if (sigaltstack(nullptr, &current) == 0 && (current.ss_flags & SS_DISABLE)) {
    stack_t own{};
    own.ss_sp = map_stack(kAlternateStack);
    own.ss_size = kAlternateStack;
    sigaltstack(&own, nullptr);
  }
  struct sigaction action{};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int s : kSignals) sigaction(s, &action, &previous[s]);
}

void restore_signal_handlers() {
  if (!landing_stack) return;
  for (int s : kSignals) sigaction(s, &previous[s], nullptr);
}

}  // namespace warpfuzz::cpu
