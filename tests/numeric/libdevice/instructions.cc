// The instructions of the GPU that libdevice calls, as functions: port.py makes the names.
#include "instructions.h"

#include <cfloat>
#include <cmath>
#include <cstring>

InstructionModel g_model;

namespace {

constexpr double u = 0x1p-24;
// The largest relative errors, in u, that an H200 shows over all 2^32 inputs; lg2: 2^-22, in [0.5, 2] absolute.
constexpr double kEx2 = 2.45, kRcp = 1.65, kRsqrt = 2.09, kSqrt = 1.68, kLg2 = 4;

float flushed(float x) { return std::fabs(x) < FLT_MIN ? std::copysign(0.0f, x) : x; }

// exact, off by up to `error`, never by more: rounded towards the exact value.
float off(double exact, double error, int direction) {
  const auto nearest = static_cast<float>(exact);
  if (direction == 0 || !std::isfinite(nearest) || exact == 0) return nearest;
  const double v = exact + direction * error;
  auto f = static_cast<float>(v);
  if (direction > 0 ? f > v : f < v) f = std::nextafter(f, static_cast<float>(exact));
  return std::isfinite(f) ? f : nearest;
}

// a*b + c rounded down: the exact sum is known to lie at s or just beside it.
float fma_down(float a, float b, float c) {
  const double p = static_cast<double>(a) * b, s = p + c, t = s - p, error = (p - (s - t)) + (c - t);
  auto f = static_cast<float>(s);
  if (std::isfinite(s) && (f > s || (f == s && error < 0))) f = std::nextafter(f, -INFINITY);
  return f;
}

float saturate(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }  // NaN to 0
float exp2_of(float x) {
  const double r = std::exp2(static_cast<double>(x));
  // Whole numbers give exact powers: expm1f rests on that.
  return off(r, kEx2 * u * r, x == std::nearbyint(x) ? 0 : g_model.exponentials);
}
float log2_of(float x) {
  const double r = std::log2(static_cast<double>(x));
  return off(r, kLg2 * u * (x > 0.5f && x < 2 ? 1 : std::fabs(r)), g_model.exponentials);
}
float reciprocal(float x) {
  const double r = 1 / static_cast<double>(x);
  return off(r, kRcp * u * std::fabs(r), g_model.roots);
}
float reciprocal_root(float x) {
  const double r = 1 / std::sqrt(static_cast<double>(x));
  return off(r, kRsqrt * u * r, g_model.roots);
}
float root(float x) {
  const double r = std::sqrt(static_cast<double>(x));
  return off(r, kSqrt * u * r, g_model.roots);
}

}  // namespace

extern "C" {

int __nvvm_reflect(const char* name) {
  if (!std::strcmp(name, "__CUDA_FTZ")) return g_model.ftz;
  if (!std::strcmp(name, "__CUDA_PREC_SQRT")) return 1;
  if (!std::strcmp(name, "__CUDA_ARCH")) return 900;
  return 0;
}

// The forms with .ftz run with the processor's own flushing switched on, but for approximations, which always flush.
#define WARPFUZZ_BOTH1(name, suffix, expression)                   \
  float warpfuzz_##name##_##suffix(float x) { return expression; } \
  float warpfuzz_##name##_ftz_##suffix(float x) { return expression; }
WARPFUZZ_BOTH1(fabs, f32, std::fabs(x))
WARPFUZZ_BOTH1(saturate, f, saturate(x))
WARPFUZZ_BOTH1(rcp_rn, f, 1 / x)
WARPFUZZ_BOTH1(sqrt_rn, f, std::sqrt(x))
WARPFUZZ_BOTH1(trunc, f, std::trunc(x))
WARPFUZZ_BOTH1(round, f, std::nearbyint(x))

#define WARPFUZZ_BOTH2(name, expression)                             \
  float warpfuzz_##name##_f(float a, float b) { return expression; } \
  float warpfuzz_##name##_ftz_f(float a, float b) { return expression; }
WARPFUZZ_BOTH2(add_rn, a + b)
WARPFUZZ_BOTH2(mul_rn, a* b)
WARPFUZZ_BOTH2(div_rn, a / b)

#define WARPFUZZ_BOTH3(name, expression)                                      \
  float warpfuzz_##name##_f(float a, float b, float c) { return expression; } \
  float warpfuzz_##name##_ftz_f(float a, float b, float c) { return expression; }
WARPFUZZ_BOTH3(fma_rn, std::fma(a, b, c))
WARPFUZZ_BOTH3(fma_rm, fma_down(a, b, c))

float warpfuzz_ex2_approx_f32(float x) { return exp2_of(x); }
float warpfuzz_ex2_approx_ftz_f32(float x) { return flushed(exp2_of(flushed(x))); }
float warpfuzz_lg2_approx_f(float x) { return log2_of(x); }
float warpfuzz_lg2_approx_ftz_f(float x) { return log2_of(flushed(x)); }
float warpfuzz_rcp_approx_ftz_f32(float x) { return flushed(reciprocal(flushed(x))); }
float warpfuzz_rsqrt_approx_f(float x) { return reciprocal_root(x); }
float warpfuzz_rsqrt_approx_ftz_f(float x) { return reciprocal_root(flushed(x)); }
float warpfuzz_sqrt_approx_f(float x) { return root(x); }
float warpfuzz_sqrt_approx_ftz_f(float x) { return root(flushed(x)); }

}  // extern "C"
