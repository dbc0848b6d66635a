// The start and the end of a case.
#include "exec/cpu/case.h"

#include "exec/cpu/coverage.h"
#include "exec/cpu/memory/device_globals.h"
#include "exec/cpu/memory/host_door.h"
#include "exec/cpu/operands.h"
#include "exec/cpu/state.h"

namespace warpfuzz::cpu {

namespace {
bool running = false;
}

const ExecStatus* running_case() { return running ? &current_case().status : nullptr; }

void begin_case(const Schedule& schedule, int poison_variant, bool coverage) {
  Case& c = current_case();
  end_host_code();  // of a launcher that ended its case early
  c.status = {};
  c.variant = poison_variant;
  c.last_error = c.sticky_error = 0;
  c.launches = 0;
  c.regions.clear();
  c.allocated_bytes = 0;
  device_arena().reset();
  large_arena().reset();
  executor.schedule = schedule;
  executor.atomics = 0;
  snapshot_device_globals();
  begin_coverage(coverage);
  set_compare_tracing(coverage);
  running = true;
}

ExecStatus end_case() {
  Case& c = current_case();
  running = false;
  end_coverage();
  set_compare_tracing(true);
  for (const Region& r : c.regions)
    if (r.kind == RegionKind::allocation && !r.freed) c.status.leaked_bytes += r.bytes;
  c.regions.clear();
  c.allocated_bytes = 0;
  device_arena().reset();
  large_arena().reset();
  restore_device_globals();
  c.last_error = c.sticky_error = 0;
  executor.schedule = {};
  return std::move(c.status);
}

}  // namespace warpfuzz::cpu
