// The C and C++ library, read before CUDA's keywords exist as macros: libstdc++ writes __noinline__ inside attributes.
#pragma once
// The order of the includes matters.
// clang-format off

// Names that kernels use with CUDA's meaning (clock ticks, math that newer C libraries declare too): the C library's
// declarations of them go by another name, so that ours can stand in the global namespace.
#define clock __warpfuzz_libc_clock
#define rsqrt __warpfuzz_libm_rsqrt
#define rsqrtf __warpfuzz_libm_rsqrtf
#define sinpi __warpfuzz_libm_sinpi
#define sinpif __warpfuzz_libm_sinpif
#define cospi __warpfuzz_libm_cospi
#define cospif __warpfuzz_libm_cospif
#include <time.h>
#undef clock
clock_t clock() noexcept;  // std::clock too; builtins.h
#include <math.h>
#include <cmath>
#include <ctime>
#undef rsqrt
#undef rsqrtf
#undef sinpi
#undef sinpif
#undef cospi
#undef cospif

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
