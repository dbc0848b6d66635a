// Waiting for a program, and its end.
#include "base/process/process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace warpfuzz {
namespace {

pid_t wait_for(pid_t pid, int& raw, int flags) {
  pid_t done;
  do { done = ::waitpid(pid, &raw, flags); } while (done < 0 && errno == EINTR);
  return done;
}

ExitStatus status_of(int raw) {
  ExitStatus status;
  if (WIFEXITED(raw)) status.code = WEXITSTATUS(raw);
  if (WIFSIGNALED(raw)) status.signal = WTERMSIG(raw);
  return status;
}

}  // namespace

Deadline in_seconds(double seconds) {
  if (seconds <= 0) return std::nullopt;
  return std::chrono::steady_clock::now() +
         std::chrono::milliseconds(static_cast<long long>(std::min(seconds, 1e9) * 1000));
}

// Rounded up, so that a wait never ends just before the deadline.
int milliseconds_left(Deadline deadline) {
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1 << 30));
}

Process::~Process() {
  if (group_ != ProcessCommand::Group::session) kill();
  for (int i = 0; i < 3; ++i) close(i);
}

std::string Process::start(const ProcessCommand& command) {
  kill();
  group_ = command.group;
  return spawn(command, child_);
}

void Process::close(int stream) {
  int& end = child_.pipes[static_cast<std::size_t>(stream)];
  if (end >= 0) ::close(end);
  end = -1;
}

void Process::reaped() {
  if (group_ == ProcessCommand::Group::own) ::kill(-child_.pid, SIGKILL);
  child_.pid = -1;
}

std::optional<ExitStatus> Process::ended() {
  int raw = 0;
  if (child_.pid <= 0) return std::nullopt;
  const pid_t done = wait_for(child_.pid, raw, WNOHANG);
  if (done == 0) return std::nullopt;
  reaped();
  return done < 0 ? ExitStatus{} : status_of(raw);  // reaped behind our back: nobody knows how it ended
}

std::optional<ExitStatus> Process::wait(Deadline deadline) {
  while (child_.pid > 0) {
    if (const auto status = ended()) return status;
    if (milliseconds_left(deadline) == 0) return std::nullopt;
    ::usleep(1000);
  }
  return std::nullopt;
}

void Process::signal(int number) const {
  if (child_.pid > 0) ::kill(child_.pid, number);
}

ExitStatus Process::kill() {
  ExitStatus status;
  if (child_.pid > 0) {
    if (group_ != ProcessCommand::Group::ours) ::kill(-child_.pid, SIGKILL);
    ::kill(child_.pid, SIGKILL);
    int raw = 0;
    if (wait_for(child_.pid, raw, 0) > 0) status = status_of(raw);
    child_.pid = -1;
  }
  for (int i = 0; i < 3; ++i) close(i);
  return status;
}

}  // namespace warpfuzz
