// Read first in every source that warpfuzz_device_pass.so instruments (-include): the module's variables, the request to the
// pass, the runtime. Everything is static: each translation unit is a device module of its own.
//   WARPFUZZ_DEVICE_COVERAGE=1   edges and compares        WARPFUZZ_DEVICE_CHECKS=1   bounds of global memory accesses
//   WARPFUZZ_DEVICE_COMPARES=0   without the compares, for measurements
#pragma once
#include "exec/cuda/state_block.h"

#ifndef WARPFUZZ_DEVICE_COVERAGE
#define WARPFUZZ_DEVICE_COVERAGE 0
#endif
#ifndef WARPFUZZ_DEVICE_COMPARES
#define WARPFUZZ_DEVICE_COMPARES 1
#endif
#ifndef WARPFUZZ_DEVICE_CHECKS
#define WARPFUZZ_DEVICE_CHECKS 0
#endif
// Compares and words of edges that a function keeps in registers, and the most registers of kernels that don't state their block size;
// 0: as many as ptxas likes (cmake/compile_instrumented.cmake).
#ifndef WARPFUZZ_COMPARE_REGISTERS
#define WARPFUZZ_COMPARE_REGISTERS 24
#endif
#ifndef WARPFUZZ_EDGE_WORDS
#define WARPFUZZ_EDGE_WORDS 8
#endif
#ifndef WARPFUZZ_REGISTER_LIMIT
#define WARPFUZZ_REGISTER_LIMIT 0
#endif

namespace wf_device {
using u64 = unsigned long long;
using u32 = unsigned;
inline constexpr u32 kScratchBytes = 256;  // the pass leaves larger copies where they are
#define WF_POISON_4 0x7fff7fff7fff7fffull, 0x7fff7fff7fff7fffull, 0x7fff7fff7fff7fffull, 0x7fff7fff7fff7fffull
#define WF_POISON_16 WF_POISON_4, WF_POISON_4, WF_POISON_4, WF_POISON_4
#define WF_POISON {WF_POISON_16, WF_POISON_16}
}  // namespace wf_device

#ifdef WARPFUZZ_DEVICE_HOST_TEST
#define WF_MODE_HOST warpfuzz::cuda::kModeHostTest
#else
#define WF_MODE_HOST 0
#endif

namespace wf_device {
#ifdef WARPFUZZ_DEVICE_HOST_TEST
#include "host.h"
#else
#include "gpu.h"
#endif

WF_CONSTANT u64 wf_state;      // address of this module's state block
WF_CONSTANT u32 wf_slot_base;  // high word of the first tensor's addresses
// In: what the pass is to do. Out: what it did (CountIndex).
WF_DEVICE u32 wf_counts[warpfuzz::cuda::kCountSize] = {
    warpfuzz::cuda::kRequestMagic,
    (WARPFUZZ_DEVICE_COVERAGE ? warpfuzz::cuda::kModeCoverage : 0) |
        (WARPFUZZ_DEVICE_CHECKS ? warpfuzz::cuda::kModeChecks : 0) |
        (WARPFUZZ_DEVICE_COMPARES ? 0 : warpfuzz::cuda::kModeNoCompares) | WF_MODE_HOST,
    WARPFUZZ_COMPARE_REGISTERS, WARPFUZZ_EDGE_WORDS, WARPFUZZ_REGISTER_LIMIT};

#ifndef WARPFUZZ_DEVICE_HOST_TEST
}  // namespace wf_device
// The executor's: called for each translation unit before main, needs no device.
void warpfuzz_cuda_register_module(const warpfuzz::cuda::ModuleSymbols& symbols);
namespace wf_device {
namespace {
// Before the functions that use the variables: what the host refers to keeps its name and is never taken for a constant.
struct Registration {
  Registration() { warpfuzz_cuda_register_module({&wf_state, &wf_slot_base, wf_counts}); }
};
const Registration registration;
}  // namespace
#endif

#include "runtime.h"
}  // namespace wf_device
