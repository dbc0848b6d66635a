#include "engine/hang.h"

#include <fmt/format.h>

namespace warpfuzz {

ExecStatus hang_status(Backend& backend, const void* pc, int seconds) {
  ExecStatus status;
  status.fault = FaultClass::hang;
  status.place = backend.place_of(pc);
  status.message = fmt::format("the case took more than {} s of processor time; a loop that waits for another thread through a volatile or an "
                               "atomic never ends on the CPU executor either", seconds);
  return status;
}

}  // namespace warpfuzz
