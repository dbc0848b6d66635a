// Red zones by AddressSanitizer's user poisoning; without it the guards are only distance.
#include "exec/cpu/arena.h"

#include <sys/mman.h>

#include <algorithm>

#include "exec/launch.h"

extern "C" {
void __asan_poison_memory_region(const volatile void*, std::size_t) __attribute__((weak));
void __asan_unpoison_memory_region(const volatile void*, std::size_t) __attribute__((weak));
}

namespace warpfuzz::cpu {
namespace {
constexpr std::size_t kGranule = 8;               // of the sanitizer's shadow
constexpr std::size_t kKeepResident = 64u << 20;  // pages beyond are given back at reset

char* align_up(char* p, std::size_t align) {
  return reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(p) + align - 1) &
                                 ~static_cast<std::uintptr_t>(align - 1));
}
void poison(char* p, std::size_t bytes) {
  if (__asan_poison_memory_region && bytes) __asan_poison_memory_region(p, bytes);
}
}  // namespace

GuardedArena::GuardedArena(std::size_t capacity, std::size_t min_guard, std::size_t max_guard)
    : capacity_(capacity), min_guard_(min_guard), max_guard_(max_guard) {
  void* p = mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) target_error("cannot reserve address space for device memory");
  base_ = cursor_ = poisoned_to_ = static_cast<char*>(p);
}

void* GuardedArena::allocate(std::size_t bytes, std::size_t align) {
  std::size_t guard = std::clamp(bytes, min_guard_, max_guard_);
  std::size_t room = capacity_ - static_cast<std::size_t>(cursor_ - base_);
  if (bytes > room || room - bytes < 2 * guard + align + kGranule) return nullptr;
  char* lo = align_up(cursor_ + guard, align);
  char* hi = align_up(lo + bytes, kGranule);
  if (hi + guard > poisoned_to_) {
    poison(poisoned_to_, static_cast<std::size_t>(hi + guard - poisoned_to_));
    poisoned_to_ = hi + guard;
  }
  if (__asan_unpoison_memory_region && bytes) __asan_unpoison_memory_region(lo, bytes);
  cursor_ = hi;
  live_.push_back({lo, bytes});
  return lo;
}

void GuardedArena::release(void* p, std::size_t bytes) {
  poison(static_cast<char*>(p), (bytes + kGranule - 1) & ~(kGranule - 1));
  for (Block& b : live_) {
    if (b.lo == p) {
      b = live_.back();
      live_.pop_back();
      break;
    }
  }
  // Whole pages of a large block go back at once: a launcher may allocate and free in a loop.
  constexpr std::size_t page = 4096;
  char* from = align_up(static_cast<char*>(p), page);
  char* to = static_cast<char*>(p) + bytes;
  if (bytes >= (1u << 20)) madvise(from, static_cast<std::size_t>(to - from) & ~(page - 1), MADV_DONTNEED);
}

void GuardedArena::reset() {
  for (const Block& b : live_) poison(b.lo, (b.bytes + kGranule - 1) & ~(kGranule - 1));
  live_.clear();
  if (static_cast<std::size_t>(cursor_ - base_) > kKeepResident) {
    madvise(base_ + kKeepResident, static_cast<std::size_t>(align_up(cursor_, 4096) - base_) - kKeepResident,
            MADV_DONTNEED);
  }
  cursor_ = base_;
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
