// The reservation and its parts.
#include "exec/cpu/memory/address_space.h"

#include <sys/mman.h>

#include "exec/launch.h"

extern "C" {
void __asan_poison_memory_region(const volatile void*, std::size_t) __attribute__((weak));
void __asan_unpoison_memory_region(const volatile void*, std::size_t) __attribute__((weak));
}

namespace warpfuzz::cpu {
namespace {

constexpr std::size_t kGiB = std::size_t{1} << 30;
// A wild index of 32 bits reaches as far as this on both sides (2^32 elements of 16 bytes).
constexpr std::size_t kMargin = 64 * kGiB;
constexpr std::size_t kShared = kGiB / 16, kDevice = 4 * kGiB, kLarge = 256 * kGiB;
constexpr std::size_t kSharedAt = kMargin, kDeviceAt = kSharedAt + kGiB, kLargeAt = kDeviceAt + 2 * kDevice;
constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

char* reservation() {
  static char* const base = [] {
    void* p = mmap(nullptr, kLargeAt + kLarge + kMargin, PROT_NONE, kFlags, -1, 0);
    if (p == MAP_FAILED)
      target_error("cannot reserve 393 GiB of address space for the memory of kernels (is there a limit, ulimit -v?)");
    return static_cast<char*>(p);
  }();
  return base;
}

}  // namespace

AddressRange shared_addresses() { return {reservation() + kSharedAt, kShared}; }
AddressRange device_addresses() { return {reservation() + kDeviceAt, kDevice}; }
AddressRange large_addresses() { return {reservation() + kLargeAt, kLarge}; }

void forbid(const volatile char* p, std::size_t bytes) {
  if (__asan_poison_memory_region && bytes) __asan_poison_memory_region(p, bytes);
}
void allow(const volatile char* p, std::size_t bytes) {
  if (__asan_unpoison_memory_region && bytes) __asan_unpoison_memory_region(p, bytes);
}

void open_pages(char* from, std::size_t bytes) {
  if (mprotect(from, bytes, PROT_READ | PROT_WRITE) != 0) target_error("cannot open memory for kernels");
}
void close_pages(char* from, std::size_t bytes) {
  if (mmap(from, bytes, PROT_NONE, kFlags | MAP_FIXED, -1, 0) == MAP_FAILED)
    target_error("cannot close memory of kernels");
}

}  // namespace warpfuzz::cpu
