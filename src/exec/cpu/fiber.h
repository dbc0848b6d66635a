// Fibers: pooled stacks and the context switch under them. Knows nothing of CUDA; the scheduler gives them meaning.
#pragma once
#include <cstddef>
#include <cstdint>

#include "exec/cpu/executor.h"

namespace warpfuzz::cpu {

inline constexpr std::size_t kStackBytes = 256 * 1024;  // of one CUDA thread, local arrays included
inline constexpr std::size_t kGuardBytes = 64 * 1024;   // no access, below each stack
inline constexpr std::uint32_t kMaxFibers = 1024;       // threads of the largest block

// One cache line: all that a switch touches beside the stack itself.
struct alignas(64) Fiber {
  void* sp = nullptr;  // of the suspended context
  Index3 index{};      // threadIdx of the CUDA thread that it runs
  std::uint32_t thread = 0;
  char* stack_lo = nullptr;
  char* stack_hi = nullptr;
};

// Saves the callee-saved registers on this stack, stores the stack pointer in *save and goes on in the context `to`.
extern "C" void warpfuzz_switch(void** save, void* to);
// The same without a way back.
extern "C" [[noreturn]] void warpfuzz_jump(void* to);

// Stacks are made on first use, kept for ever, and handed out last in, first out: warm stacks first.
class FiberPool {
 public:
  using Entry = void (*)(Fiber*);  // never returns
  explicit FiberPool(Entry entry) : entry_(entry) {}
  FiberPool(const FiberPool&) = delete;

  Fiber* take() { return free_ != 0 ? stack_[--free_] : make(); }
  void give(Fiber* f) { stack_[free_++] = f; }
  // After a fault: every fiber is free again, whatever its stack holds. `faulting_sp` lies on the stack of the fiber
  // that was running.
  void reset(const void* faulting_sp);
  std::uint32_t made() const { return made_; }
  // The fiber whose guard area (or stack, if `stacks`) holds p; null where there is none.
  Fiber* owner(const void* p, bool stacks);

 private:
  Fiber* make();
  void prepare(Fiber& f);  // its next switch enters entry_

  Entry entry_;
  std::uint32_t free_ = 0, made_ = 0;
  char* area_ = nullptr;  // kMaxFibers times (guard, stack)
  Fiber* stack_[kMaxFibers];
  Fiber fibers_[kMaxFibers];
};

}  // namespace warpfuzz::cpu
