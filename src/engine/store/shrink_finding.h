// The simplest version of a finding: shrunk in this process, and what is kept fails in a process of its own.
#pragma once
#include <functional>
#include <string>

#include "findings/finding.h"
#include "pipeline/run_case.h"

namespace warpfuzz {

// The build that a finding of this class is shrunk with: one that survives the fault. Null: none does.
Backend* shrinking_backend(Backend& backend, FaultClass fault);

struct ShrinkPlan {
  const Target& target;
  Backend& backend;    // that the finding is of
  Backend& survives;   // runs the smaller cases
  std::string folder;  // can be written; nothing stays there
  int timeout = 0;     // libFuzzer's limit for a case together with all that follows from it, in seconds; 0: none
  std::function<void(const Finding&)> on_step;  // with each simpler version, before the next is tried
};
Finding shrink_finding(const ShrinkPlan& plan, const CaseResult& r, const Finding& unshrunk);

}  // namespace warpfuzz
