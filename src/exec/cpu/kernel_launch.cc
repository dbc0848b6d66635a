// Launches: the limits of a real device, the loop over the grid, and what a fault leaves behind.
#include <chrono>
#include <string>

#include "exec/cpu/case.h"
#include "exec/cpu/memory/device_globals.h"
#include "exec/cpu/memory/host_door.h"
#include "exec/cpu/state.h"
#include "exec/kernel_name.h"

namespace warpfuzz::cpu {
namespace {

constexpr int kInvalidValue = 1, kInvalidConfiguration = 9, kLaunchFailure = 719;
constexpr std::uint32_t kMaxGridX = 0x7fffffff, kMaxGridYZ = 65535, kMaxBlockZ = 64;
constexpr std::size_t kMaxRecordedLaunches = 4096;

std::string triple(Index3 v) {
  return "(" + std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.z) + ")";
}

struct Refusal {
  int error = 0;
  std::string why;
};

Refusal check(const LaunchConfig& c, std::size_t max_dynamic, std::size_t static_shared) {
  Index3 b = c.block, g = c.grid;
  std::string block = "block " + triple(b), grid = "grid " + triple(g);
  if (!b.x || !b.y || !b.z) return {kInvalidConfiguration, block + " has a zero dimension"};
  if (!g.x || !g.y || !g.z) return {kInvalidConfiguration, grid + " has a zero dimension"};
  if (b.x > kMaxThreads || b.y > kMaxThreads || std::uint64_t{b.x} * b.y * b.z > kMaxThreads) {
    return {kInvalidConfiguration, block + " has more than 1024 threads"};
  }
  if (b.z > kMaxBlockZ) return {kInvalidConfiguration, block + " is deeper than 64"};
  if (g.x > kMaxGridX || g.y > kMaxGridYZ || g.z > kMaxGridYZ) {
    return {kInvalidConfiguration, grid + " exceeds (2147483647,65535,65535)"};
  }
  bool opted_in = max_dynamic > kSharedDefault;
  std::size_t allowed = opted_in ? kSharedOptIn : kSharedDefault;
  if (c.dynamic_shared > max_dynamic || c.dynamic_shared > allowed || static_shared > allowed - c.dynamic_shared) {
    std::string hint = opted_in ? "the kernel's attribute allows " + std::to_string(max_dynamic) +
                                      " dynamic and the device 232448 in all"
                                : "49152 is the limit without cudaFuncSetAttribute(MaxDynamicSharedMemorySize)";
    return {kInvalidValue, std::to_string(c.dynamic_shared) + " bytes of dynamic and " + std::to_string(static_shared) +
                               " of static shared memory; " + hint};
  }
  return {};
}

const char* error_text(int error) {
  return error == kInvalidConfiguration ? "invalid configuration argument" : "invalid argument";
}

void run_grid(const LaunchConfig& config) {
  Executor& x = executor;
  Index3 g = config.grid;
  std::uint32_t threads = config.block.x * config.block.y * config.block.z;
  std::uint64_t blocks = std::uint64_t{g.x} * g.y * g.z;
  for (std::uint64_t i = 0; i < blocks && !x.aborted; ++i) {
    std::uint64_t b = block_at(i, blocks);
    warpfuzz_block_idx = {static_cast<std::uint32_t>(b % g.x), static_cast<std::uint32_t>(b / g.x % g.y),
                          static_cast<std::uint32_t>(b / g.x / g.y)};
    warpfuzz_block_epoch = ++x.epoch;
    begin_block_memory();
    run_block(threads);
  }
}

}  // namespace

int launch(const LaunchConfig& config, void (*thread)(void*), void* args, const char* kernel,
           std::size_t max_dynamic_shared, std::size_t static_shared) {
  Executor& x = executor;
  Case& c = current_case();
  if (x.current) {
    note_fault(FaultClass::unsupported, x.last_site,
               std::string("launch of kernel ") + kernel + " inside a kernel (dynamic parallelism)");
    leave_kernel();
  }
  if (c.sticky_error) return c.last_error = c.sticky_error;
  LaunchInfo info{plain_kernel_name(kernel),
                  {config.grid.x, config.grid.y, config.grid.z},
                  {config.block.x, config.block.y, config.block.z},
                  config.dynamic_shared,
                  0};
  Refusal refusal = check(config, max_dynamic_shared, static_shared);
  info.error = refusal.error;
  if (refusal.error) {
    Place place;
    place.kernel = info.kernel;
    record_fault(FaultClass::launch, place,
                 "launch refused with CUDA error " + std::to_string(refusal.error) + " (" + error_text(refusal.error) +
                     "): " + refusal.why);
  }
  if (c.status.launches.size() < kMaxRecordedLaunches) c.status.launches.push_back(info);
  if (refusal.error) return c.last_error = refusal.error;

  install_signal_handlers();
  snapshot_device_globals();
  x.thread = thread;
  x.args = args;
  x.kernel = kernel;
  x.aborted = false;
  x.last_site = {};
  x.random = x.schedule.seed + 0x9e3779b97f4a7c15ull * ++c.launches;
  if (!x.ready[0])
    for (Fiber*& f : x.ready) f = &x.main;  // prefetches look past the end of the ring
  warpfuzz_block_dim = config.block;
  warpfuzz_grid_dim = config.grid;
  make_starts(config.block);
  begin_launch_memory(config.dynamic_shared);
  const DeviceAccess open;  // a fault in the kernel comes back to this frame
  begin_fold();
  auto before = std::chrono::steady_clock::now();
  run_grid(config);
  c.status.kernel_ns += static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - before).count());
  end_fold();
  end_launch_memory();
  warpfuzz_block_epoch = 0;
  x.kernel = "";
  if (!x.aborted) return 0;
  return c.last_error = c.sticky_error = kLaunchFailure;
}

}  // namespace warpfuzz::cpu
