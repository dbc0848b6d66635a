// A process that the supervisor of a campaign starts and watches without ever waiting for it. It ends with its supervisor,
// however that ends.
#pragma once
#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/subprocess.h"

namespace warpfuzz {

class Child {
 public:
  struct Command {
    std::vector<std::string> argv;
    std::vector<std::string> environment;  // "NAME=value", before what this process has
    std::string input, output;             // files; "": nothing, nowhere
  };
  Child() = default;
  ~Child() { kill(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  std::string start(const Command& command);  // "" or one line
  pid_t pid() const { return pid_; }
  int errors() const { return errors_; }  // a descriptor for poll; -1 when closed

  // Whole lines of its standard error that have come since the last call.
  void read_lines(const std::function<void(const std::string&)>& line);
  const std::string& tail() const { return tail_; }  // the last 16 KiB of them
  // How it ended, once it has; then all its lines have been read.
  std::optional<Subprocess::Status> ended(const std::function<void(const std::string&)>& line);
  void signal(int number) const;  // to it alone
  void kill();                    // it and what it started; reaps

 private:
  pid_t pid_ = -1;
  int errors_ = -1;
  std::string pending_, tail_;
};

std::uint64_t memory_kb(pid_t pid);   // resident; 0 where there is no such process
double processor_seconds(pid_t pid);  // that it has used

}  // namespace warpfuzz
