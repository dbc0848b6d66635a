// Starts a program with pipes on its standard streams and feeds and reads them until it ends.
#include "command.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace targets_test {
namespace {

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    read = ends[0];
    write = ends[1];
  }
  ~Pipe() {
    close_end(read);
    close_end(write);
  }
  static void close_end(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
};

[[noreturn]] void become(const std::vector<std::string>& argv, const Pipe& in, const Pipe& out, const Pipe& err) {
  dup2(in.read, STDIN_FILENO);
  dup2(out.write, STDOUT_FILENO);
  dup2(err.write, STDERR_FILENO);
  setpgid(0, 0);
  unsetenv("WARPFUZZ_OPTIONS");
  std::vector<char*> args;
  for (const auto& a : argv) args.push_back(const_cast<char*>(a.c_str()));
  args.push_back(nullptr);
  execv(args[0], args.data());
  _exit(127);
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& argv, const std::string& input, int seconds) {
  signal(SIGPIPE, SIG_IGN);
  Pipe in, out, err;
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) become(argv, in, out, err);
  Pipe::close_end(in.read);
  Pipe::close_end(out.write);
  Pipe::close_end(err.write);
  fcntl(in.write, F_SETFL, O_NONBLOCK);

  CommandResult result;
  std::size_t written = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (out.read >= 0 || err.read >= 0) {
    if (written == input.size()) Pipe::close_end(in.write);
    pollfd fds[3] = {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}, {in.write, POLLOUT, 0}};
    poll(fds, 3, 200);
    if (std::chrono::steady_clock::now() > deadline) {
      result.timed_out = true;
      kill(-child, SIGKILL);
      break;
    }
    const auto drain = [](const pollfd& fd, int& end, std::string& text) {
      if (!(fd.revents & (POLLIN | POLLHUP | POLLERR))) return;
      char buffer[65536];
      const ssize_t n = read(end, buffer, sizeof buffer);
      if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
      else Pipe::close_end(end);
    };
    drain(fds[0], out.read, result.output);
    drain(fds[1], err.read, result.errors);
    if (fds[2].revents & (POLLOUT | POLLERR)) {
      const ssize_t n = write(in.write, input.data() + written, input.size() - written);
      if (n > 0) written += static_cast<std::size_t>(n);
      else written = input.size();  // it reads no more
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

ScratchFolder::ScratchFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "warpfuzz-test-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp failed: " + pattern);
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path ScratchFolder::make(const std::string& name) const {
  std::filesystem::create_directories(path_ / name);
  return path_ / name;
}

std::vector<std::filesystem::path> ScratchFolder::files(const std::string& extension) const {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path_))
    if (entry.is_regular_file() && entry.path().extension() == extension) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace targets_test
