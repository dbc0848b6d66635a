#include "engine/hang.h"

#include <fmt/format.h>

#include "exec/cpu/executor.h"

namespace warpfuzz {

ExecStatus hang_status(const void* pc, int seconds) {
  ExecStatus status;
  status.fault = FaultClass::hang;
  status.place = cpu::current_place();
  cpu::locate(pc, status.place);
  status.message = fmt::format("the case took more than {} s of processor time; a loop that waits for another thread through a volatile or an "
                               "atomic never ends on the CPU executor either", seconds);
  return status;
}

}  // namespace warpfuzz
