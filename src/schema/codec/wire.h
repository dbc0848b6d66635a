// Offsets of the case encoding, version 1 (docs/encoding.md).
#pragma once
#include <cstddef>
#include <cstdint>

#include "schema/test_case.h"

namespace warpfuzz::wire {

inline constexpr std::uint8_t kVersion = 1;
inline constexpr std::size_t kVersionAt = 0, kDTypeAt = 1, kFlagsAt = 2, kDimsAt = 4, kScalarsAt = 20, kCallsAt = 28,
                             kOrderAt = 29, kTensorsAt = 32, kTensorSize = 12, kHeaderSize = 128, kOverrideSize = 12,
                             kFromAt = 10,  // within the slot of tensor k: where the contents of dim k begin
    kMaxOverrides = 64, kTailElements = 64;

// Override flags and values.
inline constexpr std::uint8_t kFromEnd = 0x0f, kNegate = 0x40, kWholeRow = 0x80;
inline constexpr std::uint16_t kSpecial = 0x8000, kMagnitude = 0x7fff;

// Bytes that the raw-tail fills of a case take from the end of its encoding: 0 where there is none.
std::size_t tail_capacity(const Schema& s, const TestCase& c);

}  // namespace warpfuzz::wire
