// Mapping of poison, and the red zones around it.
#include "exec/cpu/memory/large_arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "exec/cpu/memory/arena.h"
#include "exec/launch.h"

namespace warpfuzz::cpu {
namespace {

constexpr std::size_t kGuard = std::size_t{1} << 20;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) & ~(kPage - 1); }

int poison_file(std::uint64_t pattern) {
  const int file = memfd_create("warpfuzz-poison", MFD_CLOEXEC);
  void* p = MAP_FAILED;
  if (file >= 0 && ftruncate(file, LargeArena::kPiece) == 0)
    p = mmap(nullptr, LargeArena::kPiece, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (p == MAP_FAILED) target_error("cannot make 64 MiB of poison for a large cudaMalloc (memfd_create)");
  raw_fill(p, pattern, LargeArena::kPiece);
  munmap(p, LargeArena::kPiece);
  return file;
}

}  // namespace

LargeArena::LargeArena(AddressRange addresses) : addresses_(addresses), cursor_(addresses.base) {}

// Freed addresses are used again only when the others are used up.
char* LargeArena::free_addresses(std::size_t bytes) {
  if (bytes <= static_cast<std::size_t>(addresses_.end() - cursor_)) {
    char* const at = cursor_;
    cursor_ += bytes;
    return at;
  }
  char* at = addresses_.base;
  for (const auto& [lo, size] : live_) {
    if (at + bytes <= lo - kGuard) return at;
    at = lo + whole_pages(size) + kGuard;
  }
  return bytes <= static_cast<std::size_t>(addresses_.end() - at) ? at : nullptr;
}

bool LargeArena::map(char* lo, std::size_t bytes, std::uint64_t pattern) {
  const auto known = files_.find(pattern);
  const int file = known != files_.end() ? known->second : (files_[pattern] = poison_file(pattern));
  for (std::size_t done = 0; done < bytes; done += kPiece) {
    void* const p = mmap(lo + done, std::min(kPiece, bytes - done), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, file, 0);
    if (p == MAP_FAILED) return false;
  }
  return true;
}

void* LargeArena::allocate(std::size_t bytes, std::uint64_t pattern) {
  if (bytes > addresses_.bytes - 3 * kGuard) return nullptr;
  const std::size_t mapped = whole_pages(bytes);
  char* const at = free_addresses(mapped + 2 * kGuard);
  if (!at) return nullptr;
  char* const lo = at + kGuard;
  if (!map(lo, mapped, pattern)) {
    close_pages(lo, mapped);
    return nullptr;
  }
  forbid(at, kGuard);
  forbid(lo + bytes, mapped - bytes + kGuard);
  live_[lo] = bytes;
  return lo;
}

// Without pages the red zones are not needed, and the next allocation may lie elsewhere.
void LargeArena::close(char* lo, std::size_t bytes) {
  const std::size_t mapped = whole_pages(bytes);
  close_pages(lo, mapped);
  allow(lo - kGuard, kGuard);
  const std::size_t last = bytes & ~std::size_t{7};  // the sanitizer's granule that the end lies in
  allow(lo + last, mapped - last + kGuard);
}

void LargeArena::release(void* p) {
  const auto block = live_.find(static_cast<char*>(p));
  if (block == live_.end()) return;
  close(block->first, block->second);
  live_.erase(block);
}

void LargeArena::reset() {
  for (const auto& [lo, bytes] : live_) close(lo, bytes);
  live_.clear();
  cursor_ = addresses_.base;
}

}  // namespace warpfuzz::cpu
