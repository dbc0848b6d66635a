// A signal that is not for us goes on to whoever had its handler before.
#pragma once
#include <signal.h>

namespace warpfuzz {

inline void pass_on(const struct sigaction& previous, int number, siginfo_t* info, void* context) {
  if (previous.sa_flags & SA_SIGINFO) return previous.sa_sigaction(number, info, context);
  if (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN) {
    sigaction(number, &previous, nullptr);  // the instruction faults again, by itself
    return;
  }
  previous.sa_handler(number);
}

}  // namespace warpfuzz
