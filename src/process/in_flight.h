// The case that is running, kept in a mapped file: after a SIGKILL (or a power cut of the process) it is still there.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace warpfuzz {

class InFlight {
 public:
  InFlight() = default;
  ~InFlight() { close(); }
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

  // Creates `folder`/.inflight-<pid>. Returns "" or one line about what failed.
  std::string open(const std::string& folder);
  void begin(std::span<const std::uint8_t> bytes);  // the case that runs now
  void end();                                       // it is over
  void close();                                     // unmaps and removes the file
  void
  drop();  // removes the file alone, while another thread may still write to the mapping: the process is about to end

 private:
  std::uint8_t* map_ = nullptr;
  int lock_ = -1;  // the file, locked while this process lives
  std::string path_;
};

// Files that a killed process left in `folder`: each case that was in flight becomes `interrupted-<hash>`, a raw case that
// the target replays. Prints a line for each; returns how many there were.
int recover_in_flight(const std::string& folder);

}  // namespace warpfuzz
