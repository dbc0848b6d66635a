// Makes a failing case simpler while its fault class stays the same. In the process, so only for faults that the
// process survives; `warpfuzz shrink` drives the same candidates from outside for the others.
#pragma once
#include <functional>
#include <vector>

#include "pipeline/run_case.h"

namespace warpfuzz {

struct Shrunk {
  CaseResult best;
  int attempts = 0, accepted = 0;
  bool complete = false;     // nothing simpler fails; false: the time was up
  std::vector<Bytes> cases;  // what it began with, then each simpler case that was accepted
};
// on_step is called with each simpler case that was accepted.
Shrunk shrink(const Target& target, Backend& backend, const CaseResult& start, double seconds,
              const std::function<void(const CaseResult&)>& on_step);

}  // namespace warpfuzz
