// Files that are there whole or not at all, and reading them back.
#pragma once
#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace warpfuzz {

// Written under a temporary name beside it and renamed, every write checked; devices and pipes are written in place. "" or one
// line that says what failed (disk full, no such folder, ...). Missing folders are created where they are of our own making
// (crashes/new/<target>, campaign); a path that a person gave must lie in a folder that is there.
enum class Folders { create, must_exist };
[[nodiscard]] std::string write_file(const std::string& path, std::span<const std::uint8_t> bytes,
                                     Folders folders = Folders::create);

// A file that is not whole yet, from its making to the end of this object's life.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

 private:
  const char* name_;
  std::atomic<const char*>* slot_ = nullptr;
};
// Removes all of them, those that write_file() is about to rename too: the process ends now, and write_file() fails from here on. Takes no
// lock and no memory.
void remove_unfinished_files();

// The whole file. Files of more than 128 MiB are refused.
Result<Bytes> read_file(const std::string& path);

}  // namespace warpfuzz
