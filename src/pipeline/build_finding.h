// From the result of a case to a finding: evidence gathered once, for the campaign, replay and the line protocol alike.
#pragma once
#include "findings/finding.h"
#include "pipeline/run_case.h"

namespace warpfuzz {

Finding build_finding(const Target& target, const Backend& backend, const CaseResult& result);
// A fault that is about to kill the process: only the bytes and the executor's status are known.
Finding build_finding(const Target& target, const Backend& backend, std::span<const std::uint8_t> bytes,
                      const ExecStatus& status);

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
