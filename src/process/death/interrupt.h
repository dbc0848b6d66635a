// SIGINT and SIGTERM end a target in order: the running case is finished or dropped, the summary is printed, nothing is left
// behind. A thread waits for the two signals, which are blocked in all others: no handler runs in the middle of a kernel, and the
// parent of -fork hears a SIGINT although system(), in which it waits for its processes, ignores it.
#pragma once
#include <functional>

namespace warpfuzz {

struct InterruptPlan {
  bool on_int = true, on_term = true;  // else the signal ends the process at once, as -handle_int=0 asks for
  bool has_children = false;           // runs no case itself: processes of its own do, and are told
  // Prints the summary and removes files; called once, by the thread that ends the process.
  std::function<void(const char* signal)> last_words;
};

// From here on the signals are waited for. Called before the process has other threads.
void watch_for_interrupts(InterruptPlan plan);
// The signals end this process as they would any other: undoes what it inherited from one that waits for them.
void allow_interrupts();

// The signal's name, or null. Between two cases the fuzzing thread asks, and then calls
const char* interrupted();
[[noreturn]] void end_interrupted();  // exit code 72, which libFuzzer's parents know

// True for the first thread that is about to end the process in order. The others are not to: the process ends.
bool claim_end();

}  // namespace warpfuzz
