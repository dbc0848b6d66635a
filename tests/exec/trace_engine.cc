// The engine's callbacks, noted instead of used. Not instrumented.
#include "trace_engine.h"

std::vector<EngineCall> engine_calls;

#define NOTE(a, b, size) \
  engine_calls.push_back({size, a, b, reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))})
extern "C" {
void __sanitizer_cov_trace_cmp1(std::uint8_t a, std::uint8_t b) { NOTE(a, b, 1); }
void __sanitizer_cov_trace_cmp2(std::uint16_t a, std::uint16_t b) { NOTE(a, b, 2); }
void __sanitizer_cov_trace_cmp4(std::uint32_t a, std::uint32_t b) { NOTE(a, b, 4); }
void __sanitizer_cov_trace_cmp8(std::uint64_t a, std::uint64_t b) { NOTE(a, b, 8); }
void __sanitizer_cov_trace_const_cmp1(std::uint8_t a, std::uint8_t b) { NOTE(a, b, 1); }
void __sanitizer_cov_trace_const_cmp2(std::uint16_t a, std::uint16_t b) { NOTE(a, b, 2); }
void __sanitizer_cov_trace_const_cmp4(std::uint32_t a, std::uint32_t b) { NOTE(a, b, 4); }
void __sanitizer_cov_trace_const_cmp8(std::uint64_t a, std::uint64_t b) { NOTE(a, b, 8); }
void __sanitizer_cov_8bit_counters_init(char*, char*) {}
void __sanitizer_cov_trace_switch(std::uint64_t value, std::uint64_t* cases) { NOTE(value, cases[0], 8); }
}
