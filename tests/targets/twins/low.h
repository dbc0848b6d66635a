// Lower-precision twins: a kernel's own source with `float` replaced by Low, a float that is rounded to 16 bits after every
// operation. A twin file includes this header, then the kernel between `#define float twin::Low` and `#undef float`; what
// its launcher is called with says which 16-bit format (use<T>).
#pragma once
#include <cmath>
#include <type_traits>

#include "kernels/vec4.cuh"  // now, while float is float
#include "numeric/round.h"
#include "warpfuzz/target.h"

namespace twin {

using warpfuzz::DType;

inline DType g_format = DType::f16;  // of intermediates; set for each launch

inline float rounded(float x) {
  return g_format == DType::f16 ? warpfuzz::f16_value(warpfuzz::f16_bits(x))
                                : warpfuzz::bf16_value(warpfuzz::bf16_bits(x));
}

class Low {
 public:
  Low() = default;
  template <class A>
    requires std::is_arithmetic_v<A>
  constexpr Low(A x) : value_(static_cast<float>(x)) {
    if (!std::is_constant_evaluated()) value_ = rounded(value_);
  }
  explicit Low(__half x) : Low(__half2float(x)) {}
  explicit Low(__nv_bfloat16 x) : Low(__bfloat162float(x)) {}

  // Only explicit: otherwise `flag ? low : 0.0f` would have two meanings.
  template <class A>
    requires std::is_arithmetic_v<A>
  explicit constexpr operator A() const {
    return static_cast<A>(value_);
  }
  explicit operator __half() const { return __float2half_rn(value_); }
  explicit operator __nv_bfloat16() const { return __float2bfloat16_rn(value_); }
  constexpr float value() const { return value_; }

  friend constexpr Low operator+(Low a, Low b) { return a.value_ + b.value_; }
  friend constexpr Low operator-(Low a, Low b) { return a.value_ - b.value_; }
  friend constexpr Low operator*(Low a, Low b) { return a.value_ * b.value_; }
  friend constexpr Low operator/(Low a, Low b) { return a.value_ / b.value_; }
  friend constexpr Low operator-(Low a) { return -a.value_; }
  friend constexpr Low operator+(Low a) { return a; }
  friend constexpr bool operator==(Low a, Low b) { return a.value_ == b.value_; }
  friend constexpr auto operator<=>(Low a, Low b) { return a.value_ <=> b.value_; }
  Low& operator+=(Low b) { return *this = *this + b; }
  Low& operator-=(Low b) { return *this = *this - b; }
  Low& operator*=(Low b) { return *this = *this * b; }
  Low& operator/=(Low b) { return *this = *this / b; }

 private:
  float value_;
};

// The format of a case whose input elements are T: fp32 cases lose precision to `of_fp32`, 16-bit ones to their own dtype.
template <class T>
void use(DType of_fp32 = DType::f16) {
  g_format = std::is_same_v<T, float> ? of_fp32 : std::is_same_v<T, __half> ? DType::f16 : DType::bf16;
}

}  // namespace twin

#define WARPFUZZ_LOW1(name) \
  inline twin::Low name(twin::Low x) { return name(x.value()); }
WARPFUZZ_LOW1(expf)
WARPFUZZ_LOW1(__expf)
WARPFUZZ_LOW1(exp2f)
WARPFUZZ_LOW1(exp10f)
WARPFUZZ_LOW1(logf)
WARPFUZZ_LOW1(__logf)
WARPFUZZ_LOW1(log2f)
WARPFUZZ_LOW1(log1pf)
WARPFUZZ_LOW1(sqrtf)
WARPFUZZ_LOW1(rsqrtf)
WARPFUZZ_LOW1(__frcp_rn)
WARPFUZZ_LOW1(erff)
WARPFUZZ_LOW1(erfcf)
WARPFUZZ_LOW1(normcdff)
WARPFUZZ_LOW1(fabsf)
WARPFUZZ_LOW1(sinf)
WARPFUZZ_LOW1(cosf)
#define WARPFUZZ_LOW2(name) \
  inline twin::Low name(twin::Low a, twin::Low b) { return name(a.value(), b.value()); }
WARPFUZZ_LOW2(fmaxf)
WARPFUZZ_LOW2(fminf)
WARPFUZZ_LOW2(powf)
WARPFUZZ_LOW2(__fdividef)
WARPFUZZ_LOW2(fdividef)
#define WARPFUZZ_LOW_SHUFFLE(name, Lane)                                                        \
  inline twin::Low name(unsigned mask, twin::Low x, Lane lane, int width = 32, WARPFUZZ_SITE) { \
    return name(mask, x.value(), lane, width, site);                                            \
  }
WARPFUZZ_LOW_SHUFFLE(__shfl_sync, int)
WARPFUZZ_LOW_SHUFFLE(__shfl_up_sync, unsigned)
WARPFUZZ_LOW_SHUFFLE(__shfl_down_sync, unsigned)
WARPFUZZ_LOW_SHUFFLE(__shfl_xor_sync, int)

// Functions whose single rounding would be no error at all beside a 16-bit store: their own steps are rounded too.
inline twin::Low tanhf(twin::Low x) { return 1 - 2 / (expf(2 * x) + 1); }
inline twin::Low expm1f(twin::Low x) { return expf(x) - 1; }

inline twin::Low fmaf(twin::Low a, twin::Low b, twin::Low c) { return a * b + c; }
inline bool isnan(twin::Low x) { return x != x; }
inline twin::Low atomicAdd(twin::Low* to, twin::Low x, WARPFUZZ_SITE) {
  return ::warpfuzz::cpu::atomic_update(to, true, site, [&](twin::Low old) { return old + x; });
}
inline float4 make_float4(twin::Low x, twin::Low y, twin::Low z, twin::Low w) {
  return {x.value(), y.value(), z.value(), w.value()};
}

// Vector accesses of kernels/vec4.cuh, for the instance of a kernel that has Low elements: it is compiled, never launched.
inline float4 load4(const twin::Low* p) { return make_float4(p[0], p[1], p[2], p[3]); }
inline void store4(twin::Low* p, float4 v) { p[0] = v.x, p[1] = v.y, p[2] = v.z, p[3] = v.w; }
