// Rounding to a dtype and bit conversions, in plain fp64 and integer arithmetic: nothing here depends on F16C, on the
// flush-to-zero state of the machine (no intermediate is an fp64 subnormal that matters) or on NVIDIA's headers.
#include "numeric/round.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace warpfuzz {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

inline int exponent_of(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff) - 1023; }
constexpr double power_of_two(int e) { return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52); }

// P significand bits, normal exponents EMIN..1-EMIN.
template <int P, int EMIN>
struct Format {
  static constexpr int kEmax = 1 - EMIN;
  static constexpr double kMax = (2.0 - power_of_two(1 - P)) * power_of_two(kEmax);

  static int quantum_exponent(double x) {
    const int e = exponent_of(x);
    return (e < EMIN ? EMIN : e) - (P - 1);
  }
  // Adding 1.5 * 2^52 quanta leaves a sum whose last bit is one quantum: the hardware does the rounding to even.
  static double nearest(double x) {
    if (exponent_of(x) > kEmax) return std::isnan(x) ? x : std::copysign(kInf, x);
    const double magic = power_of_two(quantum_exponent(x) + 52) * 1.5;
    const double r = std::copysign((x + magic) - magic, x);
    return std::fabs(r) > kMax ? std::copysign(kInf, x) : r;
  }
  static double down(double x) {
    if (std::isnan(x) || std::isinf(x)) return x;
    if (x > kMax) return kMax;
    if (x < -kMax) return -kInf;
    const int q = quantum_exponent(x);
    return std::copysign(std::floor(x * power_of_two(-q)) * power_of_two(q), x);
  }
};
using F32 = Format<24, -126>;
using F16 = Format<11, -14>;
using BF16 = Format<8, -126>;

double round_integer(DType t, double x) {
  if (std::isnan(x)) return 0;
  const double hi = info(t).max;
  const double lo = t == DType::u8 ? 0 : t == DType::i32 ? -2147483648.0 : -0x1p63;
  return x >= hi ? hi : x <= lo ? lo : std::nearbyint(x);
}

inline std::uint16_t half_from_float(float f) {
  const std::uint32_t u = std::bit_cast<std::uint32_t>(f), sign = u >> 16 & 0x8000, mag = u & 0x7fffffff;
  const std::uint32_t normal = (mag + 0xc8000fffu + (mag >> 13 & 1)) >> 13;  // exponent bias 127 -> 15, nearest even
  const std::uint32_t small =  // below 2^-14: 0.5 has the half's subnormal quantum as its last bit
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(mag) + 0.5f) - std::bit_cast<std::uint32_t>(0.5f);
  const std::uint32_t big = mag > 0x7f800000u ? 0x7e00u : 0x7c00u;
  const std::uint32_t h = mag >= 0x47800000u ? big : mag < 0x38800000u ? small : normal;
  return static_cast<std::uint16_t>(h | sign);
}
inline float half_to_float(std::uint16_t h) {
  const std::uint32_t shifted = static_cast<std::uint32_t>(h & 0x7fff) << 13, exponent = shifted & 0x0f800000u;
  const std::uint32_t normal = shifted + 0x38000000u + (exponent == 0x0f800000u ? 0x38000000u : 0u);
  const float small = std::bit_cast<float>(shifted + 0x38800000u) - 0x1p-14f;
  const std::uint32_t mag = exponent == 0 ? std::bit_cast<std::uint32_t>(small) : normal;
  return std::bit_cast<float>(mag | static_cast<std::uint32_t>(h & 0x8000) << 16);
}
inline std::uint16_t bfloat_from_float(float f) {
  const std::uint32_t u = std::bit_cast<std::uint32_t>(f);
  const std::uint32_t rounded = (u + 0x7fffu + (u >> 16 & 1)) >> 16;
  return static_cast<std::uint16_t>((u & 0x7fffffffu) > 0x7f800000u ? (u >> 16 & 0x8000) | 0x7fc0 : rounded);
}

// Position of a value of t on the number line; +0 and -0 are both 0.
std::int64_t ordinal(DType t, double x) {
  const auto signed_magnitude = [](std::uint64_t bits, int width) {
    const std::uint64_t mag = bits & ((1ull << (width - 1)) - 1);
    return bits >> (width - 1) & 1 ? -static_cast<std::int64_t>(mag) : static_cast<std::int64_t>(mag);
  };
  switch (t) {
    case DType::f32: return signed_magnitude(std::bit_cast<std::uint32_t>(static_cast<float>(F32::nearest(x))), 32);
    case DType::f16: return signed_magnitude(f16_bits(x), 16);
    case DType::bf16: return signed_magnitude(bf16_bits(x), 16);
    default: return signed_magnitude(std::bit_cast<std::uint64_t>(x), 64);
  }
}
double from_ordinal(DType t, std::int64_t n) {
  const std::uint64_t mag = static_cast<std::uint64_t>(n < 0 ? -n : n);
  double r;
  switch (t) {
    case DType::f32: r = std::bit_cast<float>(static_cast<std::uint32_t>(mag)); break;
    case DType::f16: r = f16_value(static_cast<std::uint16_t>(mag)); break;
    case DType::bf16: r = bf16_value(static_cast<std::uint16_t>(mag)); break;
    default: r = std::bit_cast<double>(mag); break;
  }
  return n < 0 ? -r : r;
}

}  // namespace

std::uint16_t f16_bits(double x) {
  const double r = F16::nearest(x);
  const auto b = std::bit_cast<std::uint64_t>(r);
  const auto sign = static_cast<std::uint16_t>(b >> 48 & 0x8000);
  if (std::isnan(r)) return sign | 0x7e00;
  if (std::isinf(r)) return sign | 0x7c00;
  if (exponent_of(r) < -14) return sign | static_cast<std::uint16_t>(std::fabs(r) * 0x1p24);
  return sign | static_cast<std::uint16_t>((exponent_of(r) + 15) << 10 | (b >> 42 & 0x3ff));
}
std::uint16_t bf16_bits(double x) {
  const double r = BF16::nearest(x);
  const auto b = std::bit_cast<std::uint64_t>(r);
  const auto sign = static_cast<std::uint16_t>(b >> 48 & 0x8000);
  if (std::isnan(r)) return sign | 0x7fc0;
  if (std::isinf(r)) return sign | 0x7f80;
  if (exponent_of(r) < -126) return sign | static_cast<std::uint16_t>(std::fabs(r) * 0x1p133);
  return sign | static_cast<std::uint16_t>((exponent_of(r) + 127) << 7 | (b >> 45 & 0x7f));
}
float f16_value(std::uint16_t bits) { return half_to_float(bits); }
float bf16_value(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

double round_to(DType t, double x) {
  switch (t) {
    case DType::f32: return F32::nearest(x);
    case DType::f16: return F16::nearest(x);
    case DType::bf16: return BF16::nearest(x);
    case DType::f64: return x;
    default: return round_integer(t, x);
  }
}
double round_down(DType t, double x) {
  switch (t) {
    case DType::f32: return F32::down(x);
    case DType::f16: return F16::down(x);
    case DType::bf16: return BF16::down(x);
    case DType::f64: return x;
    default: return round_integer(t, std::floor(x));
  }
}
double round_up(DType t, double x) {
  if (!info(t).floating) return round_integer(t, std::ceil(x));
  return -round_down(t, -x);
}

double load_element(DType t, const void* p) {
  const auto as = [p]<class T>(T v) {
    std::memcpy(&v, p, sizeof v);
    return v;
  };
  switch (t) {
    case DType::f32: return as(0.0f);
    case DType::f16: return f16_value(as(std::uint16_t{}));
    case DType::bf16: return bf16_value(as(std::uint16_t{}));
    case DType::f64: return as(0.0);
    case DType::i32: return as(std::int32_t{});
    case DType::i64: return static_cast<double>(as(std::int64_t{}));
    default: return as(std::uint8_t{});
  }
}
void store_element(DType t, void* p, double x) {
  const auto put = [p](auto v) { std::memcpy(p, &v, sizeof v); };
  switch (t) {
    case DType::f32: return put(static_cast<float>(F32::nearest(x)));
    case DType::f16: return put(f16_bits(x));
    case DType::bf16: return put(bf16_bits(x));
    case DType::f64: return put(x);
    case DType::i32: return put(static_cast<std::int32_t>(round_integer(t, x)));
    case DType::i64: {
      const double r = round_integer(t, x);  // 2^63 itself does not fit
      return put(r >= 0x1p63 ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(r));
    }
    default: return put(static_cast<std::uint8_t>(round_integer(t, x)));
  }
}

void load_floats(DType t, const void* p, std::size_t n, float* out) {
  const auto* bits = static_cast<const unsigned char*>(p);
  const auto at16 = [bits](std::size_t i) {
    std::uint16_t h;
    std::memcpy(&h, bits + 2 * i, 2);
    return h;
  };
  switch (t) {
    case DType::f32:
      if (n) std::memcpy(out, p, n * sizeof(float));
      return;
    case DType::f16:
      for (std::size_t i = 0; i < n; ++i) out[i] = half_to_float(at16(i));
      return;
    case DType::bf16:
      for (std::size_t i = 0; i < n; ++i) out[i] = std::bit_cast<float>(static_cast<std::uint32_t>(at16(i)) << 16);
      return;
    default:
      for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(load_element(t, bits + i * dtype_size(t)));
  }
}
void store_floats(DType t, void* p, std::size_t n, const float* in) {
  auto* bits = static_cast<unsigned char*>(p);
  const auto put16 = [bits](std::size_t i, std::uint16_t h) { std::memcpy(bits + 2 * i, &h, 2); };
  switch (t) {
    case DType::f32:
      if (n) std::memcpy(p, in, n * sizeof(float));
      return;
    case DType::f16:
      for (std::size_t i = 0; i < n; ++i) put16(i, half_from_float(in[i]));
      return;
    case DType::bf16:
      for (std::size_t i = 0; i < n; ++i) put16(i, bfloat_from_float(in[i]));
      return;
    default:
      for (std::size_t i = 0; i < n; ++i) store_element(t, bits + i * dtype_size(t), in[i]);
  }
}

double ulp(DType t, double x) {
  const DTypeInfo& f = info(t);
  if (!f.floating) return 1;
  if (std::isnan(x)) return kNaN;
  const int emax = 1 - f.emin, e = exponent_of(x);
  const int q = (e < f.emin ? f.emin : e > emax ? emax : e) - (f.precision - 1);
  return q >= -1022 ? power_of_two(q) : std::ldexp(1.0, q);
}

std::int64_t ulp_distance(DType t, double a, double b) {
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  if (!std::isfinite(a) || !std::isfinite(b)) return kFar;
  if (!info(t).floating) {
    const double d = std::fabs(round_integer(t, a) - round_integer(t, b));
    return d >= static_cast<double>(kFar) ? kFar : static_cast<std::int64_t>(d);
  }
  if (!std::isfinite(round_to(t, a)) || !std::isfinite(round_to(t, b))) return kFar;
  const std::int64_t x = ordinal(t, a), y = ordinal(t, b);
  const std::uint64_t d = x > y ? static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y)
                                : static_cast<std::uint64_t>(y) - static_cast<std::uint64_t>(x);
  return d >= static_cast<std::uint64_t>(kFar) ? kFar : static_cast<std::int64_t>(d);
}

double next_in(DType t, double x, bool up) {
  if (std::isnan(x)) return x;
  if (!info(t).floating) return round_integer(t, round_integer(t, x) + (up ? 1 : -1));
  if (std::isinf(x)) return (x > 0) == up ? x : std::copysign(info(t).max, x);
  const double r = up ? round_up(t, x) : round_down(t, x);
  if (r != x) return r;  // x lay between two values of t
  return from_ordinal(t, ordinal(t, x) + (up ? 1 : -1));
}

}  // namespace warpfuzz
