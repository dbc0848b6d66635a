// Functions of the target's own beside its kernel: the reference, the constraints of its schema. What goes wrong while one
// of them runs is a mistake in the target's file and never a finding of the kernel.
#pragma once
#include <exception>
#include <string>
#include <string_view>

#include "base/hook.h"

namespace warpfuzz {

// What runs now, "the reference of op scale"; "" outside. For those who find the process ending: the sanitizer's hook,
// handlers of signals, the watchdog.
std::string running_target_code();

// Ends the process with the line "warpfuzz: target error: ..." and exit code 83; the case that runs is kept first.
[[noreturn]] void target_error(std::string_view message);

// Asked once, before the process ends by a target error: keeps the case and returns its path, "" where there is none.
using CaseKeeper = Hook<std::string()>;
void set_case_keeper(CaseKeeper keeper);

// Marks the lifetime of a call. Both texts outlive the scope.
class TargetCode {
 public:
  TargetCode(const char* kind, const char* name);
  ~TargetCode();
  TargetCode(const TargetCode&) = delete;
  TargetCode& operator=(const TargetCode&) = delete;

 private:
  const char *kind_before_, *name_before_;
};

// Calls f, a function of the target's own. An exception that leaves it is a target error.
template <class F>
decltype(auto) in_target_code(const char* kind, const char* name, F&& f) {
  const TargetCode scope(kind, name);
  try {
    return f();
  } catch (const std::exception& e) {
    target_error(running_target_code() + " threw an exception: " + e.what());
  } catch (...) { target_error(running_target_code() + " threw an exception that is no std::exception"); }
}

}  // namespace warpfuzz
