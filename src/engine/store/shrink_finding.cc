// The simplest version of a finding, and shrinking's last word on it.
#include "engine/store/shrink_finding.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text/counted.h"
#include "engine/store/fresh_run.h"
#include "exec/device_builds.h"
#include "pipeline/build_finding.h"
#include "pipeline/shrink.h"
#include "process/say.h"
#include "process/service_build.h"

namespace warpfuzz {
namespace {

double seconds_of(const ShrinkPlan& plan, double most) {
  return plan.timeout > 0 ? std::min(most, plan.timeout / 3.0) : most;
}

// A version of a finding came up where the finding did.
Finding version_of(const Finding& unshrunk, Finding f) {
  f.variant = unshrunk.variant;
  f.executions = unshrunk.executions;
  f.seed = unshrunk.seed;
  return f;
}

// A second call on the same buffers is the shortest past that a case can bring along: the finding of it, where it fails alone.
std::optional<Finding> called_twice(const Target& target, const Finding& f, FreshRuns& fresh) {
  TestCase c = decode(target.schema(), f.bytes);
  if (c.calls) return {};
  c.calls = 1;
  repair(target.schema(), c);
  if (!c.calls || fresh.run(encode(target.schema(), c)) != Afresh::fails || !fresh.finding()) return {};
  return version_of(f, *fresh.finding());
}

// What differs from run to run on a device may differ from process to process as well: it gets three chances.
Afresh run_afresh(FreshRuns& fresh, const Bytes& bytes, bool by_chance) {
  Afresh answer = fresh.run(bytes);
  for (int again = 0; by_chance && answer == Afresh::passes && again < 2; ++again) answer = fresh.run(bytes);
  return answer;
}

// Which of the steps of shrinking is kept: as a fresh process saw it where the simplest one fails only in this process.
Finding settled(const ShrinkPlan& plan, const Finding& unshrunk, Finding simplest, const std::vector<Bytes>& cases) {
  const bool by_chance =
      !plan.backend.orders() && (unshrunk.fault == FaultClass::race || unshrunk.fault == FaultClass::nondeterministic);
  FreshRuns fresh(unshrunk.fault, plan.folder, seconds_of(plan, 10));
  LastWord word = last_word(cases.size(), [&](std::size_t i) { return run_afresh(fresh, cases[i], by_chance); });
  Finding f = std::move(simplest);
  if (word.needs_others)
    if (std::optional<Finding> twice = called_twice(plan.target, unshrunk, fresh)) {
      f = *std::move(twice);
      word = {cases.size(), "made to call the kernel twice: with one call it failed only after other cases"};
      f.attributes["unshrunk"] = "its smaller cases failed only after other cases";
    }
  if (word.kept + 1 < cases.size())  // as the process saw it that it failed in: here it may not fail again
    f = version_of(unshrunk, word.kept > 0 && fresh.finding() ? *fresh.finding() : unshrunk);
  if (!word.history.empty()) {
    f.attributes["history"] = word.history + (fresh.trouble().empty() ? "" : fmt::format(" ({})", fresh.trouble()));
    print(fmt::format("warpfuzz: history: {}\n", f.attributes["history"]));
  }
  return f;
}

}  // namespace

// On a device most faults end the server that ran the case: a simpler case is not worth a new one. Memory faults shrink in the
// build that survives them.
Backend* shrinking_backend(Backend& backend, FaultClass fault) {
  switch (aftermath(fault, backend.name())) {
    case Aftermath::survives: return &backend;
    case Aftermath::checked: return other_build(backend, OtherBuild::checked);
    case Aftermath::ends: return nullptr;
  }
  return nullptr;
}

Finding shrink_finding(const ShrinkPlan& plan, const CaseResult& r, const Finding& unshrunk) {
  const auto described = [&](const CaseResult& simpler) {
    return version_of(unshrunk, build_finding(plan.target, plan.backend, simpler));
  };
  const Shrunk s = shrink(plan.target, plan.survives, r, seconds_of(plan, 5),
                          [&](const CaseResult& better) { plan.on_step(described(better)); });
  print(fmt::format("warpfuzz: shrunk in {}, {} accepted{}\n",
                    counted(static_cast<std::uint64_t>(s.attempts), "attempt"), s.accepted,
                    s.complete ? "" : " (stopped by the clock)"));
  Finding simplest = s.accepted ? described(s.best) : unshrunk;
  if (kServiceBuild)
    return simplest;  // a service runs each input afresh by itself, and may not let a target start processes
  return settled(plan, unshrunk, std::move(simplest), s.cases);
}

}  // namespace warpfuzz
