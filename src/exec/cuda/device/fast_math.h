// Read first in a source of a target with FAST_MATH that clang compiles for a GPU: what nvcc's --use_fast_math makes of tanhf and
// libdevice has no function for. The other functions go by libdevice's own fast ones (WarpFuzzCudaTargets.cmake).
#pragma once
extern "C" inline __attribute__((device, always_inline)) float __warpfuzz_fast_tanhf(float x) {
  float y = x;
#ifdef __CUDA_ARCH__
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
#endif
  return y;
}
