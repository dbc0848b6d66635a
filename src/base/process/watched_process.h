// A program that a supervisor starts and watches without ever waiting for it: files for its input and output, a pipe for its errors. It
// ends with its supervisor, however that ends.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "base/process/process.h"

namespace warpfuzz {

class WatchedProcess {
 public:
  // "" or one line. The command says what is run, with which environment, input and output.
  std::string start(ProcessCommand command);
  pid_t pid() const { return process_.pid(); }
  int errors() const { return process_.errors(); }  // a descriptor for poll; -1 when closed

  using Lines = std::function<void(const std::string&)>;
  // Whole lines of its standard error that have come since the last call.
  void read_lines(const Lines& line);
  const std::string& tail() const { return tail_; }  // the last 16 KiB of them
  // How it ended, once it has; then all its lines have been read.
  std::optional<ExitStatus> ended(const Lines& line);
  void signal(int number) const { process_.signal(number); }  // to it alone
  void kill() { process_.kill(); }                            // it and what it started

 private:
  Process process_;
  std::string pending_, tail_;
};

}  // namespace warpfuzz
