// fork and exec by hand: posix_spawn cannot tie a process to its parent's life.
#include "base/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

extern char** environ;

namespace warpfuzz {
namespace {

constexpr std::size_t kTail = 16 << 10, kLongestLine = 64 << 10;

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> p;
  for (const std::string& t : texts) p.push_back(const_cast<char*>(t.c_str()));
  p.push_back(nullptr);
  return p;
}

std::vector<std::string> environment_of(const std::vector<std::string>& own) {
  std::vector<std::string> all = own;
  const auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
  for (char** e = environ; *e; ++e)
    if (std::none_of(own.begin(), own.end(), [&](const std::string& n) { return name_of(n) == name_of(*e); }))
      all.push_back(*e);
  return all;
}

// Behind fork: nothing here may allocate.
[[noreturn]] void become(char* const* argv, char* const* environment, const char* input, const char* output, int errors,
                         pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it died between fork and prctl
  ::setpgid(0, 0);                          // a Ctrl-C goes to the supervisor, which ends its workers in order
  for (const int number : {SIGINT, SIGTERM, SIGPIPE}) ::signal(number, SIG_DFL);
  const int in = ::open(input, O_RDONLY), out = ::open(output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (in < 0 || out < 0 || ::dup2(in, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(errors, 2) < 0) ::_exit(127);
  if (in > 2) ::close(in);
  if (out > 2) ::close(out);
  ::execve(argv[0], argv, environment);
  ::_exit(127);
}

}  // namespace

std::string Child::start(const Command& c) {
  kill();
  pending_.clear();
  tail_.clear();
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return fmt::format("cannot make a pipe: {}", std::strerror(errno));
  const std::vector<std::string> environment = environment_of(c.environment);
  const std::vector<char*> argv = pointers(c.argv), variables = pointers(environment);
  const std::string input = c.input.empty() ? "/dev/null" : c.input, output = c.output.empty() ? "/dev/null" : c.output;
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) become(argv.data(), variables.data(), input.c_str(), output.c_str(), pipe[1], parent);
  const int error = errno;
  ::close(pipe[1]);
  if (pid_ < 0) {
    ::close(pipe[0]);
    return fmt::format("cannot start '{}': {}", c.argv[0], std::strerror(error));
  }
  ::setpgid(pid_, pid_);  // in both, so that kill() finds the group at once
  errors_ = pipe[0];
  ::fcntl(errors_, F_SETFL, ::fcntl(errors_, F_GETFL) | O_NONBLOCK);
  return "";
}

void Child::read_lines(const std::function<void(const std::string&)>& line) {
  char block[16384];
  for (ssize_t n; errors_ >= 0 && (n = ::read(errors_, block, sizeof block)) != 0;) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;
    pending_.append(block, static_cast<std::size_t>(n));
    std::size_t begin = 0;
    for (std::size_t end; (end = pending_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const std::string one = pending_.substr(begin, end - begin);
      tail_ += one + "\n";
      line(one);
    }
    pending_.erase(0, begin);
    if (pending_.size() > kLongestLine) pending_.clear();
    if (tail_.size() > 2 * kTail) tail_.erase(0, tail_.size() - kTail);
  }
  if (errors_ >= 0) ::close(errors_);
  errors_ = -1;
}

std::optional<Subprocess::Status> Child::ended(const std::function<void(const std::string&)>& line) {
  int raw = 0;
  if (pid_ <= 0 || ::waitpid(pid_, &raw, WNOHANG) != pid_) return std::nullopt;
  read_lines(line);
  Subprocess::Status status;
  if (WIFEXITED(raw)) status.code = WEXITSTATUS(raw);
  if (WIFSIGNALED(raw)) status.signal = WTERMSIG(raw);
  ::kill(-pid_, SIGKILL);  // what it left behind
  pid_ = -1;
  if (errors_ >= 0) ::close(errors_);
  errors_ = -1;
  return status;
}

void Child::signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

void Child::kill() {
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {}
  }
  pid_ = -1;
  if (errors_ >= 0) ::close(errors_);
  errors_ = -1;
}

std::uint64_t memory_kb(pid_t pid) {
  std::FILE* f = std::fopen(fmt::format("/proc/{}/statm", static_cast<int>(pid)).c_str(), "r");
  if (!f) return 0;
  unsigned long long all = 0, resident = 0;
  const int read = std::fscanf(f, "%llu %llu", &all, &resident);
  std::fclose(f);
  return read == 2 ? resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 1024 : 0;
}

double processor_seconds(pid_t pid) {
  std::FILE* f = std::fopen(fmt::format("/proc/{}/stat", static_cast<int>(pid)).c_str(), "r");
  if (!f) return 0;
  unsigned long user = 0, system = 0;  // behind the name, which may hold anything but ends with the last ')'
  char text[1024];
  const std::size_t n = std::fread(text, 1, sizeof text - 1, f);
  std::fclose(f);
  text[n] = 0;
  const char* rest = std::strrchr(text, ')');
  if (!rest || std::sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
    return 0;
  return static_cast<double>(user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace warpfuzz
