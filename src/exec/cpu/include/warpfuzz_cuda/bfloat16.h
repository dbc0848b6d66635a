// bf16: what cuda_bf16.h leaves out on the host.
#pragma once
#include "warpfuzz_cuda/half_common.h"

WARPFUZZ_HALF_FAMILY(__nv_bfloat16, __nv_bfloat162, 0x7fff, 0x3f80)
WARPFUZZ_HALF_TO_INTEGERS(__nv_bfloat16, bfloat16)

// Integers round once to bf16's 8 digits; every integer is in its range.
#define WARPFUZZ_BFLOAT16_FROM(from, I, suffix, mode)                                                        \
  WARPFUZZ_FALLBACK_FN __nv_bfloat16 __##from##2bfloat16_##suffix(const I i) {                               \
    return __float2bfloat16_rn(::warpfuzz::cpu::from_integer<float, ::warpfuzz::cpu::Rounding::mode, 8>(i)); \
  }
WARPFUZZ_MODES(WARPFUZZ_BFLOAT16_FROM, int, int)
WARPFUZZ_MODES(WARPFUZZ_BFLOAT16_FROM, uint, unsigned int)
WARPFUZZ_MODES(WARPFUZZ_BFLOAT16_FROM, short, short int)
WARPFUZZ_MODES(WARPFUZZ_BFLOAT16_FROM, ushort, unsigned short int)
WARPFUZZ_MODES(WARPFUZZ_BFLOAT16_FROM, ll, long long int)
WARPFUZZ_MODES(WARPFUZZ_BFLOAT16_FROM, ull, unsigned long long int)
