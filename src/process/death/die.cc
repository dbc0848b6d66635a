// One function a fault class, each ending in an illegal instruction: abort() would give every finding the same stack
// token in a clustering service.
#include <signal.h>

#include <cstdlib>

#include "base/exit_codes.h"
#include "exec/case_witness.h"
#include "process/death/die.h"

#define WARPFUZZ_FAULT(ID, ...) \
  extern "C" [[noreturn]] __attribute__((noinline)) void warpfuzz_fault_##ID() { __builtin_trap(); }
#include "schema/fault.def"
#undef WARPFUZZ_FAULT

namespace warpfuzz {
namespace {

struct sigaction engine_handler;

// The engine's handler does not return, unless another of its handlers (an alarm) got hold of the crash first: then the
// trap would be met again and again.
void on_trap(int number, siginfo_t* info, void* context) {
  if (engine_handler.sa_flags & SA_SIGINFO) engine_handler.sa_sigaction(number, info, context);
  else if (engine_handler.sa_handler != SIG_DFL && engine_handler.sa_handler != SIG_IGN)
    engine_handler.sa_handler(number);
  std::_Exit(kExitFinding);
}

}  // namespace

void die(FaultClass fault) {
  // Inside a kernel the executor would take the trap for the kernel's own.
  if (CaseWitness* witness = this_backend().witness()) witness->restore_signal_handlers();
  struct sigaction action{};
  action.sa_sigaction = on_trap;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGILL, &action, &engine_handler);
  switch (fault) {
#define WARPFUZZ_FAULT(ID, ...) \
  case FaultClass::ID: warpfuzz_fault_##ID();
#include "schema/fault.def"
#undef WARPFUZZ_FAULT
    case FaultClass::none:
    case FaultClass::unsupported: break;
  }
  std::abort();  // no finding has these
}

}  // namespace warpfuzz
