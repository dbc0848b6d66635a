// Launcher allocations too large to be filled: one poisoned piece of memory is mapped again and again, and copied where it is
// written. So an allocation of gigabytes costs what is used of it. Red zones are as exact as those of GuardedArena; the sanitizer's
// shadow of the allocation itself is never touched.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>

#include "exec/cpu/memory/address_space.h"

namespace warpfuzz::cpu {

class LargeArena {
 public:
  static constexpr std::size_t kPiece = std::size_t{64} << 20;

  explicit LargeArena(AddressRange addresses);
  LargeArena(const LargeArena&) = delete;

  // Reads as `pattern` over and over until it is written. Null when full. Addresses depend on the sequence of calls alone.
  void* allocate(std::size_t bytes, std::uint64_t pattern);
  void release(void* p);  // access is an error from here on, the memory is given back
  void reset();

 private:
  char* free_addresses(std::size_t bytes);
  bool map(char* lo, std::size_t bytes, std::uint64_t pattern);
  void close(char* lo, std::size_t bytes);

  AddressRange addresses_;
  char* cursor_;
  std::map<char*, std::size_t> live_;   // start and size
  std::map<std::uint64_t, int> files_;  // of poison, by their pattern
};

}  // namespace warpfuzz::cpu
