// A replay of files, and what is said of each.
#include "engine/replayer.h"

#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "base/exit_codes.h"
#include "engine/store/plain_build.h"
#include "pipeline/build_finding.h"
#include "pipeline/tally.h"
#include "pipeline/tensors/recorded_case.h"
#include "pipeline/variant_probe.h"
#include "process/say.h"
#include "process/screen.h"

namespace warpfuzz {

Replayer::Replayer(const Target& target, Backend& backend, const Options& options, const Invocation& invocation,
                   Behind behind)
    : Session(target, backend, options, invocation), behind_(behind) {}

void Replayer::name(Bytes bytes, const std::string& path) { files_.insert_or_assign(std::move(bytes), path); }

void Replayer::add(const std::string& path, const LoadedCase& loaded) {
  name(loaded.bytes, path);
  if (loaded.finding) recorded_.insert_or_assign(loaded.finding->bytes, *loaded.finding);
}

void Replayer::add_contents(const std::string& path, Bytes contents, const LoadedCase& loaded) {
  add(path, loaded);
  cases_.insert_or_assign(std::move(contents), loaded.bytes);
}

int Replayer::run(std::span<const std::uint8_t> bytes) {
  Bytes of_case(bytes.begin(), bytes.end());
  if (const auto file = cases_.find(of_case); file != cases_.end()) of_case = file->second;
  const auto at = recorded_.find(of_case);
  const Finding* recorded = at == recorded_.end() ? nullptr : &at->second;
  CaseResult r = replay(of_case, recorded);
  ++executions_;
  if (r.fault == FaultClass::unsupported) {
    print(fmt::format("{}\n", unsupported_construct(r)));
    leave_nothing_open();
    std::_Exit(kExitUnsupported);
  }
  const Finding f = describe(r, recorded);
  if (r.fault == FaultClass::none)
    print(fmt::format("warpfuzz: no finding: {}{}\n", f.summary,
                      r.drift ? " (drift: only the tight bound was left)" : ""));
  else print(report(f, command()));
  if (recorded) compare(r, f, *recorded);
  if (r.fault == FaultClass::none) {
    scratch_.take_back(r);
  } else if (behind_ == Behind::next_file) {
    ++failures_;
  } else {
    say_last("", bucket_key(target_.name, r.fault, r.place.kernel), false);
    die_by(r.fault);
  }
  return 0;
}

CaseResult Replayer::replay(std::span<const std::uint8_t> bytes, const Finding* recorded) {
  RunSettings settings;
  settings.every_check = settings.repeat_reference = true;
  settings.keep = Keep::findings;
  settings.scratch = &scratch_;
  std::vector<CallInput> stored_inputs;
  if (recorded) {
    std::string error;
    stored_inputs = inputs_of(target_, decode(target_.schema(), bytes), *recorded, error);
    if (error.empty()) settings.inputs = &stored_inputs;
    else print(fmt::format("warpfuzz: {}; its bytes are replayed by the rules of today\n", error));
  }
  return run_watched(bytes, settings);
}

Finding Replayer::describe(const CaseResult& r, const Finding* recorded) {
  Finding f = build_finding(target_, backend_, r);
  if (recorded) {
    f.executions = recorded->executions;
    f.seed = recorded->seed;
    f.created = recorded->created;
  }
  f.variant = find_variant(target_, backend_, r);
  confirm_by_plain_build(target_, backend_, r.test_case, f);
  return f;
}

void Replayer::compare(const CaseResult& r, const Finding& f, const Finding& recorded) const {
  if (recorded.target != target_.name)
    print(fmt::format("warpfuzz: this is a reproducer of target {}, replayed on target {} of the same op\n",
                      recorded.target, target_.name));
  const std::string then = bucket_key(target_.name, recorded.fault, recorded.place.kernel),
                    now = r.fault == FaultClass::none ? "no finding" : bucket_key(f);
  const Comparison c = compare_replay(target_, r, recorded);
  print(fmt::format("warpfuzz: recorded {}, now {}: {}; inputs {}; {} of {} outputs differ\n", then, now,
                    then == now ? "reproduced" : "NOT reproduced", c.inputs_identical ? "bit-identical" : "differ",
                    c.different_outputs, c.total_outputs));
}

std::string Replayer::command() const {
  const auto named = files_.find(current());
  return run_command(named == files_.end() ? "" : named->second);
}

void Replayer::report_fatal(const ExecStatus& status, bool sanitizer_first) {
  Finding f = build_finding(target_, backend_, current(), status);
  f.executions = executions_ + 1;
  f.seed = invocation_.seed;
  say_last(report(f, command()), bucket_key(target_.name, status.fault, status.place.kernel), sanitizer_first);
  leave_nothing_open();
}

void Replayer::on_refused_end(const std::string& construct, const char* how) {
  print(fmt::format("{}; the launcher then ended the process with {}\n", construct, how));
}

void Replayer::hide_engine(const std::string& last) { leave_screen("/dev/null", last); }

}  // namespace warpfuzz
