// Three pipes and one poll loop.
#include "base/process/conversation.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace warpfuzz {
namespace {

constexpr std::size_t kLineLimit = 256 << 20;

// Appends what the pipe has. False: it has ended.
bool drain(int pipe, short events, std::string& to) {
  if (!(events & (POLLIN | POLLHUP | POLLERR))) return true;
  char block[16384];
  const ssize_t n = ::read(pipe, block, sizeof block);
  if (n > 0) to.append(block, static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

}  // namespace

std::string Conversation::start(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
                                ProcessCommand::Group group) {
  output_.clear();
  errors_.clear();
  scanned_ = 0;
  constexpr auto kPipe = Stream::Kind::pipe;
  return process_.start({argv, environment, {kPipe}, {kPipe}, {kPipe}, group});
}

bool Conversation::pump(std::string_view* pending, Deadline deadline) {
  pollfd fds[3] = {{process_.output(), POLLIN, 0},
                   {process_.errors(), POLLIN, 0},
                   {pending && !pending->empty() ? process_.input() : -1, POLLOUT, 0}};
  int ready = 0;
  do { ready = ::poll(fds, 3, milliseconds_left(deadline)); } while (ready < 0 && errno == EINTR);
  if (ready <= 0) return false;

  if (!drain(process_.output(), fds[0].revents, output_)) process_.close_output();
  if (!drain(process_.errors(), fds[1].revents, errors_)) process_.close_errors();
  if (errors_.size() / 2 > error_tail_) errors_.erase(0, errors_.size() - error_tail_);
  if (fds[2].revents) {
    const ssize_t n = ::write(process_.input(), pending->data(), pending->size());
    if (n > 0) pending->remove_prefix(static_cast<std::size_t>(n));
    else if (n < 0 && errno != EAGAIN && errno != EINTR) process_.close_input();
  }
  return true;
}

Conversation::Read Conversation::read_line(std::string& line, Deadline deadline) {
  for (;;) {
    const std::size_t end = output_.find('\n', scanned_);
    if (end != std::string::npos) {
      line = output_.substr(0, end);
      output_.erase(0, end + 1);
      scanned_ = 0;
      return Read::line;
    }
    scanned_ = output_.size();
    if (process_.output() < 0 || scanned_ > kLineLimit) return Read::end;
    if (!pump(nullptr, deadline)) return Read::timeout;
  }
}

bool Conversation::read_rest(std::string& output, Deadline deadline) {
  bool in_time = true;
  while (in_time && (process_.output() >= 0 || process_.errors() >= 0)) in_time = pump(nullptr, deadline);
  output += output_;
  output_.clear();
  scanned_ = 0;
  return in_time;
}

bool Conversation::write(std::string_view data, Deadline deadline) {
  while (!data.empty()) {
    // A program whose output has ended will not read any more.
    if (process_.input() < 0 || process_.output() < 0) return false;
    if (!pump(&data, deadline)) return false;
  }
  return true;
}

ExitStatus Conversation::finish(Deadline deadline) {
  close_input();
  // The program may still print: take it, or it blocks on a full pipe and never ends.
  while (running() && (process_.output() >= 0 || process_.errors() >= 0) && pump(nullptr, deadline)) {}
  const auto status = process_.wait(deadline);
  const ExitStatus killed = process_.kill();  // nothing to kill where it has ended; closes the pipes
  return status ? *status : killed;
}

}  // namespace warpfuzz
