// One function a fault class, each ending in an illegal instruction: abort() would give every finding the same stack
// token in a clustering service.
#include "engine/campaign.h"
#include "exec/cpu/executor.h"

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

void die(FaultClass fault) {
  cpu::restore_signal_handlers();  // inside a kernel the executor would take the trap for the kernel's own
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
