// Defaults of the sanitizers' options; ASAN_OPTIONS overrides each.
#include "process/sanitizer_defaults.h"

// malloc_context_size: a stack for each allocation costs more than the allocation, and tensors are no heap blocks anyway.
// exitcode: a finding of any kind is 77. Leaks: the executor accounts for the launcher's allocations itself. Fake stacks
// know nothing of fibers.
extern "C" __attribute__((used, visibility("default"))) const char* __asan_default_options() {
  return "exitcode=77:detect_leaks=0:detect_stack_use_after_return=0:allocator_may_return_null=1:quarantine_size_mb=32:malloc_context_size=2:"
         "handle_abort=0:symbolize=1:print_legend=0:print_module_map=0"
#ifdef WARPFUZZ_SYMBOLIZER
         ":external_symbolizer_path=" WARPFUZZ_SYMBOLIZER
#endif
      ;
}

// Of a build with UndefinedBehaviorSanitizer alone: its runtime ends a process that trapped.
extern "C" __attribute__((used, visibility("default"))) const char* __ubsan_default_options() {
  return "exitcode=77:print_stacktrace=1";
}

namespace warpfuzz {
void use_sanitizer_defaults() {}
}  // namespace warpfuzz
