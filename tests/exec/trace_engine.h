// What the stand-in for the fuzzing engine was told of comparisons.
#pragma once
#include <cstdint>
#include <vector>

struct EngineCall {
  unsigned size;
  std::uint64_t a, b;
  std::uintptr_t caller;
};
extern std::vector<EngineCall> engine_calls;
