// Barriers, fences, shuffles, votes, matches and reductions of a warp.
#pragma once
#include "warpfuzz_cuda/base.h"

WARPFUZZ_FN void __syncthreads(WARPFUZZ_SITE) { ::warpfuzz::cpu::sync_threads(site); }
WARPFUZZ_FN int __syncthreads_count(int predicate, WARPFUZZ_SITE) {
  return ::warpfuzz::cpu::sync_threads_reduce(::warpfuzz::cpu::BarrierReduce::count, predicate != 0, site);
}
WARPFUZZ_FN int __syncthreads_and(int predicate, WARPFUZZ_SITE) {
  return ::warpfuzz::cpu::sync_threads_reduce(::warpfuzz::cpu::BarrierReduce::all, predicate != 0, site);
}
WARPFUZZ_FN int __syncthreads_or(int predicate, WARPFUZZ_SITE) {
  return ::warpfuzz::cpu::sync_threads_reduce(::warpfuzz::cpu::BarrierReduce::any, predicate != 0, site);
}

// One OS thread runs all CUDA threads, in program order: a fence has only to stop the compiler.
WARPFUZZ_FN void __threadfence() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
WARPFUZZ_FN void __threadfence_block() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
WARPFUZZ_FN void __threadfence_system() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

namespace warpfuzz::cpu {

template <class T>
WARPFUZZ_FN T shuffle(WarpOp op, std::uint32_t mask, const T& value, int arg, int width, Site site) {
  if (__builtin_expect(width < 1 || width > 32 || (width & (width - 1)) != 0, 0)) bad_shuffle_width(width, site);
  return from_lane_bits<T>(warp_collective(op, mask, lane_bits(value), arg, width, site));
}

// Minimum and maximum of 32-bit lanes as unsigned 64-bit values: an int's order survives once its sign bit is flipped.
template <class T>
WARPFUZZ_FN std::uint64_t ordered_bits(T value) {
  return std::uint32_t(value) ^ (std::is_signed_v<T> ? 0x80000000u : 0u);
}
template <class T>
WARPFUZZ_FN T reduce_ordered(WarpOp op, std::uint32_t mask, T value, Site site) {
  const std::uint64_t r = warp_collective(op, mask, ordered_bits(value), 0, 32, site);
  return T(std::uint32_t(r) ^ (std::is_signed_v<T> ? 0x80000000u : 0u));
}

}  // namespace warpfuzz::cpu

WARPFUZZ_FN void __barrier_sync(unsigned int id, WARPFUZZ_SITE) {
  if (id != 0) ::warpfuzz::cpu::bad_named_barrier(id, site);
  ::warpfuzz::cpu::sync_threads(site);
}
WARPFUZZ_FN void __syncwarp(unsigned int mask = 0xffffffffu, WARPFUZZ_SITE) {
  ::warpfuzz::cpu::warp_collective(::warpfuzz::cpu::WarpOp::sync, mask, 0, 0, 32, site);
}

#define WARPFUZZ_SHUFFLES(FN, T)                                                                                  \
  FN T __shfl_sync(unsigned int mask, T value, int lane, int width = 32, WARPFUZZ_SITE) {                         \
    return ::warpfuzz::cpu::shuffle<T>(::warpfuzz::cpu::WarpOp::shfl, mask, value, lane, width, site);            \
  }                                                                                                               \
  FN T __shfl_up_sync(unsigned int mask, T value, unsigned int delta, int width = 32, WARPFUZZ_SITE) {            \
    return ::warpfuzz::cpu::shuffle<T>(::warpfuzz::cpu::WarpOp::shfl_up, mask, value, int(delta), width, site);   \
  }                                                                                                               \
  FN T __shfl_down_sync(unsigned int mask, T value, unsigned int delta, int width = 32, WARPFUZZ_SITE) {          \
    return ::warpfuzz::cpu::shuffle<T>(::warpfuzz::cpu::WarpOp::shfl_down, mask, value, int(delta), width, site); \
  }                                                                                                               \
  FN T __shfl_xor_sync(unsigned int mask, T value, int lane_mask, int width = 32, WARPFUZZ_SITE) {                \
    return ::warpfuzz::cpu::shuffle<T>(::warpfuzz::cpu::WarpOp::shfl_xor, mask, value, lane_mask, width, site);   \
  }
WARPFUZZ_SHUFFLES(WARPFUZZ_FN, int)
WARPFUZZ_SHUFFLES(WARPFUZZ_FN, unsigned int)
WARPFUZZ_SHUFFLES(WARPFUZZ_FN, long)
WARPFUZZ_SHUFFLES(WARPFUZZ_FN, unsigned long)
WARPFUZZ_SHUFFLES(WARPFUZZ_FN, long long)
WARPFUZZ_SHUFFLES(WARPFUZZ_FN, unsigned long long)
WARPFUZZ_SHUFFLES(WARPFUZZ_FN, float)
WARPFUZZ_SHUFFLES(WARPFUZZ_FN, double)

WARPFUZZ_FN unsigned int __activemask(WARPFUZZ_SITE) { return ::warpfuzz::cpu::active_mask(site); }
WARPFUZZ_FN unsigned int __ballot_sync(unsigned int mask, int predicate, WARPFUZZ_SITE) {
  return unsigned(::warpfuzz::cpu::warp_collective(::warpfuzz::cpu::WarpOp::ballot, mask, predicate != 0, 0, 32, site));
}
WARPFUZZ_FN int __any_sync(unsigned int mask, int predicate, WARPFUZZ_SITE) {
  return ::warpfuzz::cpu::warp_collective(::warpfuzz::cpu::WarpOp::any, mask, predicate != 0, 0, 32, site) != 0;
}
WARPFUZZ_FN int __all_sync(unsigned int mask, int predicate, WARPFUZZ_SITE) {
  return ::warpfuzz::cpu::warp_collective(::warpfuzz::cpu::WarpOp::all, mask, predicate != 0, 0, 32, site) != 0;
}
WARPFUZZ_FN int __uni_sync(unsigned int mask, int predicate, WARPFUZZ_SITE) {
  const unsigned votes = __ballot_sync(mask, predicate, site);
  return votes == 0 || votes == mask;
}

#define WARPFUZZ_MATCHES(T)                                                                                \
  WARPFUZZ_FN unsigned int __match_any_sync(unsigned int mask, T value, WARPFUZZ_SITE) {                   \
    return unsigned(::warpfuzz::cpu::warp_collective(::warpfuzz::cpu::WarpOp::match_any, mask,             \
                                                     ::warpfuzz::cpu::lane_bits(value), 0, 32, site));     \
  }                                                                                                        \
  WARPFUZZ_FN unsigned int __match_all_sync(unsigned int mask, T value, int* predicate, WARPFUZZ_SITE) {   \
    int same = 0;                                                                                          \
    const unsigned r = unsigned(::warpfuzz::cpu::warp_collective(                                          \
        ::warpfuzz::cpu::WarpOp::match_all, mask, ::warpfuzz::cpu::lane_bits(value), 0, 32, site, &same)); \
    *predicate = same;                                                                                     \
    return r;                                                                                              \
  }
WARPFUZZ_MATCHES(int)
WARPFUZZ_MATCHES(unsigned int)
WARPFUZZ_MATCHES(long)
WARPFUZZ_MATCHES(unsigned long)
WARPFUZZ_MATCHES(long long)
WARPFUZZ_MATCHES(unsigned long long)
WARPFUZZ_MATCHES(float)
WARPFUZZ_MATCHES(double)

#define WARPFUZZ_REDUCTIONS(T)                                                                        \
  WARPFUZZ_FN T __reduce_add_sync(unsigned int mask, T value, WARPFUZZ_SITE) {                        \
    return static_cast<T>(::warpfuzz::cpu::warp_collective(::warpfuzz::cpu::WarpOp::reduce_add, mask, \
                                                           std::uint32_t(value), 0, 32, site));       \
  }                                                                                                   \
  WARPFUZZ_FN T __reduce_min_sync(unsigned int mask, T value, WARPFUZZ_SITE) {                        \
    return ::warpfuzz::cpu::reduce_ordered(::warpfuzz::cpu::WarpOp::reduce_min, mask, value, site);   \
  }                                                                                                   \
  WARPFUZZ_FN T __reduce_max_sync(unsigned int mask, T value, WARPFUZZ_SITE) {                        \
    return ::warpfuzz::cpu::reduce_ordered(::warpfuzz::cpu::WarpOp::reduce_max, mask, value, site);   \
  }
WARPFUZZ_REDUCTIONS(int)
WARPFUZZ_REDUCTIONS(unsigned int)
#define WARPFUZZ_BIT_REDUCTION(name)                                                                         \
  WARPFUZZ_FN unsigned int __reduce_##name##_sync(unsigned int mask, unsigned int value, WARPFUZZ_SITE) {    \
    return unsigned(                                                                                         \
        ::warpfuzz::cpu::warp_collective(::warpfuzz::cpu::WarpOp::reduce_##name, mask, value, 0, 32, site)); \
  }
WARPFUZZ_BIT_REDUCTION(and)
WARPFUZZ_BIT_REDUCTION(or)
WARPFUZZ_BIT_REDUCTION(xor)
