#include "process/watchdog.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

namespace warpfuzz {
namespace {

constexpr std::size_t kStackBytes = 1 << 20;  // the report compresses and formats: not work for a kernel's fiber stack

std::uint64_t time_of(clockid_t clock) {  // ns
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u + static_cast<std::uint64_t>(t.tv_nsec);
}

int hang_signal() { return SIGRTMIN + 4; }

// The state of a thread of this process is `S`: it waits for something, and not for a processor (`R`) or a disk (`D`).
bool sleeps(pid_t tid) {
  char path[64], text[512];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", static_cast<int>(tid));
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  text[n > 0 ? n : 0] = 0;
  const char* name_end = std::strrchr(text, ')');  // the name may hold anything
  return name_end && std::strncmp(name_end, ") S", 3) == 0;
}

}  // namespace

// The signal brings its owner along. One that somebody else sends does not.
void Watchdog::on_signal(int, siginfo_t* info, void* context) {
  if (info->si_code != SI_QUEUE || info->si_pid != getpid()) return;
  const Watchdog& owner = *static_cast<const Watchdog*>(info->si_value.sival_ptr);
  void* pc = nullptr;
#if defined(__x86_64__)
  pc = reinterpret_cast<void*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#else
  (void)context;
#endif
  if (owner.running_.load(std::memory_order_relaxed) == owner.late_)
    owner.on_hang_(pc, owner.overrun_);  // else it has just ended
}

void Watchdog::install() {
  stack_t stack{};
  stack.ss_sp = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack.ss_size = kStackBytes;
  if (stack.ss_sp != MAP_FAILED) sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(hang_signal(), &action, nullptr);
}

Watchdog::Watchdog(CaseLimits limits, Handler on_hang)
    : limits_(limits), on_hang_(on_hang), fuzzing_thread_(pthread_self()), fuzzing_tid_(gettid()) {
  if (limits_.processor <= 0) return;
  install();
  thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void Watchdog::watch() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);  // libFuzzer's signals belong to the fuzzing thread
  clockid_t clock{};
  if (pthread_getcpuclockid(fuzzing_thread_, &clock) != 0) return;
  CaseClock judge(limits_);
  while (!stop_) {
    const timespec pause{0, 50 * 1000 * 1000};
    nanosleep(&pause, nullptr);
    CaseLook look;
    look.number = running_.load(std::memory_order_relaxed);
    look.processor_ns = time_of(clock);
    look.wall_ns = time_of(CLOCK_MONOTONIC);
    look.asleep = look.number && sleeps(fuzzing_tid_);
    const Overrun overrun = judge.look(look);
    if (overrun.by == Overrun::By::nothing) continue;
    late_ = look.number;
    overrun_ = overrun;
    pthread_sigqueue(fuzzing_thread_, hang_signal(),
                     sigval{.sival_ptr = this});  // fails where a user has too many: then next time
  }
}

void ignore_alarm() {
  struct sigaction action{};
  action.sa_handler = [](int) {};  // SIG_IGN would be replaced
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
}

bool traced() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("TracerPid:")) return std::atoi(line.c_str() + std::strlen("TracerPid:")) != 0;
  return false;
}

}  // namespace warpfuzz
