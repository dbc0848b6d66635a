// Reading the lines of a program that nobody waits for.
#include "base/process/watched_process.h"

#include <unistd.h>

#include <cerrno>

namespace warpfuzz {
namespace {

constexpr std::size_t kTail = 16 << 10, kLongestLine = 64 << 10;

}  // namespace

std::string WatchedProcess::start(ProcessCommand command) {
  pending_.clear();
  tail_.clear();
  command.errors = {Stream::Kind::pipe};
  command.group = ProcessCommand::Group::own;  // a Ctrl-C goes to the supervisor, which ends its workers in order
  command.dies_with_us = true;
  return process_.start(command);
}

void WatchedProcess::read_lines(const Lines& line) {
  char block[16384];
  for (ssize_t n; errors() >= 0 && (n = ::read(errors(), block, sizeof block)) != 0;) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;
    pending_.append(block, static_cast<std::size_t>(n));
    std::size_t begin = 0;
    for (std::size_t end; (end = pending_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const std::string one = pending_.substr(begin, end - begin);
      tail_ += one + "\n";
      line(one);
    }
    pending_.erase(0, begin);
    if (pending_.size() > kLongestLine) pending_.clear();
    if (tail_.size() > 2 * kTail) tail_.erase(0, tail_.size() - kTail);
  }
  process_.close_errors();
}

std::optional<ExitStatus> WatchedProcess::ended(const Lines& line) {
  const auto status = process_.ended();
  if (!status) return std::nullopt;
  read_lines(line);
  process_.close_errors();
  return status;
}

}  // namespace warpfuzz
