// The fp32 functions of a target with FAST_MATH (warpfuzz_cuda/fast_math_build.h): the formulas that nvcc's --use_fast_math compiles
// them to, with the argument's rounding in fp32 and subnormals flushed. The hardware's ex2, lg2, sin and cos themselves are the C
// library's, which is more exact: an error of two units in the last place or so is left out.
#include <cmath>
#include <limits>

namespace {

constexpr float kLog2E = 1.44269504f, kLog2Of10 = 3.32192809f, kLn2 = 0.693147181f, kLog10Of2 = 0.301029996f;

float flushed(float x) { return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x; }
float ex2(float x) { return flushed(exp2f(flushed(x))); }
float lg2(float x) { return flushed(log2f(flushed(x))); }
// The divisor's reciprocal is zero above 2^126.
float divided(float x, float y) {
  const float huge = std::fabs(y);
  return huge > 0x1p126f && huge < std::numeric_limits<float>::infinity() ? x * std::copysign(0.0f, y)
                                                                          : flushed(flushed(x) / flushed(y));
}

}  // namespace

extern "C" {
float __warpfuzz_fast_expf(float x) { return ex2(x * kLog2E); }
float __warpfuzz_fast_exp10f(float x) { return ex2(x * kLog2Of10); }
float __warpfuzz_fast_logf(float x) { return flushed(lg2(x) * kLn2); }
float __warpfuzz_fast_log2f(float x) { return lg2(x); }
float __warpfuzz_fast_log10f(float x) { return flushed(lg2(x) * kLog10Of2); }
// A negative base gives NaN, whatever the exponent.
float __warpfuzz_fast_powf(float x, float y) { return ex2(y * lg2(x)); }
float __warpfuzz_fast_sqrtf(float x) { return std::sqrt(flushed(x)); }
float __warpfuzz_fast_tanf(float x) { return divided(sinf(x), cosf(x)); }
}
