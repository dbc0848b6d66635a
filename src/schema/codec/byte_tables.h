// The 256-entry tables behind the fill, amp and rate bytes, and which of a recipe's bytes mean something for a fill.
#pragma once
#include <cstdint>

#include "schema/test_case.h"

namespace warpfuzz {

Fill table_fill(std::uint8_t byte);  // of a floating tensor; never Fill::index
std::uint8_t rate_byte(int specials_per_256);

struct FillTraits {
  bool amp = false;   // scaled by 2^amp
  bool seed = false;  // depends on the seed
  int params = 1;     // number of meanings of the param byte, which is taken modulo this
};
FillTraits fill_traits(Fill f, std::uint8_t param, DType t);

// The param byte of Fill::index: bits 0-1 mode (identity, uniform, repeated, ends), bits 2-6 the number of values that
// are repeated less one, bit 7 some values out of range. Bits without a meaning are cleared.
enum class IndexMode : std::uint8_t { identity, uniform, repeated, ends };
std::uint8_t index_param(std::uint8_t param, bool out_of_range);

// Offset exponents of offset_normal per dtype: 3 .. 3 + n - 1, so that the deviation stays representable.
int offset_exponents(DType t);
// Ranges of log_uniform, raw_tail and limits where the exponent has eight bits: the first is whole, the others end where the
// amplitudes do. Magnitudes up to the end of the number line make most sums overflow, which tells nothing.
inline constexpr int kRangeCount = 4, kNarrowTop = 13;

// Values of Fill::constant and the magnitude of Fill::alternating.
inline constexpr int kConstantCount = 16;
extern const float kConstants[kConstantCount];
inline constexpr int kStepCount = 8;
extern const float kSteps[kStepCount];  // of Fill::iota

}  // namespace warpfuzz
