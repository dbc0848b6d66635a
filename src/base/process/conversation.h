// A program with pipes to its standard input, output and errors. Reads and writes have a deadline and never block each other.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/process.h"

namespace warpfuzz {

class Conversation {
 public:
  // How much of its standard error is kept: the last of it, at least these bytes.
  explicit Conversation(std::size_t error_tail = 64 << 10) : error_tail_(error_tail) {}

  // "" or one line. `group` of its own: finish() and stop() end what it started, too.
  std::string start(const std::vector<std::string>& argv, const std::vector<std::string>& environment = {},
                    ProcessCommand::Group group = ProcessCommand::Group::ours);
  bool running() const { return process_.running(); }
  pid_t pid() const { return process_.pid(); }

  enum class Read { line, end, timeout };
  // One line of standard output without its newline. Standard error is collected meanwhile.
  Read read_line(std::string& line, Deadline deadline);
  // All that is still to come of standard output and standard error; false when the time is up.
  bool read_rest(std::string& output, Deadline deadline);
  // False when the program does not take all of it: it died, or the time is up.
  bool write(std::string_view data, Deadline deadline);
  void close_input() { process_.close_input(); }

  // Waits until the deadline, then kills; reaps in any case.
  ExitStatus finish(Deadline deadline);
  // Kills at once.
  ExitStatus stop() { return process_.kill(); }

  const std::string& error_output() const { return errors_; }

 private:
  // Moves what is there; waits for something to happen until the deadline. False: nothing did.
  bool pump(std::string_view* pending, Deadline deadline);

  Process process_;
  std::size_t error_tail_;
  std::string output_, errors_;
  std::size_t scanned_ = 0;  // of output_, without a newline
};

}  // namespace warpfuzz
