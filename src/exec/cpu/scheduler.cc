// Who runs next. Lazy: one fiber runs CUDA threads in a plain loop, and only when a thread blocks does the next fiber
// start.
#include "exec/cpu/state.h"

#include <cstring>

#include "exec/launch.h"
#include "numeric/hash.h"

extern "C" {
warpfuzz::cpu::Index3 warpfuzz_thread_idx, warpfuzz_block_idx, warpfuzz_block_dim, warpfuzz_grid_dim;
std::uint64_t warpfuzz_block_epoch = 0;
void* warpfuzz_dynamic_shared = nullptr;
}

namespace warpfuzz::cpu {

__attribute__((visibility("hidden"))) Executor executor;

std::uint32_t random_below(std::uint32_t n) {
  Executor& x = executor;
  x.random = x.random * 6364136223846793005ull + 1442695040888963407ull;
  return static_cast<std::uint32_t>((x.random >> 32) * n >> 32);
}

// The next ready fiber; what the one after it will touch first is fetched meanwhile.
inline Fiber* pop() {
  Executor& x = executor;
  Fiber* f = x.ready[x.head++ & kReadyMask];
  const char* stack = static_cast<const char*>(x.ready[x.head & kReadyMask]->sp);
  __builtin_prefetch(x.ready[(x.head + 2) & kReadyMask]);
  __builtin_prefetch(stack);
  __builtin_prefetch(stack + 64);
  __builtin_prefetch(stack + 128);
  __builtin_prefetch(stack + 192);
  return f;
}
Fiber* pop_ready() { return pop(); }

namespace {

void shuffle(Fiber** fibers, std::uint32_t n) {
  for (std::uint32_t i = n; i > 1; --i) {
    std::uint32_t j = random_below(i);
    Fiber* f = fibers[i - 1];
    fibers[i - 1] = fibers[j];
    fibers[j] = f;
  }
}

// Nothing is ready and nothing is left to start, but some thread lives: it waits for one that will never come, unless
// the waiting is only for the others to stop.
Fiber* resolve() {
  if (release_askers()) return pop();
  deadlock();
}

[[gnu::noinline, noreturn]] void exited_lane_is_awaited(std::uint32_t thread) {
  const Warp& w = executor.warps[thread / kWarp];
  for (std::uint32_t i = 0; i < w.open; ++i) {
    if (!(w.groups[i].mask >> thread % kWarp & 1)) continue;
    note_fault(FaultClass::divergence, w.groups[i].site,
               std::string(warp_op_name(w.groups[i].op)) + " waits for lane " + std::to_string(thread % kWarp) +
                   " (thread " + std::to_string(thread) + " of the block), which its mask names and which has exited");
  }
  leave_kernel();
}

void thread_exited(std::uint32_t thread) {
  Executor& x = executor;
  Warp& w = x.warps[thread / kWarp];
  std::uint32_t bit = 1u << thread % kWarp;
  --x.alive;
  w.live &= ~bit;
  if (__builtin_expect((w.pending & bit) != 0, 0)) exited_lane_is_awaited(thread);
  if (__builtin_expect(x.barrier.arrived != 0 && x.barrier.arrived == x.alive, 0)) complete_barrier();
}

[[noreturn]] void fiber_main(Fiber* self) {
  Executor& x = executor;
  for (;;) {
    while (x.next < x.count && x.head == x.tail) {
      const Start& s = x.starts[x.next++];
      self->index = s.index;
      self->thread = s.thread;
      warpfuzz_thread_idx = s.index;
      x.atomics = 0;
      x.thread(x.args);
      thread_exited(self->thread);
      count_for_fold(1);
    }
    Fiber* to = x.head != x.tail ? pop() : x.alive == 0 ? &x.main : resolve();
    x.pool->give(self);
    switch_to(self, to);
  }
}

FiberPool& the_pool() {
  static FiberPool* pool = new FiberPool(fiber_main);  // never destroyed: handlers may run during exit
  return *pool;
}

// A permutation of [0, n) without a table: four rounds of a Feistel network, walked until back inside.
std::uint64_t permute(std::uint64_t i, std::uint64_t n, std::uint64_t seed) {
  int half = 1;
  while (half < 32 && (1ull << 2 * half) < n) ++half;
  std::uint64_t mask = (1ull << half) - 1;
  do {
    std::uint64_t left = i >> half & mask, right = i & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      std::uint64_t next = left ^ (hash_combine(seed + round, right) & mask);
      left = right;
      right = next;
    }
    i = left << half | right;
  } while (i >= n);
  return i;
}

}  // namespace

// Inline in the callers of this file, out of line for collectives.cc.
void wait_for_turn(Fiber* self) {
  Executor& x = executor;
  Fiber* to;
  if (__builtin_expect(x.head != x.tail, 1)) {
    to = pop();
  } else if (x.next < x.count) {
    to = x.pool->take();
  } else {
    to = resolve();
    if (to == self) return;
  }
  switch_to(self, to);
}

void release_in_front(Fiber* const* fibers, std::uint32_t n) {
  Executor& x = executor;
  // In front: the lanes of one warp go on together, on warm stacks, until they block again.
  x.head -= n;
  if (x.schedule.threads == Order::shuffled) {
    Fiber* order[kWarp];
    for (std::uint32_t i = 0; i < n; ++i) order[i] = fibers[i];
    shuffle(order, n);
    for (std::uint32_t i = 0; i < n; ++i) x.ready[(x.head + i) & kReadyMask] = order[i];
  } else if (x.schedule.threads == Order::descending) {
    for (std::uint32_t i = 0; i < n; ++i) x.ready[(x.head + i) & kReadyMask] = fibers[n - 1 - i];
  } else {
    for (std::uint32_t i = 0; i < n; ++i) x.ready[(x.head + i) & kReadyMask] = fibers[i];
  }
}

void complete_barrier() {
  Executor& x = executor;
  Barrier& b = x.barrier;
  if (__builtin_expect(x.schedule.strict_barriers && b.arrived != x.count, 0)) {
    note_fault(
        FaultClass::divergence, b.site,
        std::to_string(x.count - b.arrived) + " of " + std::to_string(x.count) +
            " threads exited before this __syncthreads (barriers=strict: every thread of the block must arrive)");
    leave_kernel();
  }
  std::uint32_t n = b.arrived;
  b.last_arrived = n;
  b.last_true = b.true_predicates;
  b.arrived = b.true_predicates = 0;
  if (__builtin_expect(x.schedule.threads == Order::shuffled, 0)) shuffle(x.waiting, n);
  // All live threads were here, so nothing is ready.
  x.head = 0;
  x.tail = n;
  std::memcpy(x.ready, x.waiting, n * sizeof(Fiber*));
}

namespace {

[[gnu::noinline, noreturn]] void two_barriers(const Site& here) {
  const Site& there = executor.barrier.site;
  note_fault(FaultClass::divergence, here,
             "threads of one block wait at two different barriers: this one and " + site_text(there) + ", where " +
                 std::to_string(executor.barrier.arrived) + " wait");
  leave_kernel();
}

inline void cross_barrier(std::uint32_t predicate, const Site& site) {
  Executor& x = executor;
  Fiber* self = x.current;
  if (__builtin_expect(!self, 0)) outside_kernel("__syncthreads", site);
  Barrier& b = x.barrier;
  x.last_site = site;
  if (b.arrived == 0) b.site = site;
  else if (__builtin_expect(!same_site(b.site, site), 0)) two_barriers(site);
  b.true_predicates += predicate;
  x.waiting[b.arrived++] = self;
  count_for_fold(1);
  Fiber* to;
  if (b.arrived == x.alive) {
    complete_barrier();
    to = pop();
    if (to == self) return;
  } else if (__builtin_expect(x.head != x.tail, 1)) {
    to = pop();
  } else if (x.next < x.count) {
    to = x.pool->take();
  } else {
    to = resolve();
    if (to == self) return;
  }
  switch_to(self, to);
}

}  // namespace

void sync_threads(Site site) { cross_barrier(0, site); }

int sync_threads_reduce(BarrierReduce op, int predicate, Site site) {
  cross_barrier(predicate != 0, site);
  const Barrier& b = executor.barrier;
  switch (op) {
    case BarrierReduce::count: return static_cast<int>(b.last_true);
    case BarrierReduce::all: return b.last_true == b.last_arrived;
    default: return b.last_true != 0;
  }
}

void run_block(std::uint32_t threads) {
  Executor& x = executor;
  x.pool = &the_pool();
  x.next = x.head = x.tail = 0;
  x.count = x.alive = threads;
  x.barrier.arrived = x.barrier.true_predicates = 0;
  for (std::uint32_t i = 0; i * kWarp < threads; ++i) {
    Warp& w = x.warps[i];
    std::uint32_t lanes = threads - i * kWarp;
    w.live = lanes >= kWarp ? kFullMask : (1u << lanes) - 1;
    w.pending = w.open = w.asking = 0;
  }
  switch_to(&x.main, x.pool->take());
  x.current = nullptr;
  if (x.aborted) x.pool->reset(x.fault_sp);
}

void make_starts(Index3 dim) {
  Executor& x = executor;
  std::uint32_t n = dim.x * dim.y * dim.z;
  std::uint32_t i = 0;
  for (std::uint32_t c = 0; c < dim.z; ++c)
    for (std::uint32_t b = 0; b < dim.y; ++b)
      for (std::uint32_t a = 0; a < dim.x; ++a, ++i)
        x.starts[x.schedule.threads == Order::descending ? n - 1 - i : i] = {{a, b, c}, i};
  if (x.schedule.threads != Order::shuffled) return;
  for (std::uint32_t k = n; k > 1; --k) {
    std::uint32_t j = random_below(k);
    Start s = x.starts[k - 1];
    x.starts[k - 1] = x.starts[j];
    x.starts[j] = s;
  }
}

std::uint64_t block_at(std::uint64_t position, std::uint64_t blocks) {
  const Schedule& s = executor.schedule;
  if (s.blocks == Order::ascending) return position;
  if (s.blocks == Order::descending) return blocks - 1 - position;
  return permute(position, blocks, s.seed);
}

}  // namespace warpfuzz::cpu
