#include "engine/watchdog.h"

#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

namespace warpfuzz {
namespace {

constexpr std::size_t kStackBytes = 1 << 20;  // the report compresses and formats: not work for a kernel's fiber stack
Watchdog::Handler g_handler = nullptr;        // a signal handler has no other way to reach its owner

std::uint64_t processor_time(clockid_t clock) {  // ns
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u + static_cast<std::uint64_t>(t.tv_nsec);
}

int hang_signal() { return SIGRTMIN + 4; }

void on_signal(int, siginfo_t*, void* context) {
  void* pc = nullptr;
#if defined(__x86_64__)
  pc = reinterpret_cast<void*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#else
  (void)context;
#endif
  if (g_handler) g_handler(pc);
}

void install(Watchdog::Handler handler) {
  g_handler = handler;
  stack_t stack{};
  stack.ss_sp = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack.ss_size = kStackBytes;
  if (stack.ss_sp != MAP_FAILED) sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(hang_signal(), &action, nullptr);
}

}  // namespace

Watchdog::Watchdog(int seconds, Handler on_hang) : seconds_(seconds), fuzzing_thread_(pthread_self()) {
  if (seconds_ <= 0) return;
  install(on_hang);
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
  const std::uint64_t limit = static_cast<std::uint64_t>(seconds_) * 1000000000u;
  clockid_t clock{};
  if (pthread_getcpuclockid(fuzzing_thread_, &clock) != 0) return;
  std::uint64_t watched = 0, since = 0;  // a case, and the thread's time when it was first seen
  while (!stop_) {
    const timespec pause{0, 50 * 1000 * 1000};
    nanosleep(&pause, nullptr);
    const std::uint64_t now = running_.load(std::memory_order_relaxed);
    if (now != watched) {
      watched = now;
      since = processor_time(clock);
    }
    if (!now || processor_time(clock) - since < limit) continue;
    pthread_kill(fuzzing_thread_, hang_signal());
    return;
  }
}

bool traced() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("TracerPid:")) return std::atoi(line.c_str() + std::strlen("TracerPid:")) != 0;
  return false;
}

}  // namespace warpfuzz
