// A worker's end: finds or starts the server of its target's build, and exchanges cases with it. No CUDA here.
#pragma once
#include <string>
#include <vector>

#include "base/process/process.h"
#include "exec/cuda/wire.h"

namespace warpfuzz::cuda {

// The builds of a target's sources, each an executable with a server of its own (docs/cuda.md).
enum class Build { instrumented, checked, plain, bare };
const char* suffix_of(Build build);  // "", ".checked", ".plain", ".bare": behind the name of the fuzzing binary

// What came of looking for the server.
struct Connection {
  enum class State {
    ready,
    lost,     // the server ended in between: the next try may find, or start, another
    refused,  // `error` says why, in one line
  };
  State state = State::ready;
  std::string error;
};

class Link {
 public:
  Link(Build build, int device) : build_(build), device_(device) {}
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // The binary of this build is there.
  bool exists() const;
  // Connects if need be, with areas of at least these sizes. Refused with no_device(): there is no GPU to run on.
  Connection connect(std::size_t up, std::size_t down);
  int device() const { return device_; }
  void set_device(int number) {
    disconnect();
    device_ = number;
  }
  bool no_device() const { return no_device_; }
  const Hello& hello() const { return hello_; }
  Mailbox& box() { return *box_; }
  std::byte* up() { return reinterpret_cast<std::byte*>(box_) + up_at(*box_); }
  const std::byte* down() const { return reinterpret_cast<const std::byte*>(box_) + down_at(*box_); }
  const std::byte* state() const { return reinterpret_cast<const std::byte*>(box_) + state_at(); }

  void ask();  // the request in the mailbox
  Outcome wait();
  void disconnect();

 private:
  std::string binary() const;
  std::string socket_path(std::string& error) const;
  std::string start_server(const std::string& path);
  bool server_gone() const;

  Build build_;
  int device_;
  int socket_ = -1;
  bool no_device_ = false, told_ = false;
  Hello hello_{};
  Mailbox* box_ = nullptr;
  Doorbell* bell_ = nullptr;
  std::size_t bytes_ = 0, up_bytes_ = 0, down_bytes_ = 0;
  std::uint32_t number_ = 0;
  std::vector<Process> started_;
};

}  // namespace warpfuzz::cuda
