// Ends a case that runs too long: a thread (libFuzzer owns SIGALRM) that interrupts the fuzzing thread with a signal, so
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

  void begin();
  void end() { started_.store(0, std::memory_order_relaxed); }

 private:
  void watch();
  int seconds_;
  pthread_t fuzzing_thread_;
  std::atomic<std::uint64_t> started_{0};  // steady clock, ns; 0: nothing runs
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// A debugger is attached: time means nothing.
bool traced();

}  // namespace warpfuzz
