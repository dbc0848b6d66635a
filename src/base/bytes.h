// What files, cases and messages are made of.
#pragma once
#include <cstdint>
#include <vector>

namespace warpfuzz {

using Bytes = std::vector<std::uint8_t>;

}  // namespace warpfuzz
