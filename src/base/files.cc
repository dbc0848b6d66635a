// Files that are there whole or not at all: temporary name, checked writes, rename.
#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace warpfuzz {
namespace {

constexpr std::size_t kReadLimit = 128u << 20;

// A name in a slot belongs to whoever takes it out: the thread that makes the file, which frees it, or one that ends the process, which
// removes the file. So nobody reads a name that is gone, and nobody waits. What finds no free slot is not remembered.
std::atomic<const char*> unfinished[16];
std::atomic<bool> ending{false};
static_assert(std::atomic<const char*>::is_always_lock_free);

std::string failure(const char* what, const std::string& path, int error) {
  const char* hint = "";
  if (error == ENOSPC || error == EDQUOT) hint = "; free some space or choose another folder, then run it again";
  if (error == ENOTDIR || error == EEXIST) hint = "; a file stands where a folder is needed";
  if (error == ENOENT) hint = "; make its folder first";
  if (error == EACCES || error == EPERM || error == EROFS) hint = "; choose a folder that you may write to";
  return fmt::format("cannot {} '{}': {}{}", what, path, std::strerror(error), hint);
}

// 0 or errno.
int write_all(int fd, std::span<const std::uint8_t> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return EIO;
    done += static_cast<std::size_t>(n);
  }
  return 0;
}

// A rename is only durable once its folder is; a file system that cannot sync folders is no error.
void sync_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

std::string too_late(const std::string& path) {
  return fmt::format("cannot write '{}': the process is about to end", path);
}

std::string write_in_place(const std::string& path, std::span<const std::uint8_t> bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return failure("open", path, errno);
  int error = write_all(fd, bytes);
  if (::close(fd) != 0 && !error) error = errno;
  return error ? failure("write", path, error) : "";
}

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path) : name_(::strdup(path.c_str())) {
  for (std::atomic<const char*>& slot : unfinished) {
    const char* nobody = nullptr;
    if (!slot.compare_exchange_strong(nobody, name_)) continue;
    slot_ = &slot;
    return;
  }
}

UnfinishedFile::~UnfinishedFile() {
  const char* mine = name_;
  if (!slot_ || slot_->compare_exchange_strong(mine, nullptr)) std::free(const_cast<char*>(name_));
}

void remove_unfinished_files() {
  ending = true;
  for (std::atomic<const char*>& slot : unfinished)
    if (const char* name = slot.exchange(nullptr)) ::unlink(name);
}

std::string write_file(const std::string& path, std::span<const std::uint8_t> bytes, Folders folders) {
  if (path.empty()) return "cannot write a file with an empty name";
  struct stat st{};
  if (::stat(path.c_str(), &st) == 0) {
    if (S_ISDIR(st.st_mode)) return fmt::format("cannot write '{}': it is a folder; name a file in it", path);
    if (!S_ISREG(st.st_mode)) return write_in_place(path, bytes);  // renaming over a device would replace it
  }
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  std::error_code ec;
  if (folders == Folders::create) std::filesystem::create_directories(folder, ec);
  if (ec) return failure("create the folder", folder, ec.value());

  static std::atomic<unsigned> serial{0};
  const std::string base = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::string temporary = fmt::format("{}/.{}.{}.{}.tmp", folder, base.substr(0, 180), ::getpid(), serial++);
  const UnfinishedFile unfinished_file(temporary);
  if (ending) return too_late(path);
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return failure("write", path, errno);
  int error = ending ? ECANCELED : write_all(fd, bytes);  // it may have been removed before it was there
  if (!error && ::fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP) error = errno;
  if (::close(fd) != 0 && !error) error = errno;
  if (!error && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error) {
    ::unlink(temporary.c_str());
    if (ending) return too_late(path);
    return failure("write", path, error);
  }
  sync_folder(folder);
  return "";
}

Result<Bytes> read_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Error{fmt::format("cannot open '{}': {}", path, std::strerror(errno))};
  Bytes bytes;
  std::string error;
  struct stat st{};
  if (::fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) error = fmt::format("cannot read '{}': it is a folder", path);
  std::uint8_t block[65536];
  while (error.empty()) {
    const ssize_t n = ::read(fd, block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) error = fmt::format("cannot read '{}': {}", path, std::strerror(errno));
    if (n <= 0) break;
    if (bytes.size() + static_cast<std::size_t>(n) > kReadLimit) {
      error = fmt::format("'{}' holds more than {} MiB: neither a finding nor a case", path, kReadLimit >> 20);
      break;
    }
    bytes.insert(bytes.end(), block, block + n);
  }
  ::close(fd);
  if (!error.empty()) return Error{std::move(error)};
  return bytes;
}

}  // namespace warpfuzz
