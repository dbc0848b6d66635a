// What an element may be.
namespace repro {

inline std::size_t size_of(DType t) { return t == DType::i64 ? 8 : t == DType::f16 || t == DType::bf16 ? 2 : 4; }

// The element's bits as a number, exact (int64 up to 2^53).
inline double value_of(DType t, std::uint64_t bits) {
  if (t == DType::i32) return double(std::int32_t(bits));
  if (t == DType::i64) return double(std::int64_t(bits));
  const int mantissa_bits = t == DType::f32 ? 23 : t == DType::f16 ? 10 : 7, exponent_bits = t == DType::f16 ? 5 : 8;
  const int all = (1 << exponent_bits) - 1, exponent = int(bits >> mantissa_bits) & all;
  const double mantissa = double(bits & ((std::uint64_t{1} << mantissa_bits) - 1));
  const double sign = bits >> (mantissa_bits + exponent_bits) & 1 ? -1.0 : 1.0;
  if (exponent == all) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
  const int bias = all >> 1;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + std::ldexp(1.0, mantissa_bits), exponent - bias - mantissa_bits);
}

// Beside the interval [lo, hi]:
constexpr unsigned kAny = 1, kNanOk = 2, kNanRequired = 4, kZeroOk = 8, kNonFinite = 16, kBitEqual = 32, kPlusZero = 64,
                   kMinusZero = 128;

struct Element {
  std::uint64_t lo, hi;
  unsigned rules;
};

inline bool is_allowed(DType t, std::uint64_t bits, const Element& e, std::uint64_t poison) {
  const double y = value_of(t, bits), lo = value_of(t, e.lo), hi = value_of(t, e.hi);
  const bool nan = std::isnan(y);
  if (nan && bits == poison) return false;  // never written
  if (e.rules & kAny) return true;
  if (e.rules & kNanRequired) return nan;
  if (e.rules & kNonFinite) return !std::isfinite(y);
  if (nan) return (e.rules & kNanOk) || ((e.rules & kBitEqual) && std::isnan(lo));
  if (y == 0 && (e.rules & kZeroOk)) return true;
  if (e.rules & kBitEqual) return y == lo && std::signbit(y) == std::signbit(lo);
  if (y == 0 && (e.rules & (kPlusZero | kMinusZero)) && std::signbit(y) != bool(e.rules & kMinusZero)) return false;
  return y >= lo && y <= hi;
}

inline std::string number(double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", v);
  return text;
}

inline std::string allowed_text(DType t, const Element& e) {
  if (e.rules & kAny) return "anything that was written";
  if (e.rules & kNanRequired) return "NaN";
  if (e.rules & kNonFinite) return "NaN or Inf";
  std::string text = number(value_of(t, e.lo));
  if (e.rules & kBitEqual) return "exactly " + text;
  text = "[" + text + ", " + number(value_of(t, e.hi)) + "]";
  if (e.rules & kNanOk) text += " or NaN";
  if (e.rules & kZeroOk) text += " or 0";
  if (e.rules & kPlusZero) text += ", a zero is +0";
  if (e.rules & kMinusZero) text += ", a zero is -0";
  return text;
}

inline std::string got_text(DType t, std::uint64_t bits, std::uint64_t poison) {
  char text[64];
  std::snprintf(text, sizeof text, "%.9g (bits %llx%s)", value_of(t, bits), static_cast<unsigned long long>(bits),
                bits == poison ? ", never written" : "");
  return text;
}

}  // namespace repro
