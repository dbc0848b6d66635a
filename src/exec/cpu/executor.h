// The CPU executor: CUDA threads as fibers on one OS thread. This is the interface between the executor's core and the
// CUDA surface (include/warpfuzz_cuda/) that kernels are compiled against. Kernels of one process run one at a time.
#pragma once
#include <cstddef>
#include <cstdint>

#include "exec/case_witness.h"

namespace warpfuzz::cpu {

// A place in the user's source; the surface's functions take it from __builtin_FILE/LINE/COLUMN default arguments.
struct Site {
  const char* file;
  int line;
  int column;
};

// ---- state that the index built-ins read. Written by the executor alone.
struct Index3 {
  std::uint32_t x, y, z;
};
extern "C" {
extern Index3 warpfuzz_thread_idx, warpfuzz_block_idx, warpfuzz_block_dim, warpfuzz_grid_dim;
extern std::uint64_t warpfuzz_block_epoch;  // a new value for every block that starts; never 0 inside one
extern void* warpfuzz_dynamic_shared;       // of the running launch, null where it asked for none
}

// ---- launches
struct LaunchConfig {
  Index3 grid, block;
  std::size_t dynamic_shared;
};
// Runs thread(args) for every thread of the grid. Returns a cudaError_t: 0, 9 (invalid configuration), 1 (invalid
// value), 719 (a fault ended the launch), ... A refused or failed launch is also the new last error; after a fault
// every later launch of the case returns the same (sticky) error and runs nothing. max_dynamic_shared: what the
// kernel's attribute allows (48 KB without the opt-in).
int launch(const LaunchConfig& config, void (*thread)(void*), void* args, const char* kernel,
           std::size_t max_dynamic_shared, std::size_t static_shared);

// ---- synchronisation
void sync_threads(Site site);
enum class BarrierReduce { count, all, any };
int sync_threads_reduce(BarrierReduce op, int predicate, Site site);

// clang-format off
enum class WarpOp : std::uint8_t {
  shfl, shfl_up, shfl_down, shfl_xor, ballot, all, any, match_any, match_all, sync,
  reduce_add, reduce_min, reduce_max, reduce_and, reduce_or, reduce_xor
};
// clang-format on
// value: up to 8 bytes of the operand of this lane (reduce_min and reduce_max compare it as a signed 64-bit number:
// sign-extend int, zero-extend unsigned); arg: source lane, delta or lane mask; width: 1..32, a power of two. Returns
// the lane's result; *extra (match_all's predicate) may be null. A mask that names an exited or absent lane, or lacks
// the calling lane, is a divergence fault.
std::uint64_t warp_collective(WarpOp op, std::uint32_t mask, std::uint64_t value, int arg, int width, Site site,
                              int* extra = nullptr);
// Lanes that meet at this call: it returns when no other lane of the block can run, so that all lanes of a branch get
// the same mask. Without a site the return address tells calls apart.
std::uint32_t active_mask(Site site = {nullptr, 0, 0});
std::uint32_t lane_id();

// ---- memory

// Static shared arrays: one slot per variable (the rewriter makes it). On the first touch in a block the storage is
// there, poisoned by the size of its elements (bytes / elements: 1, 2, 4, else 8), with red zones under
// AddressSanitizer.
struct SharedSlot {
  std::uint64_t epoch = 0;
  void* data = nullptr;
};
void* shared_storage(SharedSlot& slot, std::size_t bytes, std::size_t align, std::size_t elements, const char* name,
                     Site site);

// Atomics: every atomic read-modify-write calls this first. `floating`: its result depends on the order. Also finds
// spin-waits: a thread that only polls for long is reported as unsupported with its place.
void atomic_touch(const void* address, bool floating, Site site);
bool in_kernel();

// Launcher allocations (cudaMalloc and friends): poisoned with the workspace payload, owned by the case, accounted for
// at its end. Null: more than kDeviceMemory would be in use. Memory is used where it is written.
inline constexpr std::size_t kDeviceMemory = std::size_t{80} << 30;
enum class Reach : std::uint8_t { device, host_too };  // host_too: managed or pinned memory
void* device_alloc(std::size_t bytes, Reach reach = Reach::device);
int device_free(void* p);                             // cudaError_t; the freed memory is poisoned
bool device_range(const void* p, std::size_t bytes);  // inside one live launcher allocation or tensor of the case

int take_last_error();  // cudaGetLastError: returns and clears (sticky ones stay)
int peek_last_error();
void set_last_error(int error);

// ---- faults
// Records the first fault of the case with the current kernel, block and thread, leaves all threads of the launch and
// makes launch() return. No destructor of the kernel runs: the caller should hold no object that owns memory. Outside a
// kernel: a target error, exit code 83.
[[noreturn]] void kernel_fault(FaultClass fault, Site site, const char* message);
Place current_place();  // also from a signal handler or another thread (then best effort)
// The process is about to end by a signal of its own making: gives the handlers back to whoever had them before.
void restore_signal_handlers();
// The case that is being run by Backend::run, for those who find the process ending in its middle; null outside.
const ExecStatus* running_case();
// Fills file and line of the code address (inlined frames: the innermost in user code) where a symbolizer is at hand.
void locate(const void* pc, Place& place);
// File and line of the innermost frame on the caller's stack that is neither ours nor a library's; empty without symbols.
Place host_place();

// ---- coverage, compare operands
Operands compare_operands();
void clear_compare_operands();

// ---- faults that kill the process (AddressSanitizer, signals)
// Called once from the sanitizer's error hook, with the fault classified (tensor, place, message), before the process
// ends.
void set_death_hook(DeathHook hook);

}  // namespace warpfuzz::cpu

// Calls that the instrumentation pass (src/exec/cpu/pass) puts into kernels.
extern "C" {
// An access of `size` bytes at p whose address is not a multiple of `align`: records a misaligned fault and leaves the
// launch.
[[noreturn]] void __warpfuzz_misaligned(const void* p, unsigned align, unsigned size, int is_store, const char* file,
                                        int line);
void __warpfuzz_fcmp32(float a, float b);
void __warpfuzz_fcmp64(double a, double b);
}
