// What libFuzzer and the engine print while they work, as far as a supervisor reads it.
#pragma once
#include <cstdint>
#include <string>

namespace warpfuzz::cli {

// "#4096  NEW    cov: 120 ft: 340 corp: 87/2345b lim: 4 exec/s: 1024 rss: 80Mb ..."
struct FuzzerStatus {
  std::uint64_t executions = 0, edges = 0, features = 0, corpus = 0;
  bool is_new = false;  // an input was added
};
bool parse_status(const std::string& line, FuzzerStatus& out);

bool says_finding(const std::string& line);  // a .wfz was written, or is about to be
// The key of a finding whose file is written and then made smaller, until its report is printed; "" on other lines.
std::string begun_finding(const std::string& line);
bool ends_finding(const std::string& line);
// "MERGE-OUTER: 61 new files with 700 new features added; 120 new coverage edges"
bool parse_merge(const std::string& line, FuzzerStatus& out);

// A finding as its process told it, for when its file could not be written.
struct ToldFinding {
  std::string key, summary, message;  // message: the report's first line
  std::string bytes;                  // of the case, in hexadecimal
};

// Reads a process's lines one after another. A finding whose file could not be written is told by "...is not on disk, its case
// is: 01ab" and by the report that follows.
class ToldReader {
 public:
  bool take(const std::string& line);  // true: this line completed told()
  const ToldFinding& told() const { return told_; }

 private:
  ToldFinding told_;
};

}  // namespace warpfuzz::cli
