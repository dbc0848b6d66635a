// Memory with red zones: exact bounds under AddressSanitizer, wide guards between neighbours, addresses that depend on
// the sequence of allocations alone (never on what ran before), and no reuse until reset(): a freed block stays
// poisoned.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exec/cpu/memory/address_space.h"

namespace warpfuzz::cpu {

class GuardedArena {
 public:
  // Guards of at least min_guard bytes (at most max_guard, growing with the block).
  GuardedArena(AddressRange addresses, std::size_t min_guard, std::size_t max_guard);
  GuardedArena(const GuardedArena&) = delete;

  void* allocate(std::size_t bytes, std::size_t align);  // null when full; the contents are undefined
  void release(void* p, std::size_t bytes);              // access is an error from here on
  void reset();                                          // releases everything and starts again at the same addresses
  bool contains(const void* p) const { return addresses_.contains(p); }

 private:
  struct Block {
    char* lo;
    std::size_t bytes;
  };
  AddressRange addresses_;
  std::size_t min_guard_, max_guard_;
  char* cursor_;     // end of the last block
  char* opened_to_;  // up to here all is either a live block or poisoned; beyond there is no access
  std::vector<Block> live_;
};

// Copy and fill that no sanitizer checks: on memory that holds red zones (never through the C library's functions).
void raw_copy(void* to, const void* from, std::size_t bytes);
// The 8-byte pattern from p's start on, cut at the end.
void raw_fill(void* p, std::uint64_t pattern, std::size_t bytes);

}  // namespace warpfuzz::cpu
