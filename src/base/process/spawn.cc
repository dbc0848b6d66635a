// fork and exec by hand: posix_spawn cannot tie a process to its parent's life.
#include "base/process/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

extern char** environ;

namespace warpfuzz {
namespace {

constexpr int kNotStarted = 127;  // as a shell says it

// A file descriptor that is closed when it is no longer needed. Above those of the standard streams, so that giving a program its streams
// overwrites none of them: a service may run without a standard input.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {
    if (number_ < 0 || number_ > 2) return;
    number_ = ::fcntl(number, F_DUPFD_CLOEXEC, 3);
    ::close(number);
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

bool make_pipe(Descriptor& read, Descriptor& write) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  read = Descriptor(ends[0]);
  write = Descriptor(ends[1]);
  return read.get() >= 0 && write.get() >= 0;
}

// The two ends of a stream: the program's, and ours of a pipe.
struct Ends {
  Descriptor theirs, ours;
};

std::string open_stream(const Stream& stream, bool is_input, Ends& ends) {
  using Kind = Stream::Kind;
  if (stream.kind == Kind::ours || stream.kind == Kind::as_output) return "";
  if (stream.kind == Kind::pipe) {
    const bool made = is_input ? make_pipe(ends.theirs, ends.ours) : make_pipe(ends.ours, ends.theirs);
    if (!made) return fmt::format("cannot make a pipe: {}", std::strerror(errno));
    ::fcntl(ends.ours.get(), F_SETFL, ::fcntl(ends.ours.get(), F_GETFL) | O_NONBLOCK);
    return "";
  }
  const std::string path = stream.kind == Kind::nothing ? "/dev/null" : stream.path;
  const int write_mode = stream.kind == Kind::log ? O_APPEND | O_NOFOLLOW : O_TRUNC;
  const int mode = is_input ? O_RDONLY : O_WRONLY | O_CREAT | write_mode;
  ends.theirs = Descriptor(::open(path.c_str(), mode | O_CLOEXEC, stream.kind == Kind::log ? 0600 : 0644));
  return ends.theirs.get() < 0 ? fmt::format("cannot open '{}': {}", path, std::strerror(errno)) : "";
}

std::string_view name_of(std::string_view variable) { return variable.substr(0, variable.find('=')); }

std::vector<std::string> environment_with(const std::vector<std::string>& own) {
  std::vector<std::string> all;
  std::copy_if(own.begin(), own.end(), std::back_inserter(all),
               [](const std::string& v) { return v.find('=') != std::string::npos; });
  for (char** e = environ; *e; ++e)
    if (std::none_of(own.begin(), own.end(), [&](const std::string& v) { return name_of(v) == name_of(*e); }))
      all.push_back(*e);
  return all;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> p;
  for (const std::string& t : texts) p.push_back(const_cast<char*>(t.c_str()));
  p.push_back(nullptr);
  return p;
}

// What the new process needs, all of it made before the fork: behind it nothing may allocate.
struct Plan {
  char* const* argv;
  char* const* environment;
  std::array<int, 3> streams;  // -1: ours
  bool errors_as_output, dies_with_us;
  ProcessCommand::Group group;
  pid_t parent;
  int report;  // takes errno where the program cannot be started
};

// A handler of ours would run in the new process until exec. A signal that we ignore stays ignored behind exec: of SIGPIPE no program expects
// that, and those that end a program are its own affair where no terminal sends them.
void reset_signals(bool reached_by_terminal) {
  struct sigaction standard{}, now{};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) {
    if (::sigaction(number, nullptr, &now) != 0 || now.sa_handler == SIG_DFL) continue;
    const bool ends = number == SIGPIPE || (!reached_by_terminal && (number == SIGINT || number == SIGTERM));
    if (now.sa_handler != SIG_IGN || ends) ::sigaction(number, &standard, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void become(const Plan& p) {
  if (p.dies_with_us) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != p.parent) ::_exit(kNotStarted);  // it died between fork and prctl
  }
  if (p.group == ProcessCommand::Group::own) ::setpgid(0, 0);
  if (p.group == ProcessCommand::Group::session) ::setsid();
  bool ready = true;
  for (int i = 0; i < 3; ++i)
    if (p.streams[static_cast<std::size_t>(i)] >= 0)
      ready = ready && ::dup2(p.streams[static_cast<std::size_t>(i)], i) == i;
  if (p.errors_as_output) ready = ready && ::dup2(1, 2) == 2;
  reset_signals(p.group == ProcessCommand::Group::ours);
  if (ready) ::execve(p.argv[0], p.argv, p.environment);
  const int error = errno;
  // A report that cannot be written leaves a program that ended with 127.
  if (::write(p.report, &error, sizeof error) != static_cast<ssize_t>(sizeof error)) ::_exit(kNotStarted);
  ::_exit(kNotStarted);
}

// fork with all signals blocked: no handler of ours may run in the new process.
pid_t fork_into(const Plan& plan) {
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  if (pid == 0) become(plan);
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

}  // namespace

std::string spawn(const ProcessCommand& c, Spawned& out) {
  std::array<Ends, 3> ends;
  const std::array<const Stream*, 3> streams{&c.input, &c.output, &c.errors};
  const auto failed = [&c](const std::string& why) { return fmt::format("cannot start '{}': {}", c.argv[0], why); };
  for (std::size_t i = 0; i < 3; ++i)
    if (const std::string error = open_stream(*streams[i], i == 0, ends[i]); !error.empty()) return failed(error);
  Descriptor report, reported;
  if (!make_pipe(reported, report)) return failed(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  const std::vector<std::string> environment = environment_with(c.environment);
  const std::vector<char*> argv = pointers(c.argv), variables = pointers(environment);
  const pid_t pid = fork_into({argv.data(),
                               variables.data(),
                               {ends[0].theirs.get(), ends[1].theirs.get(), ends[2].theirs.get()},
                               c.errors.kind == Stream::Kind::as_output,
                               c.dies_with_us,
                               c.group,
                               ::getpid(),
                               report.get()});
  if (pid < 0) return failed(std::strerror(errno));
  report = Descriptor();
  int error = 0;
  ssize_t n;
  do { n = ::read(reported.get(), &error, sizeof error); } while (n < 0 && errno == EINTR);
  if (n == static_cast<ssize_t>(sizeof error)) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {}
    return failed(std::strerror(error));
  }
  out.pid = pid;
  for (std::size_t i = 0; i < 3; ++i) out.pipes[i] = ends[i].ours.release();
  return "";
}

}  // namespace warpfuzz
