// The block of device memory through which an instrumented module and the host talk: layout and sizes. Read by host code, by the
// device header and by the compiler pass, so that there is one truth.
#pragma once
#include <cstddef>
#include <cstdint>

namespace warpfuzz::cuda {

// What the first out-of-bounds access of a run leaves. All threads race for `claimed`.
struct DeviceFinding {
  std::uint64_t claimed;  // 0: none
  std::uint64_t address;
  std::uint64_t where;   // device address of "file:line: function", zero-terminated
  std::uint32_t size;    // bytes of the access
  std::uint32_t access;  // Access
  std::uint32_t block[3], thread[3];
};
enum class Access : std::uint32_t { read, write, atomic };

// One tensor: low 32 bits of its first byte's address, and its size. Tensor k lies in the 4 GiB slot k.
struct SlotBounds {
  std::uint32_t start_low, bytes;
};
struct MemoryRange {
  std::uint64_t begin, end;
};
struct OperandPair {
  std::uint32_t a, b;
};

inline constexpr std::uint32_t kSlots = 8, kMaxRanges = 24;

struct StateHeader {
  DeviceFinding finding;
  std::uint8_t reserved[128 - sizeof(DeviceFinding)];
  SlotBounds bounds[kSlots + 1];  // the last one stands for all other addresses: bytes 0 sends them to the slow path
  std::uint8_t reserved2[128 - (kSlots + 1) * sizeof(SlotBounds)];
  std::uint32_t range_count, reserved3;
  MemoryRange ranges[kMaxRanges];  // other memory that the kernel may touch: the launcher's allocations
  std::uint8_t reserved4[1024 - 256 - 8 - kMaxRanges * sizeof(MemoryRange)];
};
static_assert(sizeof(DeviceFinding) == 56 && sizeof(StateHeader) == 1024);
static_assert(offsetof(StateHeader, bounds) == 128 && offsetof(StateHeader, range_count) == 256 &&
              offsetof(StateHeader, ranges) == 264);

// Behind the header: bits of edges, a word of classes for each compare, three operand pairs for each compare.
// Class of a pair: bit 0: equal, else bit 1 + floor(log2 |a - b|), at most bit 31.
enum class PairKind : std::uint32_t { far, near, equal };  // near: |a - b| in 1..7
inline constexpr std::uint32_t kPairKinds = 3, kStateAlignment = 256;
constexpr std::uint32_t edge_words(std::uint32_t edges) { return (edges + 31) / 32; }
constexpr std::uint32_t edge_offset() { return sizeof(StateHeader); }
constexpr std::uint32_t class_offset(std::uint32_t edges) { return edge_offset() + 4 * edge_words(edges); }
constexpr std::uint32_t pair_offset(std::uint32_t edges, std::uint32_t compares) {
  return (class_offset(edges) + 4 * compares + 7) / 8 * 8;
}
constexpr std::uint32_t state_bytes(std::uint32_t edges, std::uint32_t compares) {
  return pair_offset(edges, compares) + kPairKinds * compares * static_cast<std::uint32_t>(sizeof(OperandPair));
}

// Indices of wf_counts. In the source it holds what the pass is asked for, behind kRequestMagic; the pass leaves the counts.
enum CountIndex : std::uint32_t {
  kCountEdges,  // bits of the edge map; some may stay unused, so that the edges of a function share few words
  kCountCompares,
  kCountAccesses,       // checked accesses
  kCountFloatAtomics,   // 1: a kernel adds floating-point numbers atomically, so that bits may differ from run to run
  kCountMode,           // Mode
  kCountEdgeSites,      // edges without the unused bits
  kCountLocalCompares,  // of the compares, those whose classes are kept in registers
  kCountSize = 8
};
enum RequestIndex : std::uint32_t {
  kRequestMagicAt,
  kRequestMode,
  kRequestCompareRegisters,
  kRequestEdgeWords,
  kRequestRegisterLimit
};
enum Mode : std::uint32_t { kModeCoverage = 1, kModeChecks = 2, kModeHostTest = 4, kModeNoCompares = 8 };
inline constexpr std::uint32_t kRequestMagic = 0x57460001;

// The device variables of one translation unit, as the runtime's symbol calls take them.
struct ModuleSymbols {
  const void *state, *slot_base, *counts;
};

}  // namespace warpfuzz::cuda
