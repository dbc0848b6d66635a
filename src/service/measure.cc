// Commands that run many cases: random ones for statistics, the same one for its times, one for its features.
#include <algorithm>

#include <fmt/format.h>

#include "exec/device_builds.h"
#include "findings/finding.h"
#include "numeric/hash.h"
#include "pipeline/feedback.h"
#include "pipeline/options.h"
#include "pipeline/tally.h"
#include "schema/mutate/mutate.h"
#include "service/commands.h"

namespace warpfuzz {
namespace {

Features features(Serving& s, const FeaturesRequest& q) {
  RunSettings settings;
  settings.extra_run_one_in = options().extra_run_one_in;
  clear_features();
  s.current = q.bytes;
  const CaseResult r = run_case(s.target, s.backend, s.current, settings);
  add_features(s.target.schema(), r);
  std::vector<std::uint32_t> all = current_features();
  constexpr std::uint32_t kDeviceFeatures = 1u << 24;  // behind all others
  for (const std::uint32_t f : s.backend.device_features()) all.push_back(kDeviceFeatures + f);
  return {std::move(all), r.fault};
}

RandomTally random_cases(Serving& s, const RandomRequest& q) {
  const Target target = s.with_dtype(q.dtype);
  RunSettings settings;
  settings.extra_run_one_in = options().extra_run_one_in;
  Tally tally;
  std::uint64_t first = 0;
  for (std::uint64_t i = 0; i < q.cases; ++i) {
    s.executions = i + 1;
    const std::uint64_t case_seed = hash_combine(q.seed, q.first.value_or(0) + i);
    const CaseResult r = q.sampling == Sampling::paper ? run_paper_case(s, target, case_seed, settings)
                                                       : s.run(target, random_case(case_seed), settings);
    tally.add(r);
    if (r.fault == FaultClass::none) continue;
    tally.keys[bucket_key(s.target.name, r.fault, r.place.kernel)]++;
    if (!first) first = i + 1;
    if (q.stop.value_or(true)) break;
  }
  RandomTally out{tally.executions, first,       tally.keys,     {}, tally.wholly_unspecified, tally.exact,
                  tally.elements,   tally.drift, tally.max_ratio};
  for (int i = 1; i < kReasonCount; ++i)
    if (tally.unspecified[i])
      out.unspecified[reason_name(static_cast<Reason>(i))] =
          static_cast<double>(tally.unspecified[i]) / static_cast<double>(tally.elements);
  return out;
}

Profile profile(Serving& s, const ProfileRequest& q) {
  const int repeat = std::max(1, q.repeat.value_or(5));
  RunSettings settings;
  settings.extra_run_one_in = 0;
  Profile out;
  for (const Bytes& bytes : q.cases) {
    // The execution of median total time: means would show what else the machine did.
    std::vector<StageTimes> runs;
    Scratch scratch;
    settings.scratch = &scratch;
    for (int i = -1; i < repeat; i++) {  // the first one warms up
      CaseResult r = s.run(s.target, bytes, settings);
      if (i >= 0) runs.push_back(r.times);
      scratch.take_back(r);
    }
    const auto middle = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
    std::nth_element(runs.begin(), middle, runs.end(),
                     [](const StageTimes& a, const StageTimes& b) { return a.total < b.total; });
    const StageTimes t = *middle;
    const std::uint64_t known = t.decode + t.fill + t.kernel + t.reference + t.judge;
    out.profile.push_back({summary(s.target.schema(), decode(s.target.schema(), bytes)), t.decode, t.fill, t.kernel,
                           t.reference, t.judge, t.total - std::min(known, t.total), t.total});
  }
  return out;
}

// Executions per second on the device, of this build or another: the loop alone, one case over and over.
Rate rate(Serving& s, const RateRequest& q) {
  static constexpr std::pair<const char*, OtherBuild> kBuilds[] = {
      {"plain", OtherBuild::plain}, {"checked", OtherBuild::checked}, {"bare", OtherBuild::bare}};
  const std::string build = q.build.value_or("");
  Backend* backend = build.empty() ? &s.backend : nullptr;
  for (const auto& [name, which] : kBuilds)
    if (build == name) backend = other_build(s.backend, which);
  if (!backend)
    throw std::runtime_error(
        fmt::format("build: expected plain, checked or bare of a binary that has them, got '{}'", build));
  RunSettings settings;
  settings.extra_run_one_in = settings.checked_run_one_in = 0;
  const TestCase c = decode(s.target.schema(), q.bytes);
  run_case(s.target, *backend, c, settings);
  DeviceBuilds* builds = backend->device_builds();
  const double rate = builds ? builds->repeat(std::clamp(q.seconds.value_or(1), 0.01, 60.0)) : 0;
  if (rate == 0)
    throw std::runtime_error(fmt::format("the {} backend has no loop of its own to measure", s.backend.name()));
  return {rate, backend->device()};
}

constexpr NamedCommand kCommands[] = {command<features>(), command<random_cases>(), command<profile>(),
                                      command<rate>()};

}  // namespace

std::span<const NamedCommand> measure_commands() { return kCommands; }

}  // namespace warpfuzz
