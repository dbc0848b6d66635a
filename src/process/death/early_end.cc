#include "process/death/early_end.h"

#include <signal.h>

#include <cstdlib>

#include "base/exit_codes.h"

extern "C" [[noreturn]] void __real_exit(int code) __attribute__((weak));

namespace warpfuzz {
namespace {

EarlyEndHandler early_end_handler = nullptr;
struct sigaction previous_abort;

void on_abort(int number, siginfo_t* info, void* context) {
  if (early_end_handler && early_end_handler("abort")) std::_Exit(kExitFinding);
  if (previous_abort.sa_flags & SA_SIGINFO) return previous_abort.sa_sigaction(number, info, context);
  if (previous_abort.sa_handler != SIG_DFL && previous_abort.sa_handler != SIG_IGN)
    return previous_abort.sa_handler(number);
  signal(SIGABRT, SIG_DFL);
  raise(SIGABRT);
}

}  // namespace

void set_early_end_handler(EarlyEndHandler handler) {
  if (handler && !early_end_handler) {
    struct sigaction action{};
    action.sa_sigaction = on_abort;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGABRT, &action, &previous_abort);
  }
  early_end_handler = handler;
}

}  // namespace warpfuzz

// exit() of everything in a target's binary, by the linker's --wrap: an atexit handler would come too late, when the
// objects that make a report are gone.
extern "C" [[noreturn]] void __wrap_exit(int code) {
  if (warpfuzz::early_end_handler && warpfuzz::early_end_handler("exit")) std::_Exit(warpfuzz::kExitFinding);
  if (__real_exit) __real_exit(code);
  std::_Exit(code);
}
