// Half the spacing of a floating dtype around one of its values: what separates neighbours, and what rounding may cost.
#pragma once
#include <bit>
#include <cstdint>

#include "numeric/dtype.h"

namespace warpfuzz {

// Around y, and the smaller half where the spacing changes at y.
struct HalfSpacing {
  std::uint64_t least, shift;  // biased exponent of the smallest normal number; precision in the exponent's place
  explicit HalfSpacing(const DTypeInfo& t)
      : least(static_cast<std::uint64_t>(t.emin + 1023) << 52), shift(static_cast<std::uint64_t>(t.precision) << 52) {}
  double full(double y) const { return std::bit_cast<double>(full_bits(y)); }
  double smaller(double y) const {  // without a branch: zeros among outputs come in no order
    const std::uint64_t mantissa = std::bit_cast<std::uint64_t>(y) & 0x000fffffffffffff;
    return std::bit_cast<double>(full_bits(y) - (static_cast<std::uint64_t>(mantissa == 0) << 52));
  }
  std::uint64_t full_bits(double y) const {
    const std::uint64_t exponent = std::bit_cast<std::uint64_t>(y) & 0x7ff0000000000000;
    return (exponent > least ? exponent : least) - shift;
  }
};

}  // namespace warpfuzz
