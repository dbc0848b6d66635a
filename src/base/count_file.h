// What a campaign has counted so far, in a mapped file that outlives the process however it ends: executions, and failing
// executions by key. One process writes it; any other may read it at any moment.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"

namespace warpfuzz {

struct Counts {
  std::uint64_t executions = 0;
  std::map<std::string, std::uint64_t> keys;
};
// A file that is not there, or was cut off before anything was counted, has no counts: no error.
Result<Counts> read_counts(const std::string& path);

class CountFile {
 public:
  CountFile() = default;
  ~CountFile() { close(); }
  CountFile(const CountFile&) = delete;
  CountFile& operator=(const CountFile&) = delete;
  // With all counts 0, or with those that an earlier process of the same campaign left there; "" or one line.
  [[nodiscard]] std::string open(const std::string& path, bool goes_on = false);
  void executed();
  void found(const std::string& key);  // of more than 126 keys, the rest is not counted
  void close();

 private:
  std::uint8_t* map_ = nullptr;
  std::map<std::string, std::uint32_t> slots_;
};

}  // namespace warpfuzz
