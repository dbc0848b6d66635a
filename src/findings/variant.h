// Variants: what it takes to show a finding. One key may hide several bugs of a kernel; each variant of it keeps a
// reproducer of its own. Never part of the key.
#pragma once
#include <cstddef>
#include <string>

#include "findings/finding.h"

namespace warpfuzz {

inline constexpr const char* kOrdinary = "ordinary";  // ordinary values of the inputs show it
inline constexpr const char* kSpecial = "special";  // it takes a NaN, an Inf, a -0, a subnormal, a number near overflow
inline constexpr std::size_t kMostVariants = 4;     // of a key

// Zero, or a normal number of dtype t that is at most half of its largest and whose square is a normal fp32 number. Always
// true where t is no floating type.
bool is_ordinary(DType t, double x);

// Whether findings of this class have a variant: those that judge outputs. The others hardly depend on values, and many
// of them end the process, so that nothing could be tried out.
bool has_variants(FaultClass f);

// The recorded one. A file from before there were variants counts as special where its inputs hold a special value.
// "" for a class without variants.
std::string variant_of(const Finding& f);

// "special: ordinary values in their place do not show it"; "" for "".
std::string variant_meaning(const std::string& variant);

}  // namespace warpfuzz
