// The container inside a .wfz's zstd frame: magic, version, JSON header, blobs (docs/findings.md). The layer is apart
// so that tests and the fuzz target reach it without going through a compressor and its checksum.
#pragma once
#include <span>

#include "findings/finding.h"

namespace warpfuzz {

inline constexpr std::uint16_t kContainerMajor = 1, kContainerMinor = 0;

Bytes pack_container(const Finding& f);
Result<Finding> unpack_container(std::span<const std::uint8_t> payload);

}  // namespace warpfuzz
