// A disk that is full soon: a file system of a few pages over a folder, for tests of what happens then.
#pragma once
#include <filesystem>
#include <string>

namespace targets_test {

class SmallDisk {
 public:
  // size: as mount reads it, "16m". Who may not mount gets a user namespace of their own first, in which they may; this process and
  // those it starts see the disk, nobody else does.
  SmallDisk(std::filesystem::path folder, const std::string& size);
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }

 private:
  std::filesystem::path folder_;
  bool mounted_ = false;
};

}  // namespace targets_test
