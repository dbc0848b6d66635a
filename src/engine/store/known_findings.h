// Which findings of a target are known, by key and variant, and which files hold them: read from folders, and told of what a
// campaign finds. Several processes may share a folder: what one of them writes, another sees before it writes itself.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "findings/finding.h"

namespace warpfuzz {

class KnownFindings {
 public:
  // Reads those .wfz files of the folder that it has not seen yet; returns a line for each that cannot be read.
  std::vector<std::string> read(const std::string& folder);
  void add(const std::string& key, const std::string& variant,
           const std::string& path);  // path: "" where there is no file
  bool has(const std::string& key) const { return keys_.contains(key); }
  bool has(const std::string& key, const std::string& variant) const;
  bool is_full(const std::string& key) const;                                     // as many variants as are kept
  std::string file_of(const std::string& key, const std::string& variant) const;  // "" where there is none
  using Variants = std::map<std::string, std::string>;                            // variant -> file
  const std::map<std::string, Variants>& keys() const { return keys_; }

 private:
  std::map<std::string, Variants> keys_;
  std::set<std::string> read_;
};

// Held by one process at a time, while it looks into a folder and writes to it.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace warpfuzz
