// Rounding of fp64 values to a tensor's dtype, bit conversions of fp16 and bf16, and distances in ulp.
// Q_t of docs/oracle.md: nearest even, overflow to Inf, NaN stays NaN, the sign of zero is kept.
#pragma once
#include <cstddef>
#include <cstdint>

#include "numeric/dtype.h"

namespace warpfuzz {

std::uint16_t f16_bits(double x);  // nearest even, directly from fp64 (no double rounding through fp32)
std::uint16_t bf16_bits(double x);
float f16_value(std::uint16_t bits);
float bf16_value(std::uint16_t bits);

double round_to(DType t, double x);    // the value after a store to dtype t; integers: nearest, saturated
double round_down(DType t, double x);  // largest value of t that is <= x (RD)
double round_up(DType t, double x);    // smallest value of t that is >= x (RU)

double load_element(DType t, const void* p);     // one element as fp64 (exact for every dtype but int64 beyond 2^53)
void store_element(DType t, void* p, double x);  // store round_to(t, x)
// n consecutive elements, the bulk forms used on hot paths.
void load_floats(DType t, const void* p, std::size_t n, float* out);  // floating dtypes up to 32 bits
void store_floats(DType t, void* p, std::size_t n, const float* in);

double ulp(DType t, double x);  // spacing of t at |x| (the subnormal spacing below min_normal)
// Steps between two finite values of t on the number line (+0 and -0 are one point); 2^62 when either is not finite.
std::int64_t ulp_distance(DType t, double a, double b);
// +1/-1 neighbour of x in dtype t.
double next_in(DType t, double x, bool up);

}  // namespace warpfuzz
