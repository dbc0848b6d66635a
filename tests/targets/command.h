// Runs a program as a user would and keeps what it said.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace targets_test {

struct CommandResult {
  int exit_code = -1;      // 128 + signal where a signal ended it
  bool timed_out = false;  // ended by us
  std::string output;      // standard output
  std::string errors;      // standard error
  std::string all() const { return output + errors; }
};

// argv[0] is a path; `input` becomes its standard input. The environment is ours, less WARPFUZZ_OPTIONS.
CommandResult run_command(const std::vector<std::string>& argv, const std::string& input = "", int seconds = 120);

// A folder that goes away with the object.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path make(const std::string& name) const;                     // a new folder inside
  std::vector<std::filesystem::path> files(const std::string& extension) const;  // anywhere inside, sorted

 private:
  std::filesystem::path path_;
};

std::string read_text(const std::filesystem::path& file);

}  // namespace targets_test
