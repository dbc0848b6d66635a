// How a program is started: what it is given, and the one function that forks.
#pragma once
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace warpfuzz {

// What one of a program's standard streams is.
struct Stream {
  enum class Kind : std::uint8_t {
    ours,       // that of this process
    nothing,    // /dev/null
    pipe,       // the other end is in this process
    file,       // read, or written anew
    log,        // appended to; a file of this user's own, and no link
    as_output,  // of the errors: where the output goes
  } kind = Kind::nothing;
  std::string path = {};  // of a file, of a log
};

struct ProcessCommand {
  std::vector<std::string> argv;  // argv[0] is the program's path
  std::vector<std::string> environment =
      {};  // "NAME=value" goes before what this process has, "NAME" alone takes it away
  Stream input = {}, output = {}, errors = {};
  enum class Group : std::uint8_t {
    ours,     // what the terminal sends to us, a Ctrl-C, reaches it too
    own,      // of its own, which is killed with all that it started
    session,  // a session of its own: it goes on when we end, whatever becomes of our terminal
  } group = Group::ours;
  bool dies_with_us = false;  // it is killed when the thread that started it ends, in whatever way that ends
};

struct Spawned {
  pid_t pid = -1;
  // This process's ends of the pipes to its input, output and errors, none of which blocks; -1 where there is none.
  std::array<int, 3> pipes{-1, -1, -1};
};

// "" or one line: also where the program itself is not there or cannot be run. The caller reaps it and closes the pipes: class Process.
std::string spawn(const ProcessCommand& command, Spawned& out);

}  // namespace warpfuzz
