// assert() of device code. A failed one inside a kernel is a finding with its place; outside, it ends the process as usual.
// No include guard: like the C library's, each inclusion follows NDEBUG anew.
#undef assert
#ifndef WARPFUZZ_ASSERT_DECLARED
#define WARPFUZZ_ASSERT_DECLARED
namespace warpfuzz::cpu {
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line, int column,
                                   const char* function);
}
#endif
#ifdef NDEBUG
#define assert(...) (static_cast<void>(0))
#else
#define assert(...)                                                                                              \
  (static_cast<bool>(__VA_ARGS__)                                                                                \
       ? static_cast<void>(0)                                                                                    \
       : ::warpfuzz::cpu::assertion_failed(#__VA_ARGS__, __builtin_FILE(), __builtin_LINE(), __builtin_COLUMN(), \
                                           __PRETTY_FUNCTION__))
#endif
#ifndef static_assert
#ifndef __cplusplus
#define static_assert _Static_assert
#endif
#endif
