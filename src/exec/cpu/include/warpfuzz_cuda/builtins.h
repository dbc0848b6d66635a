// threadIdx, blockIdx, blockDim, gridDim, warpSize. Objects, not macros: `dim3 gridDim(...)` is a common local name. Their
// members are properties that read the executor's state.
#pragma once
#include "warpfuzz_cuda/base.h"

namespace warpfuzz::cpu {

// The assembly reads no memory as far as the compiler knows: it may keep a value over barriers and stores, where it cannot
// change for the running thread. It never sees two threads at once (launch.h, ThreadEntry).
#if defined(__x86_64__)
#define WARPFUZZ_READ_INDEX(symbol, member, offset)                   \
  WARPFUZZ_FN static unsigned int get_##member() {                    \
    unsigned int value;                                               \
    __asm__("movl " #symbol "+" #offset "(%%rip), %0" : "=r"(value)); \
    return value;                                                     \
  }
#else
#define WARPFUZZ_READ_INDEX(symbol, member, offset) \
  WARPFUZZ_FN static unsigned int get_##member() { return symbol.member; }
#endif

#define WARPFUZZ_INDEX(Type, symbol, Plain)                                         \
  struct Type {                                                                     \
    WARPFUZZ_READ_INDEX(symbol, x, 0)                                               \
    WARPFUZZ_READ_INDEX(symbol, y, 4)                                               \
    WARPFUZZ_READ_INDEX(symbol, z, 8)                                               \
    __declspec(property(get = get_x)) unsigned int x;                               \
    __declspec(property(get = get_y)) unsigned int y;                               \
    __declspec(property(get = get_z)) unsigned int z;                               \
    WARPFUZZ_FN operator Plain() const { return Plain{get_x(), get_y(), get_z()}; } \
  }

WARPFUZZ_INDEX(ThreadIndex, warpfuzz_thread_idx, uint3);
WARPFUZZ_INDEX(BlockIndex, warpfuzz_block_idx, uint3);
WARPFUZZ_INDEX(BlockDim, warpfuzz_block_dim, dim3);
WARPFUZZ_INDEX(GridDim, warpfuzz_grid_dim, dim3);

}  // namespace warpfuzz::cpu

static constexpr ::warpfuzz::cpu::ThreadIndex threadIdx{};
static constexpr ::warpfuzz::cpu::BlockIndex blockIdx{};
static constexpr ::warpfuzz::cpu::BlockDim blockDim{};
static constexpr ::warpfuzz::cpu::GridDim gridDim{};
static constexpr int warpSize = 32;

// Time inside kernels: a count of the reads, so that outcomes do not depend on the machine.
inline clock_t clock() noexcept { return static_cast<clock_t>(::warpfuzz::cpu::device_clock(false)); }
inline long long int clock64() { return ::warpfuzz::cpu::device_clock(false); }
inline unsigned long long int __globaltimer() { return ::warpfuzz::cpu::device_clock(true); }
WARPFUZZ_FN void __nanosleep(unsigned int) {}
WARPFUZZ_FN void __prof_trigger(int) {}

[[noreturn]] WARPFUZZ_FN void __trap(WARPFUZZ_SITE) {
  ::warpfuzz::cpu::kernel_fault(::warpfuzz::FaultClass::assertion, site, "__trap() was executed");
}
[[noreturn]] WARPFUZZ_FN void __brkpt(WARPFUZZ_SITE) {
  ::warpfuzz::cpu::kernel_fault(::warpfuzz::FaultClass::assertion, site, "__brkpt() was executed");
}
