// fp16: what cuda_fp16.h leaves out on the host.
#pragma once
#include "warpfuzz_cuda/half_common.h"

WARPFUZZ_HALF_FAMILY(__half, __half2, 0x7fff, 0x3c00)
WARPFUZZ_HALF_TO_INTEGERS(__half, half)
