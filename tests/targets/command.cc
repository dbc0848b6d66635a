// Starts a program with pipes on its standard streams and feeds and reads them until it ends.
#include "command.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "base/process/conversation.h"

namespace targets_test {

CommandResult run_command(const std::vector<std::string>& argv, const std::string& input, int seconds) {
  signal(SIGPIPE, SIG_IGN);
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  warpfuzz::Conversation child(kAll);
  CommandResult result;
  if (result.errors = child.start(argv, {"WARPFUZZ_OPTIONS"}, warpfuzz::ProcessCommand::Group::session);
      !result.errors.empty()) {
    result.exit_code = 127;
    return result;
  }
  const warpfuzz::Deadline deadline = warpfuzz::in_seconds(seconds);
  child.write(input, deadline);
  child.close_input();
  result.timed_out = !child.read_rest(result.output, deadline);
  const warpfuzz::ExitStatus status = result.timed_out ? child.stop() : child.finish(std::nullopt);
  result.errors = child.error_output();
  result.exit_code = status.signal ? 128 + status.signal : status.code;
  return result;
}

ScratchFolder::ScratchFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "warpfuzz-test-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp failed: " + pattern);
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path ScratchFolder::make(const std::string& name) const {
  std::filesystem::create_directories(path_ / name);
  return path_ / name;
}

std::vector<std::filesystem::path> ScratchFolder::files(const std::string& extension) const {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path_))
    if (entry.is_regular_file() && entry.path().extension() == extension) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace targets_test
