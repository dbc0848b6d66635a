// Red zones by AddressSanitizer's user poisoning; without it the guards are only distance.
#include "exec/cpu/memory/arena.h"

#include <sys/mman.h>

#include <algorithm>

namespace warpfuzz::cpu {
namespace {
constexpr std::size_t kGranule = 8;               // of the sanitizer's shadow
constexpr std::size_t kKeepResident = 64u << 20;  // pages beyond are given back at reset
constexpr std::size_t kOpenStep = 4u << 20;

char* align_up(char* p, std::size_t align) {
  return reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(p) + align - 1) &
                                 ~static_cast<std::uintptr_t>(align - 1));
}
}  // namespace

GuardedArena::GuardedArena(AddressRange addresses, std::size_t min_guard, std::size_t max_guard)
    : addresses_(addresses),
      min_guard_(min_guard),
      max_guard_(max_guard),
      cursor_(addresses.base),
      opened_to_(addresses.base) {}

void* GuardedArena::allocate(std::size_t bytes, std::size_t align) {
  std::size_t guard = std::clamp(bytes, min_guard_, max_guard_);
  std::size_t room = static_cast<std::size_t>(addresses_.end() - cursor_);
  if (bytes > room || room - bytes < 2 * guard + align + kGranule) return nullptr;
  char* lo = align_up(cursor_ + guard, align);
  char* hi = align_up(lo + bytes, kGranule);
  if (hi + guard > opened_to_) {
    char* to = std::min(align_up(hi + guard, kOpenStep), addresses_.end());
    open_pages(opened_to_, static_cast<std::size_t>(to - opened_to_));
    forbid(opened_to_, static_cast<std::size_t>(to - opened_to_));
    opened_to_ = to;
  }
  allow(lo, bytes);
  cursor_ = hi;
  live_.push_back({lo, bytes});
  return lo;
}

void GuardedArena::release(void* p, std::size_t bytes) {
  forbid(static_cast<char*>(p), (bytes + kGranule - 1) & ~(kGranule - 1));
  for (Block& b : live_) {
    if (b.lo == p) {
      b = live_.back();
      live_.pop_back();
      break;
    }
  }
  // Whole pages of a large block go back at once: a launcher may allocate and free in a loop.
  char* from = align_up(static_cast<char*>(p), kPage);
  char* to = static_cast<char*>(p) + bytes;
  if (bytes >= (1u << 20)) madvise(from, static_cast<std::size_t>(to - from) & ~(kPage - 1), MADV_DONTNEED);
}

void GuardedArena::reset() {
  for (const Block& b : live_) forbid(b.lo, (b.bytes + kGranule - 1) & ~(kGranule - 1));
  live_.clear();
  if (static_cast<std::size_t>(cursor_ - addresses_.base) > kKeepResident) {
    madvise(addresses_.base + kKeepResident,
            static_cast<std::size_t>(align_up(cursor_, kPage) - addresses_.base) - kKeepResident, MADV_DONTNEED);
  }
  cursor_ = addresses_.base;
}

void raw_copy(void* to, const void* from, std::size_t bytes) {
#if defined(__x86_64__)
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
#else
  for (std::size_t i = 0; i < bytes; ++i) static_cast<volatile char*>(to)[i] = static_cast<const char*>(from)[i];
#endif
}

void raw_fill(void* p, std::uint64_t pattern, std::size_t bytes) {
  std::size_t words = bytes / 8;
#if defined(__x86_64__)
  asm volatile("rep stosq" : "+D"(p), "+c"(words) : "a"(pattern) : "memory");
#else
  for (; words; --words) {
    *static_cast<volatile std::uint64_t*>(p) = pattern;
    p = static_cast<char*>(p) + 8;
  }
#endif
  for (std::size_t i = 0; i < bytes % 8; ++i)
    static_cast<volatile unsigned char*>(p)[i] = static_cast<unsigned char>(pattern >> 8 * i);
}

}  // namespace warpfuzz::cpu
