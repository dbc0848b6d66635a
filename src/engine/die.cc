// One function a fault class, each ending in an illegal instruction: abort() would give every finding the same stack
// token in a clustering service.
#include <signal.h>

#include <cstdlib>

#include "engine/campaign.h"
#include "exec/exec.h"
#include "findings/exit_codes.h"

#define WARPFUZZ_DEATH(NAME) \
  extern "C" [[noreturn]] __attribute__((noinline)) void warpfuzz_fault_##NAME() { __builtin_trap(); }

WARPFUZZ_DEATH(oob_read)
WARPFUZZ_DEATH(oob_write)
WARPFUZZ_DEATH(misaligned)
WARPFUZZ_DEATH(divergence)
WARPFUZZ_DEATH(race)
WARPFUZZ_DEATH(launch)
WARPFUZZ_DEATH(hang)
WARPFUZZ_DEATH(assert)
WARPFUZZ_DEATH(unwritten)
WARPFUZZ_DEATH(input_changed)
WARPFUZZ_DEATH(index)
WARPFUZZ_DEATH(special)
WARPFUZZ_DEATH(value)
WARPFUZZ_DEATH(nondeterministic)

namespace warpfuzz {
namespace {

struct sigaction engine_handler;

// The engine's handler does not return, unless another of its handlers (an alarm) got hold of the crash first: then the
// trap would be met again and again.
void on_trap(int number, siginfo_t* info, void* context) {
  if (engine_handler.sa_flags & SA_SIGINFO) engine_handler.sa_sigaction(number, info, context);
  else if (engine_handler.sa_handler != SIG_DFL && engine_handler.sa_handler != SIG_IGN) engine_handler.sa_handler(number);
  std::_Exit(kExitFinding);
}

}  // namespace

void die(FaultClass fault) {
  this_backend().restore_signal_handlers();  // inside a kernel the executor would take the trap for the kernel's own
  struct sigaction action{};
  action.sa_sigaction = on_trap;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGILL, &action, &engine_handler);
  switch (fault) {
    case FaultClass::oob_read: warpfuzz_fault_oob_read();
    case FaultClass::oob_write: warpfuzz_fault_oob_write();
    case FaultClass::misaligned: warpfuzz_fault_misaligned();
    case FaultClass::divergence: warpfuzz_fault_divergence();
    case FaultClass::race: warpfuzz_fault_race();
    case FaultClass::launch: warpfuzz_fault_launch();
    case FaultClass::hang: warpfuzz_fault_hang();
    case FaultClass::assertion: warpfuzz_fault_assert();
    case FaultClass::unwritten: warpfuzz_fault_unwritten();
    case FaultClass::input_changed: warpfuzz_fault_input_changed();
    case FaultClass::index: warpfuzz_fault_index();
    case FaultClass::special: warpfuzz_fault_special();
    case FaultClass::nondeterministic: warpfuzz_fault_nondeterministic();
    default: warpfuzz_fault_value();
  }
}

}  // namespace warpfuzz
