// Extra counters for libFuzzer: what edges cannot see. Every counter is a pure function of one execution.
#pragma once
#include "engine/run_case.h"

namespace warpfuzz {

// Sets the counters of one result. libFuzzer clears them before each execution.
void add_features(const Schema& schema, const CaseResult& result);
// The counters that are set, for tests.
std::vector<std::size_t> current_features();
void clear_features();

}  // namespace warpfuzz
