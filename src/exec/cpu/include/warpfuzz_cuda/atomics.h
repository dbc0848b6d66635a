// Atomic operations. CUDA threads share one OS thread and switch at synchronisation only, so a plain read-modify-write is
// atomic; additions of floats happen in the order of the threads. Hardware flushes subnormals in float atomicAdd on
// global memory: not imitated.
#pragma once
#include "warpfuzz_cuda/base.h"

namespace warpfuzz::cpu {
template <class T, class Update>
WARPFUZZ_FN T atomic_update(T* address, bool floating, Site site, Update update) {
  atomic_touch(address, floating, site);
  const T old = *address;
  *address = update(old);
  return old;
}
}  // namespace warpfuzz::cpu

// Defines name, name_block and name_system; `old` and `value` stand in the expression for the new value.
#define WARPFUZZ_ATOMIC_ONE(FN, name, T, floating, expression)                                                      \
  FN T name(T* address, T value, WARPFUZZ_SITE) {                                                                   \
    return ::warpfuzz::cpu::atomic_update(address, floating, site,                                                  \
                                          [&](const T& old)                                                         \
                                              __attribute__((always_inline, nodebug)) -> T { return expression; }); \
  }
#define WARPFUZZ_ATOMIC(FN, name, T, floating, expression)       \
  WARPFUZZ_ATOMIC_ONE(FN, name, T, floating, expression)         \
  WARPFUZZ_ATOMIC_ONE(FN, name##_block, T, floating, expression) \
  WARPFUZZ_ATOMIC_ONE(FN, name##_system, T, floating, expression)

#define WARPFUZZ_ATOMICS_OF_INTEGER(T)                                           \
  WARPFUZZ_ATOMIC(WARPFUZZ_FN, atomicMin, T, false, value < old ? value : old)   \
  WARPFUZZ_ATOMIC(WARPFUZZ_FN, atomicMax, T, false, value > old ? value : old)   \
  WARPFUZZ_ATOMIC(WARPFUZZ_FN, atomicAnd, T, false, static_cast<T>(old & value)) \
  WARPFUZZ_ATOMIC(WARPFUZZ_FN, atomicOr, T, false, static_cast<T>(old | value))  \
  WARPFUZZ_ATOMIC(WARPFUZZ_FN, atomicXor, T, false, static_cast<T>(old ^ value))
WARPFUZZ_ATOMICS_OF_INTEGER(int)
WARPFUZZ_ATOMICS_OF_INTEGER(unsigned int)
WARPFUZZ_ATOMICS_OF_INTEGER(long long int)
WARPFUZZ_ATOMICS_OF_INTEGER(unsigned long long int)

// Sums of integers wrap around, as on hardware.
WARPFUZZ_ATOMIC(WARPFUZZ_FN, atomicAdd, int, false, int(unsigned(old) + unsigned(value)))
WARPFUZZ_ATOMIC(WARPFUZZ_FN, atomicAdd, unsigned int, false, old + value)
WARPFUZZ_ATOMIC(WARPFUZZ_FN, atomicAdd, unsigned long long int, false, old + value)
WARPFUZZ_ATOMIC(WARPFUZZ_FN, atomicAdd, float, true, old + value)
WARPFUZZ_ATOMIC(WARPFUZZ_FN, atomicAdd, double, true, old + value)
WARPFUZZ_ATOMIC(WARPFUZZ_FN, atomicAdd, float2, true, (float2{old.x + value.x, old.y + value.y}))
WARPFUZZ_ATOMIC(WARPFUZZ_FN, atomicAdd, float4, true,
                (float4{old.x + value.x, old.y + value.y, old.z + value.z, old.w + value.w}))
WARPFUZZ_ATOMIC(WARPFUZZ_FN, atomicSub, int, false, int(unsigned(old) - unsigned(value)))
WARPFUZZ_ATOMIC(WARPFUZZ_FN, atomicSub, unsigned int, false, old - value)
WARPFUZZ_ATOMIC(WARPFUZZ_FN, atomicExch, int, false, (static_cast<void>(old), value))
WARPFUZZ_ATOMIC(WARPFUZZ_FN, atomicExch, unsigned int, false, (static_cast<void>(old), value))
WARPFUZZ_ATOMIC(WARPFUZZ_FN, atomicExch, unsigned long long int, false, (static_cast<void>(old), value))
WARPFUZZ_ATOMIC(WARPFUZZ_FN, atomicExch, float, false, (static_cast<void>(old), value))
WARPFUZZ_ATOMIC(WARPFUZZ_FN, atomicInc, unsigned int, false, old >= value ? 0u : old + 1u)
WARPFUZZ_ATOMIC(WARPFUZZ_FN, atomicDec, unsigned int, false, old == 0u || old > value ? value : old - 1u)

#define WARPFUZZ_CAS_ONE(name, T)                                     \
  WARPFUZZ_FN T name(T* address, T compare, T value, WARPFUZZ_SITE) { \
    ::warpfuzz::cpu::atomic_touch(address, false, site);              \
    const T old = *address;                                           \
    if (old == compare) *address = value;                             \
    return old;                                                       \
  }
#define WARPFUZZ_CAS(T) \
  WARPFUZZ_CAS_ONE(atomicCAS, T) WARPFUZZ_CAS_ONE(atomicCAS_block, T) WARPFUZZ_CAS_ONE(atomicCAS_system, T)
WARPFUZZ_CAS(int)
WARPFUZZ_CAS(unsigned int)
WARPFUZZ_CAS(unsigned long long int)
WARPFUZZ_CAS(unsigned short int)
