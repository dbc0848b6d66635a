// The out-of-line part of the CUDA surface: what the headers in include/warpfuzz_cuda/ call. Needs no CUDA header.
#pragma once
#include <cstddef>
#include <cstdint>

#include "exec/cpu/executor.h"

namespace warpfuzz::cpu {

// ---- launches ----------------------------------------------------------------------------------------------------------
// Looks up what the kernel's attributes allow (key: its address; null where it cannot be named, as in a launch with deduced
// template arguments: then the largest opt-in that was made for any kernel) and runs thread(args) for every thread of the
// grid. Errors go to cudaGetLastError.
int run_launch(const LaunchConfig& config, const char* kernel, const void* key, void (*thread)(void*), void* args);

// ---- faults of kernels ---------------------------------------------------------------------------------------------------
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line, int column,
                                   const char* function);
[[noreturn]] void bad_named_barrier(unsigned id, Site site);
[[noreturn]] void bad_shuffle_width(int width, Site site);
// Host calls that no CPU can serve: an unsupported fault for the case; returns cudaErrorNotSupported, now the last error.
int unsupported_call(const char* what);

std::int64_t device_clock(bool in_nanoseconds);  // counts its own calls while a kernel runs

// ---- arithmetic in the processor's other rounding modes ------------------------------------------------------------------
enum class Rounding { nearest, zero, up, down };
float add_rounded(Rounding mode, float a, float b);
float sub_rounded(Rounding mode, float a, float b);
float mul_rounded(Rounding mode, float a, float b);
float div_rounded(Rounding mode, float a, float b);
float sqrt_rounded(Rounding mode, float a);
float fma_rounded(Rounding mode, float a, float b, float c);
double add_rounded(Rounding mode, double a, double b);
double sub_rounded(Rounding mode, double a, double b);
double mul_rounded(Rounding mode, double a, double b);
double div_rounded(Rounding mode, double a, double b);
double sqrt_rounded(Rounding mode, double a);
double fma_rounded(Rounding mode, double a, double b, double c);
float rsqrt_nearest(float a);

// ---- math that the C library lacks ---------------------------------------------------------------------------------------
double sin_pi(double x);
double cos_pi(double x);
double normal_cdf(double x);
double normal_cdf_inverse(double p);
double erf_inverse(double y);
double erfc_inverse(double y);
double erfc_scaled(double x);  // exp(x * x) * erfc(x)
double bessel_i0(double x);
double bessel_i1(double x);
double norm_of(const double* p, int n);
double norm_of(const float* p, int n);

// ---- fp16 and bf16, as bit patterns: computed in fp64, rounded once ------------------------------------------------------
enum class HalfFunction : std::uint8_t {
  exp,
  exp2,
  exp10,
  log,
  log2,
  log10,
  sqrt,
  rsqrt,
  rcp,
  sin,
  cos,
  tanh,
  ceil,
  floor,
  rint,
  trunc
};
std::uint16_t f16_apply(HalfFunction f, std::uint16_t x);
std::uint16_t bf16_apply(HalfFunction f, std::uint16_t x);
std::uint16_t f16_fma(std::uint16_t a, std::uint16_t b, std::uint16_t c);  // the exact a * b + c, rounded once
std::uint16_t bf16_fma(std::uint16_t a, std::uint16_t b, std::uint16_t c);

}  // namespace warpfuzz::cpu
