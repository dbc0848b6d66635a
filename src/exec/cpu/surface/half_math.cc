// fp16 and bf16 arithmetic on bit patterns: fp64 inside, one rounding.
#include <bit>
#include <cmath>

#include "exec/cpu/surface/surface.h"
#include "numeric/round.h"

namespace warpfuzz::cpu {
namespace {

constexpr std::uint16_t kNan = 0x7fff;  // the canonical NaN of both types on hardware

double apply(HalfFunction f, double x) {
  switch (f) {
    case HalfFunction::exp: return std::exp(x);
    case HalfFunction::exp2: return std::exp2(x);
    case HalfFunction::exp10: return std::pow(10.0, x);
    case HalfFunction::log: return std::log(x);
    case HalfFunction::log2: return std::log2(x);
    case HalfFunction::log10: return std::log10(x);
    case HalfFunction::sqrt: return std::sqrt(x);
    case HalfFunction::rsqrt: return 1.0 / std::sqrt(x);
    case HalfFunction::rcp: return 1.0 / x;
    case HalfFunction::sin: return std::sin(x);
    case HalfFunction::cos: return std::cos(x);
    case HalfFunction::tanh: return std::tanh(x);
    case HalfFunction::ceil: return std::ceil(x);
    case HalfFunction::floor: return std::floor(x);
    case HalfFunction::rint: return std::nearbyint(x);
    case HalfFunction::trunc: return std::trunc(x);
  }
  return x;
}

// a * b + c as an fp64 value that rounds to any narrower type as the exact result does: the product of two halves is
// exact in fp64; of the sum, what fp64 drops is kept as an odd last digit.
double fma_for_rounding(double a, double b, double c) {
  const double p = a * b, s = p + c;
  if (!std::isfinite(s)) return s;
  const double back = s - p, error = (p - (s - back)) + (c - back);  // Knuth: exact
  if (error == 0.0) return s;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(s);
  if (bits & 1) return s;
  const bool away = (error > 0.0) == (s > 0.0);
  return std::bit_cast<double>(away ? bits + 1 : bits - 1);
}

template <class Value, class Bits>
std::uint16_t apply_to(HalfFunction f, std::uint16_t x, Value value, Bits bits) {
  const double r = apply(f, value(x));
  return std::isnan(r) ? kNan : bits(r);
}
template <class Value, class Bits>
std::uint16_t fma_of(std::uint16_t a, std::uint16_t b, std::uint16_t c, Value value, Bits bits) {
  const double r = fma_for_rounding(value(a), value(b), value(c));
  return std::isnan(r) ? kNan : bits(r);
}

}  // namespace

std::uint16_t f16_apply(HalfFunction f, std::uint16_t x) { return apply_to(f, x, f16_value, f16_bits); }
std::uint16_t bf16_apply(HalfFunction f, std::uint16_t x) { return apply_to(f, x, bf16_value, bf16_bits); }
std::uint16_t f16_fma(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  return fma_of(a, b, c, f16_value, f16_bits);
}
std::uint16_t bf16_fma(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  return fma_of(a, b, c, bf16_value, bf16_bits);
}

}  // namespace warpfuzz::cpu
