// Running a target's reference, and what is asked of it before its word is taken.
#pragma once
#include <vector>

#include "exec/run.h"
#include "ops/op.h"
#include "pipeline/target.h"

namespace warpfuzz {

// The row of the tolerance table that judges a case of this target.
const ToleranceRow& row_of(const Target& target, const TestCase& c);

// The reference of one call's inputs, per tensor. explain may be null.
void run_reference(const Target& target, const TestCase& c, const ToleranceRow& row, const CallInput& in,
                   Explanation* explain, std::vector<Reference>& refs);
std::vector<Reference> run_reference(const Target& target, const TestCase& c, const CallInput& in);

// Runs the reference a second time, on purpose: nothing else tells a pure function from one that reads a clock or keeps a state, and a
// verdict that rests on such a one would be another one next time. A target error where it does not repeat `first` in every bit.
// The same run explains an element's allowance (explain may be null): which one is the worst is known only once `first` has judged, and
// since both agree in every bit, what explains the verdict is what judged.
void check_repeats(const Target& target, const TestCase& c, const ToleranceRow& row, const CallInput& in,
                   const std::vector<Reference>& first, Explanation* explain);

}  // namespace warpfuzz
