#include "process/death/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include "base/exit_codes.h"
#include "base/files.h"
#include "process/child_processes.h"

namespace warpfuzz {
namespace {

constexpr double kPatience = 2, kChildrensPatience = 4, kLastPatience = 0.5;  // seconds
// What a parent sends along with its signal. A signal without it came from a person; a second one of that kind ends at once.
constexpr int kInOrder = 1, kAtOnce = 2;

InterruptPlan* plan = nullptr;  // never destroyed
std::atomic<int> asked{0};      // the signal; 0: none
std::atomic<bool> claimed{false};

sigset_t both() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

sigset_t waited_for() {
  sigset_t set;
  sigemptyset(&set);
  if (plan->on_int) sigaddset(&set, SIGINT);
  if (plan->on_term) sigaddset(&set, SIGTERM);
  return set;
}

double now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// libFuzzer's own handler prints its statistics where they were asked for, removes the folder of -fork, and ends the process.
void end_as_the_engine_does() {
  for (const int number : {SIGTERM, SIGINT}) {
    struct sigaction action{};
    if (sigaction(number, nullptr, &action) != 0 || !(action.sa_flags & SA_SIGINFO) || !action.sa_sigaction) continue;
    action.sa_sigaction(number, nullptr, nullptr);
  }
}

[[noreturn]] void end() {
  if (plan && claim_end()) {
    if (plan->last_words) plan->last_words(interrupted());
    remove_unfinished_files();
    end_as_the_engine_does();
    std::_Exit(kExitInterrupted);
  }
  sleep(5);  // whoever was first ends the process
  std::_Exit(kExitInterrupted);
}

// Waits for `seconds` or until done() holds. True: a person asked again, or a parent asks to end at once.
template <class Done>
bool asked_again(double seconds, Done done) {
  const sigset_t set = waited_for();
  for (const double until = now() + seconds; now() < until && !done();) {
    const timespec pause{0, 20 * 1000 * 1000};
    siginfo_t info{};
    if (sigtimedwait(&set, &info, &pause) <= 0) continue;
    if (info.si_code != SI_QUEUE || info.si_value.sival_int == kAtOnce) return true;
  }
  return false;
}

void stop_children() {
  const auto none_left = [] { return descendants().empty(); };
  const std::vector<pid_t> first = descendants();
  tell(first, SIGTERM, kInOrder);
  asked_again(kChildrensPatience, [&] { return none_alive(first); });
  // Those that are left, or were started since by a parent that goes on to the next.
  tell(descendants(), SIGTERM, kAtOnce);
  asked_again(kLastPatience, none_left);
  tell(descendants(), SIGKILL, kAtOnce);
}

void watch() {
  const sigset_t set = waited_for();
  siginfo_t info{};
  int number = 0;
  while ((number = sigwaitinfo(&set, &info)) <= 0) {}
  asked = number;
  if (plan->has_children) stop_children();
  else if (info.si_code != SI_QUEUE || info.si_value.sival_int != kAtOnce)
    asked_again(kPatience, [] { return claimed.load(); });
  end();
}

}  // namespace

void watch_for_interrupts(InterruptPlan given) {
  plan = new InterruptPlan(std::move(given));
  allow_interrupts();
  const sigset_t set = waited_for();
  if (!plan->on_int && !plan->on_term) return;
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::thread(watch).detach();
}

void allow_interrupts() {
  const sigset_t set = both();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

const char* interrupted() {
  const int number = asked.load(std::memory_order_relaxed);
  return number == 0 ? nullptr : number == SIGINT ? "SIGINT" : "SIGTERM";
}

void end_interrupted() { end(); }

bool claim_end() { return !claimed.exchange(true); }

}  // namespace warpfuzz
