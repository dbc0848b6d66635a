// Ends a case that takes too long (case_clock.h): a thread (libFuzzer owns SIGALRM) that interrupts the fuzzing thread with
// a signal, so that the report is made where the kernel hangs.
#pragma once
#include <pthread.h>
#include <signal.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "base/hook.h"
#include "process/case_clock.h"

namespace warpfuzz {

class Watchdog {
 public:
  // on_hang runs on the fuzzing thread, inside a signal handler on a stack of its own; it must end the process.
  using Handler = Hook<void(void* pc, Overrun overrun)>;
  // Watches the calling thread; with no limit of processor time it does nothing.
  Watchdog(CaseLimits limits, Handler on_hang);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void begin() { running_.store(++cases_, std::memory_order_relaxed); }  // from here on a new case, or new work on one
  void end() { running_.store(0, std::memory_order_relaxed); }

 private:
  static void on_signal(int, siginfo_t* info, void* context);
  static void install();
  void watch();
  CaseLimits limits_;
  Handler on_hang_;
  pthread_t fuzzing_thread_;
  pid_t fuzzing_tid_;
  std::uint64_t cases_ = 0;
  std::atomic<std::uint64_t> running_{0};  // number of the case that runs; 0: none
  std::uint64_t late_ = 0;                 // the case that the signal is about
  Overrun overrun_;                        // and its limit
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// A debugger is attached: time means nothing.
bool traced();

// libFuzzer's alarm would end a case by the clock on the wall, busy machine or not. Called before libFuzzer sets it up, which
// then leaves it alone: the watchdog is the only judge.
void ignore_alarm();

}  // namespace warpfuzz
