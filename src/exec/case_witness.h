// Who sees the process die in the middle of a case: a backend whose kernels run in this process, where a fault of theirs may be
// the end of it. Those who handle the death (a signal, the sanitizer's report, exit()) ask here what ran.
#pragma once
#include "base/hook.h"
#include "exec/backend.h"

namespace warpfuzz {

// A fault that is about to kill this process, classified: tensor, place, message.
using DeathHook = Hook<void(const ExecStatus&)>;

class CaseWitness {
 public:
  virtual ~CaseWitness() = default;
  // Called once, before the process ends by a fault of the kernel. An empty hook removes it.
  virtual void set_death_hook(DeathHook hook) = 0;
  // The case that run() is in; null outside.
  virtual const ExecStatus* running_case() const = 0;
  // Where the kernel is that a signal met at this code address, or where in the target's own code the caller was called from
  // (null); best effort.
  virtual Place place_of(const void* pc) = 0;
  // The process is about to end by a signal of its own making: gives the handlers back to whoever had them before.
  virtual void restore_signal_handlers() = 0;
};

inline void set_death_hook(Backend& backend, DeathHook hook) {
  if (CaseWitness* witness = backend.witness()) witness->set_death_hook(hook);
}
inline const ExecStatus* running_case(Backend& backend) {
  const CaseWitness* witness = backend.witness();
  return witness ? witness->running_case() : nullptr;
}
inline Place place_in_case(Backend& backend, const void* pc) {
  CaseWitness* witness = backend.witness();
  return witness ? witness->place_of(pc) : Place{};
}

}  // namespace warpfuzz
