// The constants of every element type.
#include "numeric/dtype.h"

#include <array>

namespace warpfuzz {
namespace {

// Integers: precision counts value bits, the spacing is 1 everywhere.
constexpr std::array<DTypeInfo, 7> kInfo{{
    {"fp32", 4, true, 24, -126, 0x1.fffffep127, 0x1p-126, 0x1p-149, 0x1p-24},
    {"fp16", 2, true, 11, -14, 65504.0, 0x1p-14, 0x1p-24, 0x1p-11},
    {"bf16", 2, true, 8, -126, 0x1.fep127, 0x1p-126, 0x1p-133, 0x1p-8},
    {"fp64", 8, true, 53, -1022, 0x1.fffffffffffffp1023, 0x1p-1022, 0x0.0000000000001p-1022, 0x1p-53},
    {"int32", 4, false, 31, 0, 2147483647.0, 1, 1, 0},
    {"int64", 8, false, 63, 0, 0x1p63, 1, 1, 0},
    {"uint8", 1, false, 8, 0, 255.0, 1, 1, 0},
}};

}  // namespace

const DTypeInfo& info(DType t) { return kInfo[static_cast<std::size_t>(t)]; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kInfo.size(); ++i)
    if (kInfo[i].name == name) return static_cast<DType>(i);
  return std::nullopt;
}

}  // namespace warpfuzz
