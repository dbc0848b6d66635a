// The accept rule of one element, exactly as docs/oracle.md states it. judge.cc has a fast path in front of it.
#include <cmath>
#include <limits>

#include "numeric/round.h"
#include "oracle/judge.h"

namespace warpfuzz {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Interval allowed(const Reference& ref, std::size_t i, DType out, const ToleranceRow& row, bool ftz, int tier) {
  const std::uint8_t flags = ref.flags[i];
  if (flags & (kAny | kNonFinite)) return {-kInf, kInf};
  if (flags & kNanRequired) return {kNaN, kNaN};
  const double r = ref.r[i];
  if (flags & kBitEqual) return {round_to(out, r), round_to(out, r)};
  if (std::isinf(r)) return {r, r};
  const double e = row.c * (tier == 0 ? ref.e[i] : ref.e_rig[i]);
  const bool nearest = row.store == Store::nearest;
  double lo = nearest ? round_to(out, r - e) : round_down(out, r - e),
         hi = nearest ? round_to(out, r + e) : round_up(out, r + e);
  const double least = info(out).min_normal;
  if (ftz && info(out).floating && out != DType::f16) {
    if (lo > 0 && lo < least) lo = 0;
    if (hi < 0 && hi > -least) hi = 0;
  }
  return {lo, hi};
}

bool accepts(const Reference& ref, std::size_t i, double y, DType out, const ToleranceRow& row, bool ftz, int tier) {
  const std::uint8_t flags = ref.flags[i];
  if (flags & kAny) return true;
  if (flags & kNanRequired) return std::isnan(y);
  if (flags & kNonFinite) return !std::isfinite(y);
  const bool copied_nan =
      (flags & kBitEqual) && std::isnan(ref.r[i]);  // any payload: copies go through NaN's one meaning
  if (std::isnan(y)) return copied_nan || (flags & kNanOk);
  if (y == 0 && (flags & kZeroOk)) return true;
  const Interval a = allowed(ref, i, out, row, ftz, tier);
  if (flags & kBitEqual) return y == a.lo && std::signbit(y) == std::signbit(a.lo);
  return y >= a.lo && y <= a.hi;
}

}  // namespace warpfuzz
