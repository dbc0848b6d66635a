// Whether the code that ships fails in the same way.
#pragma once
#include "findings/finding.h"
#include "pipeline/run_case.h"

namespace warpfuzz {

// Runs the case with the build that has no instrumentation, and writes into the finding what came of it. False where there is no such build
// (kernels run on the CPU), or nothing to confirm.
bool confirm_by_plain_build(const Target& target, Backend& backend, const TestCase& c, Finding& f);

}  // namespace warpfuzz
