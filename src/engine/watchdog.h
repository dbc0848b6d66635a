// Ends a case that runs too long, by the fuzzing thread's own processor time (a process that is stopped, or waits for its
// turn on a busy machine, does not hang): a thread (libFuzzer owns SIGALRM) that interrupts the fuzzing thread with a signal, so
// that the report is made where the kernel hangs.
#pragma once
#include <atomic>
#include <cstdint>
#include <thread>

namespace warpfuzz {

class Watchdog {
 public:
  // on_hang runs on the fuzzing thread, inside a signal handler on a stack of its own; it must end the process.
  using Handler = void (*)(void* pc);
  // Watches the calling thread.
  Watchdog(int seconds, Handler on_hang);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void begin() { running_.store(++cases_, std::memory_order_relaxed); }
  void end() { running_.store(0, std::memory_order_relaxed); }

 private:
  void watch();
  int seconds_;
  pthread_t fuzzing_thread_;
  std::uint64_t cases_ = 0;
  std::atomic<std::uint64_t> running_{0};  // number of the case that runs; 0: none
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// A debugger is attached: time means nothing.
bool traced();

}  // namespace warpfuzz
