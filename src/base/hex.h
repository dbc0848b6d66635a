// Bytes as hexadecimal text: how they travel over the line protocol and into logs.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace warpfuzz {

std::string to_hex(std::span<const std::uint8_t> bytes);
std::optional<Bytes> from_hex(std::string_view text);  // nothing where it is no pairs of hexadecimal digits

}  // namespace warpfuzz
