// posix_spawn, three pipes and one poll loop.
#include "base/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

extern char** environ;

namespace warpfuzz {
namespace {

constexpr std::size_t kErrorTail = 64 << 10, kLineLimit = 256 << 20;

void close_fd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

// -1: no deadline. Rounded up, so that a wait never ends just before it.
int milliseconds_left(Subprocess::Deadline deadline) {
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Subprocess::Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1 << 30));
}

}  // namespace

Subprocess::Deadline Subprocess::in_seconds(double seconds) {
  if (seconds <= 0) return std::nullopt;
  return Clock::now() + std::chrono::milliseconds(static_cast<long long>(std::min(seconds, 1e9) * 1000));
}

std::string Subprocess::start(const std::vector<std::string>& argv, const std::vector<std::string>& environment) {
  stop();
  output_.clear();
  errors_.clear();
  scanned_ = 0;
  int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
  const auto close_pipes = [&pipes] {
    for (auto& p : pipes) close_fd(p[0]), close_fd(p[1]);
  };
  for (auto& p : pipes) {
    if (::pipe2(p, O_CLOEXEC) == 0) continue;
    const int error = errno;
    close_pipes();
    return fmt::format("cannot make a pipe: {}", std::strerror(error));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipes[0][0], 0);
  posix_spawn_file_actions_adddup2(&actions, pipes[1][1], 1);
  posix_spawn_file_actions_adddup2(&actions, pipes[2][1], 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);  // ignored in this process
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);

  std::vector<char*> arguments;
  for (const std::string& a : argv) arguments.push_back(const_cast<char*>(a.c_str()));
  arguments.push_back(nullptr);
  const auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
  std::vector<char*> variables;
  for (const std::string& e : environment) variables.push_back(const_cast<char*>(e.c_str()));
  for (char** e = environ; *e; ++e) {
    const bool replaced = std::any_of(environment.begin(), environment.end(),
                                      [&](const std::string& n) { return name_of(n) == name_of(*e); });
    if (!replaced) variables.push_back(*e);
  }
  variables.push_back(nullptr);
  const int error = ::posix_spawn(&pid_, argv[0].c_str(), &actions, &attributes, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error) {
    close_pipes();
    pid_ = -1;
    return fmt::format("cannot start '{}': {}", argv[0], std::strerror(error));
  }
  in_ = pipes[0][1], out_ = pipes[1][0], err_ = pipes[2][0];
  ::close(pipes[0][0]), ::close(pipes[1][1]), ::close(pipes[2][1]);
  for (const int fd : {in_, out_, err_}) ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  return "";
}

bool Subprocess::pump(std::string_view* pending, Deadline deadline) {
  pollfd fds[3] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}, {pending && !pending->empty() ? in_ : -1, POLLOUT, 0}};
  int ready = 0;
  do { ready = ::poll(fds, 3, milliseconds_left(deadline)); } while (ready < 0 && errno == EINTR);
  if (ready <= 0) return false;

  const auto drain = [](int& fd, short events, std::string& to) {
    if (!(events & (POLLIN | POLLHUP | POLLERR))) return;
    char block[16384];
    const ssize_t n = ::read(fd, block, sizeof block);
    if (n > 0) to.append(block, static_cast<std::size_t>(n));
    else if (n == 0 || (errno != EAGAIN && errno != EINTR)) close_fd(fd);
  };
  drain(out_, fds[0].revents, output_);
  drain(err_, fds[1].revents, errors_);
  if (errors_.size() > 2 * kErrorTail) errors_.erase(0, errors_.size() - kErrorTail);
  if (fds[2].revents) {
    const ssize_t n = ::write(in_, pending->data(), pending->size());
    if (n > 0) pending->remove_prefix(static_cast<std::size_t>(n));
    else if (n < 0 && errno != EAGAIN && errno != EINTR) close_fd(in_);
  }
  return true;
}

Subprocess::Read Subprocess::read_line(std::string& line, Deadline deadline) {
  for (;;) {
    const std::size_t end = output_.find('\n', scanned_);
    if (end != std::string::npos) {
      line = output_.substr(0, end);
      output_.erase(0, end + 1);
      scanned_ = 0;
      return Read::line;
    }
    scanned_ = output_.size();
    if (out_ < 0 || scanned_ > kLineLimit) return Read::end;
    if (!pump(nullptr, deadline)) return Read::timeout;
  }
}

bool Subprocess::write(std::string_view data, Deadline deadline) {
  while (!data.empty()) {
    // A child whose output has ended will not read any more.
    if (in_ < 0 || out_ < 0) return false;
    if (!pump(&data, deadline)) return false;
  }
  return true;
}

void Subprocess::close_input() { close_fd(in_); }

void Subprocess::close_all() {
  close_fd(in_);
  close_fd(out_);
  close_fd(err_);
}

Subprocess::Status Subprocess::finish(Deadline deadline) {
  close_input();
  std::string_view nothing;
  // The child may still print: take it, or it blocks on a full pipe and never ends.
  while (pid_ > 0 && (out_ >= 0 || err_ >= 0) && pump(&nothing, deadline)) {}
  Status status;
  while (pid_ > 0) {
    int raw = 0;
    const pid_t done = ::waitpid(pid_, &raw, WNOHANG);
    if (done == pid_ || (done < 0 && errno != EINTR)) {
      if (done == pid_ && WIFEXITED(raw)) status.code = WEXITSTATUS(raw);
      if (done == pid_ && WIFSIGNALED(raw)) status.signal = WTERMSIG(raw);
      pid_ = -1;
    } else if (milliseconds_left(deadline) == 0) {
      close_all();
      return stop();
    } else {
      ::usleep(1000);
    }
  }
  close_all();
  return status;
}

Subprocess::Status Subprocess::stop() {
  Status status;
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    int raw = 0;
    while (::waitpid(pid_, &raw, 0) < 0 && errno == EINTR) {}
    if (WIFEXITED(raw)) status.code = WEXITSTATUS(raw);
    if (WIFSIGNALED(raw)) status.signal = WTERMSIG(raw);
    pid_ = -1;
  }
  close_all();
  return status;
}

}  // namespace warpfuzz
