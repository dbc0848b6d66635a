#include "process/in_flight.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "base/files.h"
#include "numeric/hash.h"

namespace warpfuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = ".inflight-";
constexpr std::size_t kCapacity = 1 << 16;
constexpr std::uint32_t kIdle = 0xffffffff;

// Layout of the file: the size of the case (kIdle: none is running), then its bytes.
struct Header {
  std::uint32_t size;
};

// The lock is the living process's; a process number may be taken again, or belong to one that is dead and not yet reaped.
bool in_use(const fs::path& file) {
  const int fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return false;
  const bool locked = flock(fd, LOCK_EX | LOCK_NB) != 0;
  ::close(fd);
  return locked;
}

}  // namespace

std::string InFlight::open(const std::string& folder) {
  path_ = fmt::format("{}/{}{}", folder, kPrefix, getpid());
  const int fd = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return fmt::format("cannot create {}: {}", path_, std::strerror(errno));
  // Blocks are reserved now: a store into a hole of a full disk would be a SIGBUS later.
  if (const int error = posix_fallocate(fd, 0, kCapacity)) {
    ::close(fd);
    unlink(path_.c_str());
    return fmt::format("cannot reserve {} bytes for {}: {}", kCapacity, path_, std::strerror(error));
  }
  void* map = mmap(nullptr, kCapacity, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED || flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const std::string error = fmt::format("cannot map or lock {}: {}", path_, std::strerror(errno));
    ::close(fd);
    return error;
  }
  lock_ = fd;
  map_ = static_cast<std::uint8_t*>(map);
  end();
  return {};
}

void InFlight::begin(std::span<const std::uint8_t> bytes) {
  if (!map_) return;
  const std::uint32_t size = static_cast<std::uint32_t>(std::min(bytes.size(), kCapacity - sizeof(Header)));
  if (size) std::memcpy(map_ + sizeof(Header), bytes.data(), size);
  std::memcpy(map_, &size, sizeof size);
}

void InFlight::end() {
  if (map_) std::memcpy(map_, &kIdle, sizeof kIdle);
}

void InFlight::close() {
  if (!map_) return;
  munmap(map_, kCapacity);
  map_ = nullptr;
  unlink(path_.c_str());
  ::close(lock_);
  lock_ = -1;
}

void InFlight::drop() {
  if (map_) unlink(path_.c_str());
}

int recover_in_flight(const std::string& folder) {
  int recovered = 0;
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().filename().string().starts_with(kPrefix)) files.push_back(entry.path());
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    pid_t pid = 0;
    std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), pid);
    if (pid <= 0 || in_use(file)) continue;
    std::ifstream in(file, std::ios::binary);
    Header header{kIdle};
    in.read(reinterpret_cast<char*>(&header), sizeof header);
    std::string failure;
    if (in && header.size != kIdle && header.size <= kCapacity - sizeof header) {
      Bytes bytes(header.size);
      in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
      const std::string kept = fmt::format("{}/interrupted-{:08x}", folder,
                                           static_cast<std::uint32_t>(hash_bytes(bytes.data(), bytes.size())));
      failure = write_file(kept, bytes);
      if (failure.empty()) {
        std::fprintf(stderr, "warpfuzz: process %d was killed while it ran a case; the case is kept as %s\n",
                     static_cast<int>(pid), kept.c_str());
        recovered++;
      } else {
        std::fprintf(stderr, "warpfuzz: %s\n", failure.c_str());
      }
    }
    if (failure.empty()) fs::remove(file, error);
  }
  return recovered;
}

}  // namespace warpfuzz
