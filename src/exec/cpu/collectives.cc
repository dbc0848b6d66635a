// Warp collectives: shuffles, votes, matches, reductions, __syncwarp and __activemask. Lanes deposit their operand; the
// last one to arrive computes the results of all lanes of the mask, so that disjoint masks work side by side.
#include <bit>
#include <cstdio>
#include <string>

#include "exec/cpu/case.h"
#include "exec/cpu/state.h"

namespace warpfuzz::cpu {

const char* warp_op_name(WarpOp op) {
  switch (op) {
    case WarpOp::shfl: return "__shfl_sync";
    case WarpOp::shfl_up: return "__shfl_up_sync";
    case WarpOp::shfl_down: return "__shfl_down_sync";
    case WarpOp::shfl_xor: return "__shfl_xor_sync";
    case WarpOp::ballot: return "__ballot_sync";
    case WarpOp::all: return "__all_sync";
    case WarpOp::any: return "__any_sync";
    case WarpOp::match_any: return "__match_any_sync";
    case WarpOp::match_all: return "__match_all_sync";
    case WarpOp::sync: return "__syncwarp";
    case WarpOp::reduce_add: return "__reduce_add_sync";
    case WarpOp::reduce_min: return "__reduce_min_sync";
    case WarpOp::reduce_max: return "__reduce_max_sync";
    case WarpOp::reduce_and: return "__reduce_and_sync";
    case WarpOp::reduce_or: return "__reduce_or_sync";
    case WarpOp::reduce_xor: return "__reduce_xor_sync";
  }
  return "warp collective";
}

namespace {

std::string hex(std::uint32_t mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

void note_bad_mask(WarpOp op, std::uint32_t mask, const Warp& w, std::uint32_t lane, const Site& site) {
  std::string what = std::string(warp_op_name(op)) + " with mask " + hex(mask);
  if (!(mask >> lane & 1)) {
    note_fault(FaultClass::divergence, site,
               what + " is called by lane " + std::to_string(lane) + ", which the mask lacks");
  } else {
    note_fault(FaultClass::divergence, site,
               what + " names lanes " + hex(mask & ~w.live) +
                   ", which have exited or do not exist (live lanes: " + hex(w.live) + ")");
  }
}
[[gnu::noinline, noreturn]] void bad_mask(WarpOp op, std::uint32_t mask, const Warp& w, std::uint32_t lane,
                                          const Site& site) {
  note_bad_mask(op, mask, w, lane, site);
  leave_kernel();
}

[[gnu::noinline, noreturn]] void two_collectives(WarpOp op, const Group& g, const Site& site) {
  note_fault(FaultClass::divergence, site,
             "lanes of one mask " + hex(g.mask) + " meet at different collectives: " + warp_op_name(op) + " here, " +
                 warp_op_name(g.op) + " at " + site_text(g.site) + " (lanes " + hex(g.arrived) + ")");
  leave_kernel();
}

// What a lane gets that reads from a lane outside the mask, or with a width that is no power of two: unspecified, so a
// NaN under every type (and other bits in the other poison variant).
std::uint64_t unspecified() { return current_case().variant == 0 ? 0x7fff7fff7fff7fffull : ~0ull; }

// The source lane of `lane`, which is itself where the shuffle stays inside its segment of `width` lanes. The hardware
// reads the low five bits of the operand.
std::uint32_t source_lane(WarpOp op, std::uint32_t lane, std::uint32_t operand, std::uint32_t width) {
  std::uint32_t first = lane & ~(width - 1), last = first + width - 1;
  operand &= kWarp - 1;
  switch (op) {
    case WarpOp::shfl: return first | (operand & (width - 1));
    case WarpOp::shfl_up: return lane - first < operand ? lane : lane - operand;
    case WarpOp::shfl_down: return lane + operand > last ? lane : lane + operand;
    default: return (lane ^ operand) > last ? lane : lane ^ operand;
  }
}

void shuffle_results(WarpOp op, Warp& w, std::uint32_t mask) {
  for (std::uint32_t m = mask; m; m &= m - 1) {
    std::uint32_t lane = static_cast<std::uint32_t>(std::countr_zero(m));
    std::uint32_t width = static_cast<std::uint32_t>(w.width[lane]);
    if (__builtin_expect(width - 1 >= kWarp || (width & (width - 1)) != 0, 0)) {
      w.result[lane] = unspecified();
      continue;
    }
    std::uint32_t from = source_lane(op, lane, static_cast<std::uint32_t>(w.arg[lane]), width);
    w.result[lane] = mask >> from & 1 ? w.value[from] : unspecified();
  }
}

// The common case, full mask and width 32 in every lane: no branches a lane. False: take the general way.
bool shuffle_results_full(WarpOp op, Warp& w) {
  std::int32_t widths = 0;
  for (std::uint32_t i = 0; i < kWarp; ++i) widths |= w.width[i] ^ static_cast<std::int32_t>(kWarp);
  if (widths) return false;
  constexpr std::uint32_t top = kWarp - 1;
  switch (op) {
    case WarpOp::shfl:
      for (std::uint32_t i = 0; i < kWarp; ++i) w.result[i] = w.value[w.arg[i] & top];
      break;
    case WarpOp::shfl_up:
      for (std::uint32_t i = 0; i < kWarp; ++i) {
        std::uint32_t d = w.arg[i] & top;
        w.result[i] = w.value[i < d ? i : i - d];
      }
      break;
    case WarpOp::shfl_down:
      for (std::uint32_t i = 0; i < kWarp; ++i) {
        std::uint32_t d = w.arg[i] & top;
        w.result[i] = w.value[i + d > top ? i : i + d];
      }
      break;
    default:
      for (std::uint32_t i = 0; i < kWarp; ++i) w.result[i] = w.value[i ^ (w.arg[i] & top)];
  }
  return true;
}

std::uint32_t votes(const Warp& w, std::uint32_t mask) {
  std::uint32_t yes = 0;
  for (std::uint32_t m = mask; m; m &= m - 1) {
    int lane = std::countr_zero(m);
    yes |= static_cast<std::uint32_t>(w.value[lane] != 0) << lane;
  }
  return yes;
}

// The lanes of the mask that hold the same value as `lane`.
std::uint32_t equal_lanes(const Warp& w, std::uint32_t mask, int lane) {
  std::uint32_t same = 0;
  for (std::uint32_t m = mask; m; m &= m - 1) {
    int other = std::countr_zero(m);
    same |= static_cast<std::uint32_t>(w.value[other] == w.value[lane]) << other;
  }
  return same;
}

std::uint64_t reduce(WarpOp op, const Warp& w, std::uint32_t mask) {
  std::uint64_t r = w.value[std::countr_zero(mask)];
  for (std::uint32_t m = mask & (mask - 1); m; m &= m - 1) {
    std::uint64_t v = w.value[std::countr_zero(m)];
    std::int64_t sr = static_cast<std::int64_t>(r), sv = static_cast<std::int64_t>(v);
    switch (op) {
      case WarpOp::reduce_add: r += v; break;
      case WarpOp::reduce_min: r = sv < sr ? v : r; break;
      case WarpOp::reduce_max: r = sv > sr ? v : r; break;
      case WarpOp::reduce_and: r &= v; break;
      case WarpOp::reduce_or: r |= v; break;
      default: r ^= v;
    }
  }
  return r;
}

void same_for_all(Warp& w, std::uint32_t mask, std::uint64_t value) {
  for (std::uint32_t m = mask; m; m &= m - 1) w.result[std::countr_zero(m)] = value;
}

void compute(WarpOp op, Warp& w, std::uint32_t mask) {
  switch (op) {
    case WarpOp::shfl:
    case WarpOp::shfl_up:
    case WarpOp::shfl_down:
    case WarpOp::shfl_xor:
      if (mask != kFullMask || !shuffle_results_full(op, w)) shuffle_results(op, w, mask);
      return;
    case WarpOp::ballot: return same_for_all(w, mask, votes(w, mask));
    case WarpOp::all: return same_for_all(w, mask, votes(w, mask) == mask);
    case WarpOp::any: return same_for_all(w, mask, votes(w, mask) != 0);
    case WarpOp::match_any:
      for (std::uint32_t m = mask; m; m &= m - 1)
        w.result[std::countr_zero(m)] = equal_lanes(w, mask, std::countr_zero(m));
      return;
    case WarpOp::match_all: {
      bool equal = equal_lanes(w, mask, std::countr_zero(mask)) == mask;
      same_for_all(w, mask, equal ? mask : 0);
      for (std::uint32_t m = mask; m; m &= m - 1) w.extra[std::countr_zero(m)] = equal;
      return;
    }
    case WarpOp::sync: return;
    default: return same_for_all(w, mask, reduce(op, w, mask));
  }
}

// The open group of this mask; a new one where there is none.
[[gnu::noinline]] Group* find_group(Warp& w, std::uint32_t mask, WarpOp op, const Site& site) {
  for (std::uint32_t i = 0; i < w.open; ++i) {
    if (w.groups[i].mask != mask) continue;
    if (w.groups[i].op != op || !same_site(w.groups[i].site, site)) two_collectives(op, w.groups[i], site);
    return &w.groups[i];
  }
  Group* g = &w.groups[w.open++];  // each holds a waiting lane, so there is room
  *g = {mask, 0, op, site};
  w.pending |= mask;
  return g;
}

// All lanes of the group have arrived: results, and everyone is ready.
void complete(Warp& w, Group* g) {
  std::uint32_t mask = g->mask;
  compute(g->op, w, mask);
  *g = w.groups[--w.open];
  w.pending = 0;
  for (std::uint32_t i = 0; i < w.open; ++i) w.pending |= w.groups[i].mask;
  if (mask == kFullMask) return release_in_front(w.fiber, kWarp);
  Fiber* fibers[kWarp];
  std::uint32_t n = 0;
  for (std::uint32_t m = mask; m; m &= m - 1) fibers[n++] = w.fiber[std::countr_zero(m)];
  release_in_front(fibers, n);
}

}  // namespace

std::uint64_t warp_collective(WarpOp op, std::uint32_t mask, std::uint64_t value, int arg, int width, Site site,
                              int* extra) {
  Executor& x = executor;
  Fiber* self = x.current;
  if (__builtin_expect(!self, 0)) outside_kernel(warp_op_name(op), site);
  Warp& w = x.warps[self->thread / kWarp];
  std::uint32_t lane = self->thread % kWarp, bit = 1u << lane;
  x.last_site = site;
  if (__builtin_expect((mask & ~w.live) != 0 || !(mask & bit), 0)) bad_mask(op, mask, w, lane, site);
  w.fiber[lane] = self;
  w.value[lane] = value;
  w.arg[lane] = arg;
  w.width[lane] = width;
  Group* g = w.groups;
  if (__builtin_expect(!(w.open == 1 && g->mask == mask && g->op == op && same_site(g->site, site)), 0)) {
    g = find_group(w, mask, op, site);
  }
  g->arrived |= bit;
  if (g->arrived != mask) {
    wait_for_turn(self);
  } else {
    complete(w, g);
    count_for_fold(kFoldEvery / 4);
    Fiber* to = pop_ready();
    if (to != self) switch_to(self, to);
  }
  if (extra) *extra = w.extra[lane];
  return w.result[lane];
}

std::uint32_t lane_id() { return executor.current ? executor.current->thread % kWarp : 0; }

// The lanes that a warp could bring together at this place: a lane waits here until nothing else in the block can run,
// as hardware reconverges; so `mask = __activemask(); __shfl_sync(mask, ...)` gives all lanes of a branch the same
// mask.
std::uint32_t active_mask(Site site) {
  if (!site.file)
    site = {"", static_cast<int>(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) & 0x7fffffff), 0};
  Fiber* self = executor.current;
  if (!self) outside_kernel("__activemask", site);
  Warp& w = executor.warps[self->thread / kWarp];
  std::uint32_t lane = self->thread % kWarp;
  w.asking |= 1u << lane;
  w.asked_at[lane] = site;
  w.fiber[lane] = self;
  wait_for_turn(self);
  return static_cast<std::uint32_t>(w.result[lane]);
}

bool release_askers() {
  Executor& x = executor;
  bool any = false;
  for (std::uint32_t i = (x.count - 1) / kWarp + 1; i-- > 0;) {
    Warp& w = x.warps[i];
    while (w.asking) {
      Site site = w.asked_at[std::countr_zero(w.asking)];
      std::uint32_t together = 0;
      Fiber* fibers[kWarp];
      std::uint32_t n = 0;
      for (std::uint32_t m = w.asking; m; m &= m - 1) {
        int lane = std::countr_zero(m);
        if (!same_site(w.asked_at[lane], site)) continue;
        together |= 1u << lane;
        fibers[n++] = w.fiber[lane];
      }
      same_for_all(w, together, together);
      w.asking &= ~together;
      release_in_front(fibers, n);
      any = true;
    }
  }
  return any;
}

}  // namespace warpfuzz::cpu
