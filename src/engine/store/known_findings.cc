#include "engine/store/known_findings.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

#include "findings/variant.h"

namespace warpfuzz {

std::vector<std::string> KnownFindings::read(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> errors;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string path = entry->path().string(), name = entry->path().filename().string();
    if (name.starts_with('.') || !name.ends_with(".wfz") || !read_.insert(path).second) continue;
    const Result<Finding> read = read_wfz(path);
    if (read) add(bucket_key(*read), variant_of(*read), path);
    else errors.push_back(read.line());
  }
  return errors;
}

void KnownFindings::add(const std::string& key, const std::string& variant, const std::string& path) {
  std::string& file = keys_[key][variant];
  if (file.empty()) file = path;
  if (!path.empty()) read_.insert(path);
}

bool KnownFindings::has(const std::string& key, const std::string& variant) const {
  const auto at = keys_.find(key);
  return at != keys_.end() && at->second.contains(variant);
}

bool KnownFindings::is_full(const std::string& key) const {
  const auto at = keys_.find(key);
  return at != keys_.end() && at->second.size() >= kMostVariants;
}

std::string KnownFindings::file_of(const std::string& key, const std::string& variant) const {
  const auto at = keys_.find(key);
  if (at == keys_.end()) return {};
  const auto file = at->second.find(variant);
  return file == at->second.end() ? std::string() : file->second;
}

// A folder can be locked as it stands: no file of ours lies in it.
FolderLock::FolderLock(const std::string& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ >= 0) ::flock(descriptor_, LOCK_EX);
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace warpfuzz
