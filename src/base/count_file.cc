// Layout: a page of 512 bytes for the header, then one for each key: its count, then its name, ended by a 0.
#include "base/count_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/files.h"

namespace warpfuzz {
namespace {

constexpr std::size_t kSlot = 512, kSlots = 127, kSize = kSlot * (kSlots + 1), kName = kSlot - sizeof(std::uint64_t);
constexpr char kMagic[8] = {'W', 'F', 'C', 'O', 'U', 'N', 'T', '1'};

struct Header {
  char magic[8];
  std::uint64_t executions;
  std::uint64_t keys;  // slots in use; raised when the slot is whole
};
struct Slot {
  std::uint64_t count;
  char name[kName];
};
static_assert(sizeof(Slot) == kSlot);

void add_one(std::uint64_t& n) { std::atomic_ref(n).fetch_add(1, std::memory_order_relaxed); }

}  // namespace

std::string CountFile::open(const std::string& path, bool goes_on) {
  close();
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | (goes_on ? 0 : O_TRUNC) | O_CLOEXEC, 0644);
  if (fd < 0) return fmt::format("cannot create the file of counts '{}': {}", path, std::strerror(errno));
  // Blocks are reserved now: a store into a hole of a full disk would be a SIGBUS later.
  if (const int error = posix_fallocate(fd, 0, kSize)) {
    ::close(fd);
    ::unlink(path.c_str());
    return fmt::format("cannot reserve {} bytes for '{}': {}", kSize, path, std::strerror(error));
  }
  void* map = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  if (map == MAP_FAILED) return fmt::format("cannot map '{}': {}", path, std::strerror(errno));
  map_ = static_cast<std::uint8_t*>(map);
  if (std::memcmp(map_, kMagic, sizeof kMagic) != 0) {
    std::memset(map_, 0, kSize);
    std::memcpy(map_, kMagic, sizeof kMagic);
  }
  const std::uint64_t used = std::min<std::uint64_t>(reinterpret_cast<Header*>(map_)->keys, kSlots - 1);
  for (std::uint32_t n = 1; n <= used; ++n) slots_.emplace(reinterpret_cast<Slot*>(map_ + n * kSlot)->name, n);
  return "";
}

void CountFile::close() {
  if (map_) munmap(map_, kSize);
  map_ = nullptr;
  slots_.clear();
}

void CountFile::executed() {
  if (map_) add_one(reinterpret_cast<Header*>(map_)->executions);
}

void CountFile::found(const std::string& key) {
  if (!map_) return;
  auto at = slots_.find(key);
  if (at == slots_.end()) {
    const std::uint32_t n = static_cast<std::uint32_t>(slots_.size()) + 1;
    if (n >= kSlots || key.empty() || key.size() >= kName) return;
    std::memcpy(reinterpret_cast<Slot*>(map_ + n * kSlot)->name, key.c_str(), key.size() + 1);
    std::atomic_ref(reinterpret_cast<Header*>(map_)->keys).store(n, std::memory_order_release);
    at = slots_.emplace(key, n).first;
  }
  add_one(reinterpret_cast<Slot*>(map_ + at->second * kSlot)->count);
}

Result<Counts> read_counts(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0) return Counts{};
  const Result<Bytes> bytes = read_file(path);
  if (!bytes) return bytes.error();
  Header header{};
  if (bytes->size() < kSize) return Counts{};
  std::memcpy(&header, bytes->data(), sizeof header);
  if (header.magic[0] == 0) return Counts{};  // reserved, not begun
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0)
    return Error{fmt::format("'{}': expected a file of counts, got something else", path)};
  Counts counts;
  counts.executions = header.executions;
  for (std::size_t n = 1; n <= header.keys && n < kSlots; ++n) {
    Slot slot;
    std::memcpy(&slot, bytes->data() + n * kSlot, kSlot);
    slot.name[kName - 1] = 0;
    if (slot.name[0] && slot.count) counts.keys[slot.name] = slot.count;
  }
  return counts;
}

}  // namespace warpfuzz
