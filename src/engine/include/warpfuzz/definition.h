// What WARPFUZZ_TARGET defines, one in a binary. Apart from target.h, which needs CUDA's headers.
#pragma once
#include "exec/launch.h"
#include "ops/spec.h"

namespace warpfuzz {

struct TargetDefinition {
  const char* name;
  TargetSpec spec;
  void (*launcher)(const Launch&);
};

}  // namespace warpfuzz

namespace warpfuzz_target {
const warpfuzz::TargetDefinition& definition();
}
