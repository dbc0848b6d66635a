// Read before everything else in a source of a target with FAST_MATH: the C library's fp32 functions get the names of the executor's own
// (surface/fast_math.cc), which compute as nvcc's --use_fast_math makes the hardware do. By the symbol, so that expf(x), std::exp(x) and
// ::expf(x) are all meant. The C++ library calls the compiler's built-ins, which have no symbol to rename while it is read.
#pragma once
#pragma redefine_extname expf __warpfuzz_fast_expf
#pragma redefine_extname exp10f __warpfuzz_fast_exp10f
#pragma redefine_extname logf __warpfuzz_fast_logf
#pragma redefine_extname log2f __warpfuzz_fast_log2f
#pragma redefine_extname log10f __warpfuzz_fast_log10f
#pragma redefine_extname powf __warpfuzz_fast_powf
#pragma redefine_extname sqrtf __warpfuzz_fast_sqrtf
#pragma redefine_extname tanf __warpfuzz_fast_tanf
#define __builtin_expf expf
#define __builtin_logf logf
#define __builtin_log2f log2f
#define __builtin_log10f log10f
#define __builtin_powf powf
#define __builtin_sqrtf sqrtf
#define __builtin_tanf tanf
#include "warpfuzz_cuda/standard.h"
#undef __builtin_expf
#undef __builtin_logf
#undef __builtin_log2f
#undef __builtin_log10f
#undef __builtin_powf
#undef __builtin_sqrtf
#undef __builtin_tanf
