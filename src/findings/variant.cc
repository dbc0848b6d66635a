#include "findings/variant.h"

#include <cmath>

#include "numeric/round.h"

namespace warpfuzz {

bool is_ordinary(DType t, double x) {
  const DTypeInfo& d = info(t);
  if (!d.floating) return true;
  if (x == 0) return !std::signbit(x);
  const DTypeInfo& f = info(DType::f32);
  const double size = std::fabs(x), square = size * size;
  return size >= d.min_normal && size <= d.max / 2 && square >= f.min_normal && square <= f.max;  // false for a NaN
}

bool has_variants(FaultClass f) {
  return f == FaultClass::value || f == FaultClass::special || f == FaultClass::unwritten || f == FaultClass::index;
}

std::string variant_of(const Finding& f) {
  if (!f.variant.empty() || !has_variants(f.fault)) return f.variant;
  for (const TensorSnapshot& t : f.inputs) {
    const std::size_t size = dtype_size(t.dtype);
    for (std::size_t at = 0; at + size <= t.data.size(); at += size)
      if (!is_ordinary(t.dtype, load_element(t.dtype, &t.data[at]))) return kSpecial;
  }
  return kOrdinary;
}

std::string variant_meaning(const std::string& variant) {
  if (variant == kOrdinary) return variant + ": ordinary values of the inputs show it";
  if (variant == kSpecial) return variant + ": with ordinary values in place of the special ones it is not seen";
  return variant;
}

}  // namespace warpfuzz
