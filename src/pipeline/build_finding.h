// From the result of a case to a finding: a projection of the result and its evidence. Nothing runs here and nothing is judged.
#pragma once
#include "findings/finding.h"
#include "pipeline/run_case.h"

namespace warpfuzz {

// The result of a case that fails must hold its evidence (RunSettings::keep).
Finding build_finding(const Target& target, const Backend& backend, const CaseResult& result);
// A fault that is about to kill the process: only the bytes and the executor's status are known.
Finding build_finding(const Target& target, const Backend& backend, std::span<const std::uint8_t> bytes,
                      const ExecStatus& status);

}  // namespace warpfuzz
