// A child process with pipes to its standard input, output and error. Reads and writes have a deadline and never block
// each other; the child is always reaped.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace warpfuzz {

class Subprocess {
 public:
  using Clock = std::chrono::steady_clock;
  using Deadline = std::optional<Clock::time_point>;  // none: for ever
  static Deadline in_seconds(double seconds);         // <= 0: none

  Subprocess() = default;
  ~Subprocess() { stop(); }
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  // argv[0] is the program's path; environment: "NAME=value" entries that go before those of this process. "" or one line.
  std::string start(const std::vector<std::string>& argv, const std::vector<std::string>& environment = {});
  bool running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }

  enum class Read { line, end, timeout };
  // One line of standard output without its newline. Standard error is collected meanwhile.
  Read read_line(std::string& line, Deadline deadline);
  // False when the child does not take all of it: it died, or the time is up.
  bool write(std::string_view data, Deadline deadline);
  void close_input();

  // How a child ended: an exit code, or the signal that killed it.
  struct Status {
    int code = -1, signal = 0;
  };
  // Waits until the deadline, then kills by pid; reaps in any case.
  Status finish(Deadline deadline);
  // Kills at once.
  Status stop();

  // The last 64 KiB of the child's standard error.
  const std::string& error_output() const { return errors_; }

 private:
  // Moves what is there; waits for something to happen until the deadline. False: nothing did.
  bool pump(std::string_view* pending, Deadline deadline);
  void close_all();

  pid_t pid_ = -1;
  int in_ = -1, out_ = -1, err_ = -1;
  std::string output_, errors_;
  std::size_t scanned_ = 0;  // of output_, without a newline
};

}  // namespace warpfuzz
