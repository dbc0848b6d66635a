#include "process/death/hang.h"

#include <fmt/format.h>

#include "exec/case_witness.h"
#include "process/death/target_fault.h"

namespace warpfuzz {

namespace {

std::string text_of(Overrun overrun) {
  switch (overrun.by) {
    case Overrun::By::processor: return fmt::format("the case took more than {} s of processor time", overrun.limit);
    case Overrun::By::sleep:
      return fmt::format(
          "the case took more than {} s (-timeout), most of it asleep: host code sleeps, or waits for a lock, a file or "
          "another process",
          overrun.limit);
    default: return fmt::format("the case took more than {} s (-timeout)", overrun.limit);
  }
}

}  // namespace

ExecStatus hang_status(Backend& backend, const void* pc, Overrun overrun) {
  blame_target_code("ran when " + text_of(overrun));
  ExecStatus status;
  status.fault = FaultClass::hang;
  status.place = place_in_case(backend, pc);
  status.message = text_of(overrun);
  if (overrun.by == Overrun::By::processor)
    status.message +=
        "; a loop that waits for another thread through a volatile or an atomic never ends on the CPU executor either";
  if (status.place.kernel.empty())
    status.message += fmt::format(
        "; it is not in a kernel{}",
        status.place.file.empty() ? "" : fmt::format(", but at {}:{}", status.place.file, status.place.line));
  return status;
}

}  // namespace warpfuzz
