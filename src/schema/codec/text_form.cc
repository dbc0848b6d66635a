// Numbers and override values of the readable form, written and read.
#include "schema/codec/text_form.h"

#include <charconv>
#include <cmath>

#include "numeric/round.h"
#include "schema/codec/wire.h"
#include "schema/fill/fill.h"

namespace warpfuzz::text {

std::string number(double v) {
  char buffer[40];
  const auto r = std::to_chars(buffer, buffer + sizeof buffer, v);
  return {buffer, r.ptr};
}

std::string short_number(float v) {
  char buffer[40];
  const auto r = std::to_chars(buffer, buffer + sizeof buffer, v);
  return {buffer, r.ptr};
}

std::string override_value(const Override& o) {
  const std::uint16_t v = o.value & wire::kMagnitude;
  const std::string sign = o.flags & wire::kNegate ? "-" : "";
  if (o.value & wire::kSpecial) return sign + special_name(v % kSpecialCount);
  return sign + short_number(f16_value(v));
}

std::optional<double> read_number(std::string_view s) {
  double v = 0;
  if (!s.empty() && s.front() == '+') s.remove_prefix(1);
  const auto r = std::from_chars(s.data(), s.data() + s.size(), v);
  if (r.ec != std::errc{} || r.ptr != s.data() + s.size() || !std::isfinite(v)) return std::nullopt;
  return v;
}

bool read_override_value(std::string_view s, Override& o, std::string& hint) {
  for (int negate = 0; negate < 2; ++negate) {
    const std::string_view name = negate && s.starts_with('-') ? s.substr(1) : negate ? std::string_view{} : s;
    for (int i = 0; i < kSpecialCount; ++i) {
      if (name != special_name(i) || (i >= 11 && i <= 13)) continue;  // numbers, read below
      o.value = static_cast<std::uint16_t>(wire::kSpecial | i);
      if (negate) o.flags |= wire::kNegate;
      return true;
    }
  }
  const std::optional<double> v = read_number(s);
  if (!v) {
    hint = "a number, Inf, NaN, max, min_normal, min_subnormal, max_subnormal, above_1, below_1 or square_overflow";
    return false;
  }
  // Written as the shortest decimal of an fp32 number, so that is what a decimal stands for.
  const std::uint16_t bits = f16_bits(std::fabs(*v));
  const double nearest = f16_value(bits);
  if (nearest != round_to(DType::f32, std::fabs(*v))) {
    hint = std::isinf(nearest) ? "a number up to 65504, or max, Inf or square_overflow"
                               : "a number that fp16 holds exactly (nearest: " + std::string(*v < 0 ? "-" : "") +
                                     short_number(f16_value(bits)) + ")";
    return false;
  }
  o.value = bits;
  if (std::signbit(*v)) o.flags |= wire::kNegate;
  return true;
}

}  // namespace warpfuzz::text
