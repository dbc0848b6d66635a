// Who is to blame when the process is about to end.
#include "process/death/target_fault.h"

#include <signal.h>
#include <ucontext.h>

#include <cstdint>

#include <fmt/format.h>

#include "exec/case_witness.h"
#include "exec/signal_chain.h"
#include "schema/target_code.h"

namespace warpfuzz {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
struct sigaction previous[64];

const char* signal_text(int number) {
  switch (number) {
    case SIGFPE: return "an integer division by zero (SIGFPE)";
    case SIGILL: return "a trap (SIGILL)";
    case SIGBUS: return "a wild pointer (SIGBUS)";
    default: return "a null or wild pointer (SIGSEGV)";
  }
}

// The guard page behind a stack lies close to where the stack pointer is.
bool is_stack_overflow(int number, const siginfo_t* info, const void* context) {
#if defined(__x86_64__)
  constexpr std::uintptr_t kNear = 1 << 16;
  if (number != SIGSEGV) return false;
  const auto sp = static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
  return reinterpret_cast<std::uintptr_t>(info->si_addr) - (sp - kNear) < 2 * kNear;
#else
  return (void)number, (void)info, (void)context, false;
#endif
}

void on_signal(int number, siginfo_t* info, void* context) {
  const bool own = info->si_code > 0;  // not sent by another process
  if (own)
    blame_target_code(fmt::format("died of {}", is_stack_overflow(number, info, context)
                                                    ? "a stack overflow, of endless recursion or an array too large"
                                                    : signal_text(number)));
  pass_on(previous[number], number, info, context);
}

}  // namespace

void watch_target_code() {
  static bool watching = false;
  if (watching) return;
  watching = true;
  struct sigaction action{};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int s : kSignals) sigaction(s, &action, &previous[s]);
}

void blame_target_code(const std::string& what) {
  const std::string code = running_target_code();
  if (code.empty()) return;
  const Place place = place_in_case(this_backend(), nullptr);
  target_error(
      fmt::format("{} {}{}", code, what, place.file.empty() ? "" : fmt::format(" at {}:{}", place.file, place.line)));
}

}  // namespace warpfuzz
