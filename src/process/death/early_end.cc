#include "process/death/early_end.h"

#include <signal.h>

#include <cstdlib>

#include "base/exit_codes.h"

extern "C" [[noreturn]] void __real_exit(int code) __attribute__((weak));

namespace warpfuzz {
namespace {

// Of the process: exit() and a signal reach us without a context.
struct EarlyEnd {
  EarlyEndHandler handler;
  struct sigaction previous_abort;
  bool watching = false;  // for abort()
} early_end;

bool ends_with_finding(const char* how) { return early_end.handler && early_end.handler(how); }

void on_abort(int number, siginfo_t* info, void* context) {
  if (ends_with_finding("abort")) std::_Exit(kExitFinding);
  const struct sigaction& previous = early_end.previous_abort;
  if (previous.sa_flags & SA_SIGINFO) return previous.sa_sigaction(number, info, context);
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) return previous.sa_handler(number);
  signal(SIGABRT, SIG_DFL);
  raise(SIGABRT);
}

}  // namespace

void set_early_end_handler(EarlyEndHandler handler) {
  if (handler && !early_end.watching) {
    early_end.watching = true;
    struct sigaction action{};
    action.sa_sigaction = on_abort;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGABRT, &action, &early_end.previous_abort);
  }
  early_end.handler = handler;
}

}  // namespace warpfuzz

// exit() of everything in a target's binary, by the linker's --wrap: an atexit handler would come too late, when the
// objects that make a report are gone.
extern "C" [[noreturn]] void __wrap_exit(int code) {
  if (warpfuzz::ends_with_finding("exit")) std::_Exit(warpfuzz::kExitFinding);
  if (__real_exit) __real_exit(code);
  std::_Exit(code);
}
