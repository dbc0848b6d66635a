// Bit patterns of memory that nobody has written, and how a value that carries one is recognised.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "numeric/dtype.h"

namespace warpfuzz {

// Poison of memory that nobody has written. The payload differs by what it fills and by `variant` (0 or 1), so that
// two runs with two variants show unwritten elements and uses of uninitialised memory. Variant 0 is a NaN, as every
// type and as every part of a wider one; variant 1 is another NaN for outputs and a huge number for the rest, since
// fmaxf and fminf drop NaNs.
enum class PoisonKind : std::uint8_t { output, workspace, shared, padding };
inline constexpr int kPoisonKinds = 4;
std::uint64_t poison_bits(DType t, PoisonKind kind, int variant);
std::uint64_t repeated(std::uint64_t bits,
                       std::size_t size);  // the low `size` bytes (1, 2, 4 or 8) over and over, in 8

// The memory whose poison a NaN carries: arithmetic and conversions between floating types keep a NaN's payload, as far as
// it fits, and inputs hold none of these. "output memory", "workspace memory", "shared memory", "padding"; "memory" where
// the payload no longer tells which; "" for any other value.
std::string_view poison_source(DType t, std::uint64_t bits);

}  // namespace warpfuzz
