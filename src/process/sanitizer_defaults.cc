// Defaults of the sanitizers' options; ASAN_OPTIONS overrides each.
#include "process/sanitizer_defaults.h"

#include <array>
#include <cstddef>

#include "base/exit_codes.h"

namespace {

// The text with the code of a finding in place of its first "NN". Made by the compiler: a sanitizer asks before anything runs.
template <std::size_t N>
consteval std::array<char, N> with_finding_code(const char (&text)[N]) {
  static_assert(warpfuzz::kExitFinding >= 10 && warpfuzz::kExitFinding < 100);
  std::array<char, N> result = std::to_array(text);
  for (std::size_t i = 1; i < N; ++i) {
    if (text[i - 1] != 'N' || text[i] != 'N') continue;
    result[i - 1] = static_cast<char>('0' + warpfuzz::kExitFinding / 10);
    result[i] = static_cast<char>('0' + warpfuzz::kExitFinding % 10);
    break;
  }
  return result;
}

// malloc_context_size: a stack for each allocation costs more than the allocation, and tensors are no heap blocks anyway.
// exitcode: that of a finding of any kind. Leaks: the executor accounts for the launcher's allocations itself. Fake stacks
// know nothing of fibers.
constexpr auto kAddress = with_finding_code(
    "exitcode=NN:detect_leaks=0:detect_stack_use_after_return=0:allocator_may_return_null=1:quarantine_size_mb=32:malloc_context_size=2:"
    "handle_abort=0:symbolize=1:print_legend=0:print_module_map=0"
#ifdef WARPFUZZ_SYMBOLIZER
    ":external_symbolizer_path=" WARPFUZZ_SYMBOLIZER
#endif
);
constexpr auto kUndefined = with_finding_code("exitcode=NN:print_stacktrace=1");

}  // namespace

extern "C" __attribute__((used, visibility("default"))) const char* __asan_default_options() { return kAddress.data(); }

// Of a build with UndefinedBehaviorSanitizer alone: its runtime ends a process that trapped.
extern "C" __attribute__((used, visibility("default"))) const char* __ubsan_default_options() {
  return kUndefined.data();
}

namespace warpfuzz {
void use_sanitizer_defaults() {}
}  // namespace warpfuzz
