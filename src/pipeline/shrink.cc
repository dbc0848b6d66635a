#include "pipeline/shrink.h"

#include <chrono>

#include "oracle/severity.h"
#include "pipeline/variant_probe.h"
#include "schema/mutate/mutate.h"

namespace warpfuzz {

Shrunk shrink(const Target& target, Backend& backend, const CaseResult& start, double seconds,
              const std::function<void(const CaseResult&)>& on_step) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  const auto as_severe = [&](const CaseResult& r) {
    return stands_for(r.fault, worst_ratio(r.verdict), start.fault, worst_ratio(start.verdict));
  };
  const CaseResult ordinary = ordinary_form(target, backend, start);
  const CaseResult& from = as_severe(ordinary) ? ordinary : start;
  const VariantKeeper variant(target, backend, from);
  Shrunk s;
  s.best = from;
  s.cases.push_back(start.bytes);
  if (from.bytes != start.bytes) {
    s.accepted++;
    s.cases.push_back(from.bytes);
    if (on_step) on_step(s.best);
  }
  // A fault that only another order shows needs that run for every candidate.
  RunSettings settings;
  settings.every_check = start.step == Step::other_order;
  settings.extra_run_one_in = 0;
  settings.keep = Keep::findings;
  for (bool progress = true; progress;) {
    progress = false;
    const std::uint64_t complexity_now = complexity(target.schema(), s.best.test_case);
    for (const TestCase& candidate :
         shrink_candidates(target.schema(), s.best.test_case, {s.best.verdict.worst.tensor, s.best.verdict.worst.at})) {
      if (std::chrono::steady_clock::now() >= end) return s;
      if (complexity(target.schema(), candidate) >= complexity_now) continue;
      s.attempts++;
      CaseResult r = run_case(target, backend, candidate, settings);
      if (!as_severe(r) || !variant.keeps(r)) continue;
      s.best = std::move(r);
      s.accepted++;
      s.cases.push_back(s.best.bytes);
      if (on_step) on_step(s.best);
      progress = true;
      break;
    }
  }
  s.complete = true;
  return s;
}

}  // namespace warpfuzz
