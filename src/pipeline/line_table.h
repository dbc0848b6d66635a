// Which lines of the kernel's files were reached, by the table that the compiler pass puts into a target (toolchain/cpu_pass/lines.cc).
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace warpfuzz {

// One record of the section "warpfuzz_lines": the line was reached where the counter is not 0, or that of another record of it.
struct LineRecord {
  const std::uint8_t* counter;
  const char* file;
  std::uint64_t line;
};
std::span<const LineRecord>
line_records();  // of this binary; empty where it was built without the pass or the counters

class LinesReached {
 public:
  // own_file: the target's own source, left out where the kernel lies in other files.
  LinesReached(std::span<const LineRecord> records, const std::string& own_file);

  void add();  // what the counters say now
  // By file: each line that has code, and whether it was reached.
  const std::map<std::string, std::map<std::uint64_t, bool>>& files() const { return files_; }

 private:
  struct Waiting {
    const std::uint8_t* counter;
    bool* reached;
  };
  std::map<std::string, std::map<std::uint64_t, bool>> files_;
  std::vector<Waiting> waiting_;  // not reached yet
};

}  // namespace warpfuzz
