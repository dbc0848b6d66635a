// A program that this process has started: always reaped, killed with its owner. Conversation talks to one over pipes; WatchedProcess looks after one
// without ever waiting for it.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/process/spawn.h"

namespace warpfuzz {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;  // none: for ever
Deadline in_seconds(double seconds);                                    // <= 0: none
int milliseconds_left(Deadline deadline);                               // for poll(): -1 without a deadline

// How a program ended: an exit code, or the signal that killed it.
struct ExitStatus {
  int code = -1, signal = 0;
  bool operator==(const ExitStatus&) const = default;
};

class Process {
 public:
  Process() = default;
  ~Process();  // kills and reaps it; what has a session of its own goes on
  Process(Process&& other) noexcept { *this = std::move(other); }
  Process& operator=(Process&& other) noexcept {
    std::swap(child_, other.child_);
    std::swap(group_, other.group_);
    return *this;
  }

  // "" or one line, as spawn(). What ran before is killed.
  std::string start(const ProcessCommand& command);
  bool running() const { return child_.pid > 0; }  // started, and not reaped yet
  pid_t pid() const { return child_.pid; }

  // How it ended, once it has; of a group of its own, what it left behind is killed then.
  std::optional<ExitStatus> ended();
  // The same, but waits until the deadline.
  std::optional<ExitStatus> wait(Deadline deadline);
  void signal(int number) const;  // to it alone
  ExitStatus kill();              // it, and a group or a session of its own; reaps

  // The ends of the pipes; -1 where there is none, or no more.
  int input() const { return child_.pipes[0]; }
  int output() const { return child_.pipes[1]; }
  int errors() const { return child_.pipes[2]; }
  void close_input() { close(0); }
  void close_output() { close(1); }
  void close_errors() { close(2); }

 private:
  void close(int stream);
  void reaped();

  Spawned child_;
  ProcessCommand::Group group_ = ProcessCommand::Group::ours;
};

}  // namespace warpfuzz
