// The state of the launch that is running: what the scheduler, the barriers and the warp collectives share. One launch
// runs at a time, so there is one instance. Internal to exec/cpu.
#pragma once
#include <cstdint>
#include <string>

#include "exec/cpu/executor.h"
#include "exec/cpu/fiber.h"

namespace warpfuzz::cpu {

inline constexpr std::uint32_t kMaxThreads = 1024, kWarp = 32, kMaxWarps = kMaxThreads / kWarp;
inline constexpr std::uint32_t kFullMask = 0xffffffffu;

bool same_place_slow(const Site& a, const Site& b);  // by the text of the file name
inline bool same_site(const Site& a, const Site& b) {
  if (a.line != b.line || a.column != b.column) return false;
  return a.file == b.file || same_place_slow(a, b);
}

// Lanes that wait for each other at one warp collective. Open until every lane of the mask has arrived.
struct Group {
  std::uint32_t mask, arrived;
  WarpOp op;
  Site site;
};

struct Warp {
  std::uint32_t live = 0;     // lanes that exist and have not exited
  std::uint32_t pending = 0;  // union of the masks of the open groups
  std::uint32_t open = 0;     // groups in use: disjoint masks, and overlapping ones that wait their turn
  std::uint32_t asking = 0;   // lanes inside active_mask()
  Fiber* fiber[kWarp];        // of lanes that wait here
  std::uint64_t value[kWarp], result[kWarp];
  std::int32_t arg[kWarp], width[kWarp], extra[kWarp];
  Site asked_at[kWarp];
  Group groups[kWarp];
};

// The threads of a block in the order in which they start.
struct Start {
  Index3 index;
  std::uint32_t thread;
};

struct Barrier {
  Site site{};
  std::uint32_t arrived = 0, true_predicates = 0;
  std::uint32_t last_arrived = 0, last_true = 0;  // of the crossing that completed last: its waiters read them
};

struct Executor {
  // Hot: every switch and every thread reads these.
  Fiber* current = nullptr;                      // null outside kernels
  std::uint32_t head = 0, tail = 0;              // of the ready ring; free-running
  std::uint32_t next = 0, count = 0, alive = 0;  // threads of the block: to start, all, not exited
  std::uint32_t fold_in = 0;                     // events until the coverage counters are folded
  std::uint32_t atomics = 0;                     // since this thread was switched to
  Barrier barrier;
  void (*thread)(void*) = nullptr;
  void* args = nullptr;
  Schedule schedule;
  std::uint64_t random = 0;  // state of the shuffles

  const char* kernel = "";  // as the launch named it
  Site last_site{};         // the last synchronisation or atomic, for hang reports
  std::uint64_t epoch = 0;  // of the last block that started
  bool aborted = false;     // a fault left the launch
  const void* fault_sp = nullptr;
  Fiber main;  // the context of launch()
  FiberPool* pool = nullptr;

  Fiber* ready[2 * kMaxThreads];
  Fiber* waiting[kMaxThreads];  // at the barrier, in the order of arrival
  Warp warps[kMaxWarps];
  Start starts[kMaxThreads];
};
extern Executor executor;
inline constexpr std::uint32_t kReadyMask = 2 * kMaxThreads - 1;

// ---- scheduler.cc
void run_block(std::uint32_t threads);  // returns when all have exited, or executor.aborted
void make_starts(Index3 block_dim);     // executor.starts for this shape and schedule
std::uint64_t block_at(std::uint64_t position,
                       std::uint64_t blocks);  // the block that runs at this position of the grid's order
void release_in_front(Fiber* const* fibers,
                      std::uint32_t n);  // to run before all that is ready, in the schedule's order
void wait_for_turn(Fiber* self);         // blocks; returns when somebody made this fiber ready
Fiber* pop_ready();
std::uint32_t random_below(std::uint32_t n);
void complete_barrier();

inline void switch_to(Fiber* from, Fiber* to) {
  Executor& x = executor;
  x.current = to;
  x.atomics = 0;
  warpfuzz_thread_idx = to->index;
  warpfuzz_switch(&from->sp, to->sp);
}

// ---- collectives.cc
bool release_askers();  // nothing can run: active_mask() callers get their answer. False: there are none
const char* warp_op_name(WarpOp op);

// ---- faults.cc
// A fault is noted first and left after: what leaves a kernel must hold no object with a destructor.
void note_fault(FaultClass fault, const Site& site, const std::string& message);
// Every thread of the launch is left where it is, and launch() goes on. sp: on the stack of the running thread (null:
// here).
[[noreturn]] void leave_kernel(const void* sp = nullptr);
[[noreturn]] void deadlock();          // every thread that is left waits
std::string site_text(const Site& s);  // "k.cu:12:3"
[[noreturn]] void outside_kernel(const char* what, const Site& site);

// ---- coverage.cc
inline constexpr std::uint32_t kFoldEvery = 32;
void fold_counters();  // saturating; sets executor.fold_in again
void begin_fold();     // at the start and the end of a launch
void end_fold();

// A finished thread or a thread at a barrier counts 1, a warp collective of 32 lanes 8: no counter of an edge that each
// thread passes once between two events can reach 256.
inline void count_for_fold(std::uint32_t events) {
  if (__builtin_expect(executor.fold_in <= events, 0)) fold_counters();
  else executor.fold_in -= events;
}

}  // namespace warpfuzz::cpu
