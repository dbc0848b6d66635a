// Extra counters for libFuzzer: what edges cannot see. Every counter is a pure function of one execution.
#pragma once
#include "pipeline/run_case.h"

namespace warpfuzz {

// Sets the counters of one result. libFuzzer clears them before each execution.
void add_features(const Schema& schema, const CaseResult& result);
// All features that are set, in libFuzzer's terms: our counters, then bucketed edge counters of the kernel. For the tests
// that a feature depends on nothing but the case.
std::vector<std::uint32_t> current_features();
void clear_features();  // both kinds, as libFuzzer does before each execution

}  // namespace warpfuzz
