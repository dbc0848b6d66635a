// Comparisons of instrumented code on their way to the engine (linked with --wrap): operands are noted, then the
// engine's own callback goes on by a tail call, so that it still sees the kernel as its caller. Fuzzing binaries only.
#include <cstring>

#include "exec/cpu/operands.h"
#include "exec/cpu/state.h"

using warpfuzz::cpu::executor;
using warpfuzz::cpu::record_operands;
using warpfuzz::cpu::trace_compares;

// Where the comparison stands in this image: its address is another one in every process, and what the mutator learns, and
// in which order, must not be. (The linker defines the image's first byte.)
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start[];
#define CALLER \
  (reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) - reinterpret_cast<std::uintptr_t>(__ehdr_start))

#define TRACE(name, T)                                                    \
  extern "C" void __real___sanitizer_cov_trace_##name(T, T);              \
  extern "C" void __wrap___sanitizer_cov_trace_##name(T a, T b) {         \
    if (executor.current) {                                               \
      if (!trace_compares()) return;                                      \
      if (a != b) record_operands(CALLER, a, b, false);                   \
    }                                                                     \
    [[clang::musttail]] return __real___sanitizer_cov_trace_##name(a, b); \
  }
TRACE(cmp1, std::uint8_t)
TRACE(cmp2, std::uint16_t)
TRACE(cmp4, std::uint32_t)
TRACE(cmp8, std::uint64_t)
TRACE(const_cmp1, std::uint8_t)
TRACE(const_cmp2, std::uint16_t)
TRACE(const_cmp4, std::uint32_t)
TRACE(const_cmp8, std::uint64_t)

// cases: their number, the width in bits, then the constants. The nearest one above the value stands for all.
extern "C" void __real___sanitizer_cov_trace_switch(std::uint64_t, std::uint64_t*);
extern "C" void __wrap___sanitizer_cov_trace_switch(std::uint64_t value, std::uint64_t* cases) {
  if (executor.current) {
    if (!trace_compares()) return;
    for (std::uint64_t i = 0; i < cases[0] && i < 16; ++i) {
      if (cases[2 + i] != value) record_operands(CALLER + i, value, cases[2 + i], false);
    }
  }
  [[clang::musttail]] return __real___sanitizer_cov_trace_switch(value, cases);
}

// Floating-point comparisons: the bits as integers of the same order, so that the engine's distance means something.
namespace {
std::uint32_t ordered(std::uint32_t bits) { return bits & 0x80000000u ? ~bits : bits | 0x80000000u; }
std::uint64_t ordered(std::uint64_t bits) { return bits >> 63 ? ~bits : bits | 0x8000000000000000ull; }
template <class To, class From>
To as(From from) {
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}
}  // namespace

extern "C" __attribute__((used)) void warpfuzz_fcmp32_bits(std::uint32_t a, std::uint32_t b) {
  if (executor.current) {
    if (!trace_compares()) return;
    if (a != b)
      record_operands(CALLER, as<std::uint64_t>(double{as<float>(a)}), as<std::uint64_t>(double{as<float>(b)}), true);
  }
  a = ordered(a);
  b = ordered(b);
  [[clang::musttail]] return __real___sanitizer_cov_trace_cmp4(a, b);
}
extern "C" __attribute__((used)) void warpfuzz_fcmp64_bits(std::uint64_t a, std::uint64_t b) {
  if (executor.current) {
    if (!trace_compares()) return;
    if (a != b) record_operands(CALLER, a, b, true);
  }
  a = ordered(a);
  b = ordered(b);
  [[clang::musttail]] return __real___sanitizer_cov_trace_cmp8(a, b);
}

// The operands move to integer registers and the call goes on without a frame of its own.
extern "C" __attribute__((naked)) void __warpfuzz_fcmp32(float, float) {
  asm("movd %xmm0, %edi\n\tmovd %xmm1, %esi\n\tjmp warpfuzz_fcmp32_bits");
}
extern "C" __attribute__((naked)) void __warpfuzz_fcmp64(double, double) {
  asm("movq %xmm0, %rdi\n\tmovq %xmm1, %rsi\n\tjmp warpfuzz_fcmp64_bits");
}
