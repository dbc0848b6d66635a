// What a finding records of a case's tensors, and a run of today beside it.
#pragma once
#include <string>
#include <vector>

#include "findings/finding.h"
#include "pipeline/run_case.h"

namespace warpfuzz {

// The inputs and outputs of a result into those of a finding; workspaces are left out.
void snapshot_tensors(const Target& target, const CaseResult& r, Finding& f);

// Inputs of a finding as run_case takes them (for reproducers whose decoder has moved on).
std::vector<CallInput> inputs_of(const Target& target, const TestCase& c, const Finding& f, std::string& error);

// A replay against what its reproducer recorded. NaNs are one value.
struct Comparison {
  bool inputs_identical = true;
  std::uint64_t different_outputs = 0, total_outputs = 0;
};
Comparison compare_replay(const Target& target, const CaseResult& now, const Finding& recorded);

// Hash over all outputs of a result, NaNs as one value.
std::uint64_t output_hash(const Target& target, const CaseResult& result);

}  // namespace warpfuzz
