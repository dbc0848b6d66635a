// Locks, recovery, and the replacement of a corpus.
//
// A merge goes through these steps, and a kill -9 between any two of them loses nothing:
//   1. corpus/.merge-T is made, empty; libFuzzer fills it from corpus/T, which stays as it is.
//   2. Inputs that came into corpus/T since the merge began are moved over, so that .merge-T is whole.
//   3. One rename exchanges the two folders: corpus/T is now the merged one, .merge-T the old one.
//   4. .merge-T is removed.
// Where the file system cannot exchange, step 3 is two renames, corpus/T to .old-T and .merge-T to corpus/T.
// Whoever starts next finds .merge-T or .old-T only after a kill. It cannot know before which step, and need not: it moves
// each input that corpus/T lacks back there. At worst inputs that the merge had dropped are there again until the next one.
#include "campaign/campaign_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "client/context.h"

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kChildrenSeconds = 120;
constexpr std::string_view kEmptyInput =
    "da39a3ee5e6b4b0d3255bfef95601890afd80709";  // libFuzzer names an input by its SHA-1

void make_folder(const std::string& path) {
  std::error_code ec;
  fs::create_directories(path, ec);
  if (ec || ::access(path.c_str(), W_OK) != 0)
    throw Failure(kExitCannotWrite,
                  fmt::format("cannot create or write the folder '{}': {}; name another with --folder",
                              printable(path, false), ec ? ec.message() : "permission denied"));
}

int open_lock(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | flags, 0644);
  if (fd < 0)
    throw Failure(kExitCannotWrite,
                  fmt::format("cannot create '{}': {}", printable(path, false), std::strerror(errno)));
  return fd;
}

// Moves what `to` lacks, removes the rest and the folder.
void move_back(const std::string& from, const std::string& to) {
  std::error_code ec;
  if (!fs::is_directory(from, ec)) return;
  for (const StoredFile& f : files_in(from))
    if (!fs::exists(to + "/" + f.name, ec)) fs::rename(f.path, to + "/" + f.name, ec);
  fs::remove_all(from, ec);
}

// "crash-3f..." -> "crash"; these are libFuzzer's and the in-flight files' artifacts, which have no key.
std::string kind_of(const std::string& name) { return name.substr(0, name.find('-')); }

}  // namespace

std::vector<StoredFile> files_in(const std::string& folder) {
  std::vector<StoredFile> files;
  std::error_code ec;
  for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
    const std::string path = it->path().string(), name = it->path().filename().string();
    struct stat st{};
    if (name[0] == '.' || ::stat(path.c_str(), &st) != 0 || !S_ISREG(st.st_mode)) continue;
    const auto size = static_cast<std::uint64_t>(st.st_size);
    files.push_back({path, name, size, std::max<std::uint64_t>(size, static_cast<std::uint64_t>(st.st_blocks) * 512),
                     static_cast<std::int64_t>(st.st_mtim.tv_sec) * 1000000000 + st.st_mtim.tv_nsec});
  }
  return files;
}

std::uint64_t total_bytes(const std::vector<StoredFile>& files) {
  std::uint64_t sum = 0;
  for (const StoredFile& f : files) sum += f.bytes;
  return sum;
}

CampaignFolder::CampaignFolder(const std::string& root) : root_(root) {
  make_folder(root_ + "/campaign");
  lock_ = open_lock(state("lock"), O_CLOEXEC);
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    char pid[16] = "";
    const ssize_t n = ::pread(lock_, pid, sizeof pid - 1, 0);
    ::close(lock_);
    throw Failure(kExitInUse, fmt::format("process {} works in '{}': end it first, or name another --folder",
                                          n > 1 ? std::atoi(pid) : 0, printable(root_, false)));
  }
  const std::string pid = fmt::format("{:<8}\n", ::getpid());
  if (::ftruncate(lock_, 0) != 0 || ::pwrite(lock_, pid.data(), pid.size(), 0) < 0)
    throw Failure(kExitCannotWrite,
                  fmt::format("cannot write '{}': {}", printable(state("lock"), false), std::strerror(errno)));
  // Every child inherits this one: while any of an earlier supervisor's is alive (a merge's own children outlive it a moment),
  // nobody else may touch the corpora.
  children_ = open_lock(state("children"), 0);
  for (int waited = 0; ::flock(children_, LOCK_EX | LOCK_NB) != 0; ++waited) {
    if (waited == 10) note("waiting for the processes of an earlier run to end");
    if (waited > kChildrenSeconds * 10)
      throw Failure(
          kExitInUse,
          fmt::format("a process of an earlier run still works in '{}': end it first, or name another --folder",
                      printable(root_, false)));
    ::usleep(100000);
  }
  ::flock(children_, LOCK_SH);
}

CampaignFolder::~CampaignFolder() {
  if (children_ >= 0) ::close(children_);
  if (lock_ >= 0) ::close(lock_);
}

std::string CampaignFolder::indexed(const std::string& path) const {
  std::error_code ec;
  const fs::path absolute = fs::absolute(path, ec).lexically_normal();
  const fs::path near = absolute.lexically_relative(fs::absolute(root_, ec).lexically_normal());
  return near.empty() || near.native().starts_with("..") ? absolute.string() : near.lexically_normal().string();
}

bool CampaignFolder::there() const {
  std::error_code ec;
  return fs::is_directory(root_ + "/campaign", ec);
}

std::vector<std::string> CampaignFolder::restore(const std::string& target) const {
  std::vector<std::string> made;
  for (const std::string& path : {corpus(target), crashes(target)}) {
    struct stat st{};
    if (::stat(path.c_str(), &st) == 0) continue;
    make_folder(path);
    made.push_back(path);
  }
  return made;
}

std::size_t CampaignFolder::prepare(const std::string& target) const {
  make_folder(corpus(target));
  make_folder(crashes(target));
  move_back(root_ + "/corpus/.old-" + target, corpus(target));
  move_back(merge_folder(target), corpus(target));
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(crashes(target), ec)) {
    const std::string name =
        entry.path()
            .filename()
            .string();  // of a write or a shrink that was cut off: what it should become is not there or whole
    if ((name.starts_with(".") && name.ends_with(".tmp")) || name.starts_with(".shrink-")) fs::remove(entry.path(), ec);
  }
  std::size_t cut_off = 0;
  for (const StoredFile& f : files_in(corpus(target)))
    if (f.size == 0 && f.name.size() == kEmptyInput.size() && f.name != kEmptyInput)
      cut_off += ::unlink(f.path.c_str()) == 0;
  return cut_off;
}

void CampaignFolder::replace_corpus(const std::string& target, const std::vector<StoredFile>& merged) const {
  const std::string from = merge_folder(target), to = corpus(target);
  std::set<std::string> seen;
  for (const StoredFile& f : merged) seen.insert(f.name);
  std::error_code ec;
  for (const StoredFile& f : files_in(to))
    if (!seen.contains(f.name) && !fs::exists(from + "/" + f.name, ec)) fs::rename(f.path, from + "/" + f.name, ec);
  std::string old = from;
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) != 0) {
    old = root_ + "/corpus/.old-" + target;
    if (::rename(to.c_str(), old.c_str()) != 0 || ::rename(from.c_str(), to.c_str()) != 0)
      throw Failure(kExitCannotWrite,
                    fmt::format("cannot replace the corpus '{}': {}", printable(to, false), std::strerror(errno)));
  }
  fs::remove_all(old, ec);
}

std::size_t CampaignFolder::shorten_corpus(const std::string& target, std::uint64_t limit) const {
  std::vector<StoredFile> files = files_in(corpus(target));
  std::uint64_t bytes = total_bytes(files);
  std::sort(files.begin(), files.end(),
            [](const StoredFile& a, const StoredFile& b) { return a.modified < b.modified; });
  std::size_t removed = 0;
  for (const StoredFile& f : files) {
    if (bytes <= limit) break;
    if (::unlink(f.path.c_str()) == 0) bytes -= f.bytes, ++removed;
  }
  return removed;
}

std::vector<std::string> CampaignFolder::prune_crashes(const std::string& target, std::uint64_t limit,
                                                       const std::vector<std::string>& reproducers) const {
  std::vector<StoredFile> files = files_in(crashes(target));
  std::uint64_t bytes = total_bytes(files);
  std::vector<std::string> removed;
  if (bytes <= limit) return removed;
  const std::set<std::string> needed(reproducers.begin(), reproducers.end());
  std::sort(files.begin(), files.end(),
            [](const StoredFile& a, const StoredFile& b) { return a.modified < b.modified; });
  std::map<std::string, std::string> newest;
  for (const StoredFile& f : files)
    if (!f.name.ends_with(".wfz")) newest[kind_of(f.name)] = f.path;
  for (const StoredFile& f : files) {
    if (bytes <= limit) break;
    const bool last = f.name.ends_with(".wfz") ? needed.contains(indexed(f.path)) : newest[kind_of(f.name)] == f.path;
    if (last || ::unlink(f.path.c_str()) != 0) continue;
    bytes -= f.bytes;
    removed.push_back(f.path);
  }
  return removed;
}

}  // namespace warpfuzz::cli
