// The addresses that kernels know: one reservation without access, in which memory is opened where it is allocated. Nothing else of
// the process lies in it or near it, so that an access through a wild index is a fault and meets no memory of ours.
#pragma once
#include <cstddef>

namespace warpfuzz::cpu {

struct AddressRange {
  char* base;
  std::size_t bytes;
  char* end() const { return base + bytes; }
  bool contains(const void* p) const { return p >= base && p < end(); }
};

AddressRange shared_addresses();  // shared memory of a launch
AddressRange device_addresses();  // tensors, and launcher allocations of usual sizes
AddressRange large_addresses();   // launcher allocations of any size

inline constexpr std::size_t kPage = 4096;

// The red zones of AddressSanitizer, to the byte; without it they do nothing.
void forbid(const volatile char* p, std::size_t bytes);
void allow(const volatile char* p, std::size_t bytes);

void open_pages(char* from, std::size_t bytes);   // may be read and written; 0 at first
void close_pages(char* from, std::size_t bytes);  // no access, and what they held is given back

}  // namespace warpfuzz::cpu
