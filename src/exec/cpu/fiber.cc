// The context switch of x86-64 (System V) and the pool of stacks.
#include "exec/cpu/fiber.h"

#include <sys/mman.h>

#include "exec/launch.h"

#if !defined(__x86_64__)
#error "The CPU executor switches stacks with x86-64 code: port warpfuzz_switch and FiberPool::prepare in fiber.cc."
#endif

extern "C" {
void warpfuzz_fiber_entry();
// Present where AddressSanitizer is linked.
void __asan_unpoison_memory_region(const volatile void*, std::size_t) __attribute__((weak));
}

// MXCSR and the x87 control word are not saved: no kernel changes them. The entry's unknown return address tells
// unwinders that a fiber's stack ends there.
asm(R"(
.text
.p2align 4
.globl warpfuzz_switch
.hidden warpfuzz_switch
.type warpfuzz_switch,@function
warpfuzz_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size warpfuzz_switch, .-warpfuzz_switch

.p2align 4
.globl warpfuzz_jump
.hidden warpfuzz_jump
.type warpfuzz_jump,@function
warpfuzz_jump:
  movq %rdi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size warpfuzz_jump, .-warpfuzz_jump

.p2align 4
.globl warpfuzz_fiber_entry
.hidden warpfuzz_fiber_entry
.type warpfuzz_fiber_entry,@function
warpfuzz_fiber_entry:
  .cfi_startproc
  .cfi_undefined rip
  movq %r12, %rdi
  call *%rbx
  ud2
  .cfi_endproc
.size warpfuzz_fiber_entry, .-warpfuzz_fiber_entry
)");

namespace warpfuzz::cpu {
namespace {
constexpr std::size_t kSlot = kStackBytes + kGuardBytes;
// Stacks start at different cache sets; 256 equal offsets would all meet in the same few lines.
constexpr std::uint32_t kColours = 16;
constexpr std::size_t kColourStep = 256;
}  // namespace

Fiber* FiberPool::make() {
  if (made_ == kMaxFibers) target_error("internal: more fibers than threads in a block");
  if (!area_) {
    void* p = mmap(nullptr, kMaxFibers * kSlot, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) target_error("cannot reserve address space for the stacks of CUDA threads (320 MiB)");
    area_ = static_cast<char*>(p);
  }
  Fiber& f = fibers_[made_];
  f.stack_lo = area_ + made_ * kSlot + kGuardBytes;
  f.stack_hi = f.stack_lo + kStackBytes;
  if (mprotect(f.stack_lo, kStackBytes, PROT_READ | PROT_WRITE) != 0)
    target_error("cannot make the stack of a CUDA thread");
  ++made_;
  prepare(f);
  return &f;
}

void FiberPool::prepare(Fiber& f) {
  std::uint32_t number = static_cast<std::uint32_t>(&f - fibers_);
  void** top = reinterpret_cast<void**>(f.stack_hi - number % kColours * kColourStep);
  *--top = nullptr;  // keeps the stack aligned at the entry
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(&warpfuzz_fiber_entry);
  *--top = nullptr;                              // rbp: frame pointer chains end here
  *--top = reinterpret_cast<void*>(entry_);      // rbx
  *--top = &f;                                   // r12
  for (int i = 0; i < 3; ++i) *--top = nullptr;  // r13..r15
  f.sp = top;
}

void FiberPool::reset(const void* faulting_sp) {
  free_ = 0;
  for (std::uint32_t i = made_; i-- > 0;) {
    Fiber& f = fibers_[i];
    // Red zones of the frames that are left behind would look like overflows to the next thread on this stack.
    const char* from = static_cast<const char*>(f.sp);
    const char* fault = static_cast<const char*>(faulting_sp);
    if (fault >= f.stack_lo - kGuardBytes && fault < f.stack_hi) from = fault < f.stack_lo ? f.stack_lo : fault;
    if (__asan_unpoison_memory_region) __asan_unpoison_memory_region(from, static_cast<std::size_t>(f.stack_hi - from));
    prepare(f);
    give(&f);
  }
}

Fiber* FiberPool::owner(const void* p, bool stacks) {
  const char* at = static_cast<const char*>(p);
  if (!area_ || at < area_ || at >= area_ + made_ * kSlot) return nullptr;
  std::size_t offset = static_cast<std::size_t>(at - area_);
  bool in_stack = offset % kSlot >= kGuardBytes;
  return in_stack == stacks ? &fibers_[offset / kSlot] : nullptr;
}

}  // namespace warpfuzz::cpu
