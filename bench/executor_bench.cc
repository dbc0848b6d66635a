// What the executor costs in units of a bare fiber switch: a barrier crossing, a shuffle, an empty thread. Ends with
// one line of ratios, which docs and CI read: crossing and shuffle at most 2.0, empty thread at most 1.0.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "exec/cpu/executor.h"
#include "exec/cpu/fiber.h"

namespace {

using namespace warpfuzz::cpu;

constexpr unsigned kThreads = 256;

// ---- the unit: 256 pooled stacks, each switches to the next

// Twice: plain, and with the stacks of the fibers to
// come fetched ahead, as the executor does. The unit is the faster one.
struct Ring {
  Fiber* fiber[2 * kThreads];  // twice round, so that looking ahead needs no wrap
  Fiber main;
  std::uint32_t at = 0, left = 0;
} ring;

template <bool kAhead>
[[noreturn]] void ring_entry(Fiber* self) {
  for (;;) {
    if (ring.left-- == 0) {
      warpfuzz_switch(&self->sp, ring.main.sp);
      continue;
    }
    std::uint32_t at = ring.at = (ring.at + 1) % kThreads;
    if (kAhead) {
      const char* stack = static_cast<const char*>(ring.fiber[at + 1]->sp);
      __builtin_prefetch(ring.fiber[at + 3]);
      __builtin_prefetch(stack);
      __builtin_prefetch(stack + 64);
    }
    warpfuzz_switch(&self->sp, ring.fiber[at]->sp);
  }
}

template <bool kAhead>
void bare(benchmark::State& state) {
  static FiberPool pool(ring_entry<kAhead>);
  static Fiber* fibers[kThreads];
  for (unsigned i = 0; i < kThreads; ++i) {
    if (!fibers[i]) fibers[i] = pool.take();
    ring.fiber[i] = ring.fiber[i + kThreads] = fibers[i];
  }
  constexpr std::uint32_t kSwitches = 1 << 16;
  for (auto _ : state) {
    ring.left = kSwitches;
    warpfuzz_switch(&ring.main.sp, ring.fiber[ring.at]->sp);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * kSwitches);
}
void bare_switch(benchmark::State& state) { bare<false>(state); }
void bare_switch_fetched(benchmark::State& state) { bare<true>(state); }

// ---- kernels
constexpr int kRounds = 64;
constexpr Site kSite{"bench.cu", 1, 1};

__attribute__((noinline)) void barrier_thread(void*) {
  for (int i = 0; i < kRounds; ++i) sync_threads(kSite);
}
__attribute__((noinline)) void shuffle_thread(void* out) {
  std::uint64_t v = warpfuzz_thread_idx.x;
  for (int i = 0; i < kRounds; ++i) v += warp_collective(WarpOp::shfl_xor, 0xffffffffu, v, 1 << i % 5, 32, kSite);
  *static_cast<std::uint64_t*>(out) += v;
}
__attribute__((noinline)) void empty_thread(void*) { asm volatile(""); }

// One block: items are threads times operations of each.
void kernel(benchmark::State& state, void (*thread)(void*), unsigned blocks, int operations) {
  std::uint64_t out = 0;
  for (auto _ : state) {
    if (launch({{blocks, 1, 1}, {kThreads, 1, 1}, 0}, thread, &out, "bench", 48 * 1024, 0) != 0)
      state.SkipWithError("the launch failed");
  }
  benchmark::DoNotOptimize(out);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * blocks * kThreads * operations);
}

void barrier_crossing(benchmark::State& state) { kernel(state, barrier_thread, 4, kRounds); }
void shuffle_lane(benchmark::State& state) { kernel(state, shuffle_thread, 4, kRounds); }
void empty_threads(benchmark::State& state) { kernel(state, empty_thread, 256, 1); }

BENCHMARK(bare_switch);
BENCHMARK(bare_switch_fetched);
BENCHMARK(barrier_crossing);
BENCHMARK(shuffle_lane);
BENCHMARK(empty_threads);

// Remembers nanoseconds an item: the fastest repetition, since other processes only add.
class RatioReporter : public benchmark::ConsoleReporter {
 public:
  RatioReporter() : ConsoleReporter(isatty(1) ? OO_ColorTabular : OO_Tabular) {}
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& r : runs) {
      if (r.run_type != Run::RT_Iteration || r.error_occurred) continue;
      auto items = r.counters.find("items_per_second");
      if (items == r.counters.end()) continue;
      double ns = 1e9 / items->second;
      double& best = best_[r.run_name.function_name];
      best = best == 0 ? ns : std::min(best, ns);
    }
    ConsoleReporter::ReportRuns(runs);
  }
  double best(const char* name) const {
    auto at = best_.find(name);
    return at == best_.end() ? 0 : at->second;
  }

 private:
  std::map<std::string, double> best_;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  RatioReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  double unit = std::min(reporter.best("bare_switch"), reporter.best("bare_switch_fetched"));
  if (unit == 0) return 0;
  struct {
    const char* name;
    const char* text;
    double limit;
  } rows[] = {
      {"barrier_crossing", "barrier", 2.0}, {"shuffle_lane", "shuffle", 2.0}, {"empty_threads", "empty thread", 1.0}};
  std::printf("switch %.2f ns", unit);
  bool met = true;
  for (const auto& row : rows) {
    double ratio = reporter.best(row.name) / unit;
    met = met && ratio <= row.limit;
    std::printf("; %s %.2f ns = %.2fx (at most %.1fx)", row.text, reporter.best(row.name), ratio, row.limit);
  }
  std::printf("; %s\n", met ? "met" : "NOT MET");
  return met ? 0 : 1;
}
