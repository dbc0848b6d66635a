// What becomes of a failing case in a campaign: counted where it is known, else described, saved and shrunk.
#include <cstdlib>

#include <fmt/format.h>

#include "base/exit_codes.h"
#include "base/shell_text.h"
#include "engine/campaign.h"
#include "engine/family.h"
#include "engine/store/shrink_finding.h"
#include "pipeline/build_finding.h"
#include "pipeline/variant_probe.h"
#include "process/say.h"
#include "process/screen.h"

namespace warpfuzz {

void Campaign::count_known(const std::string& key) {
  const std::lock_guard lock(counting_);
  ++tally_.keys[key];
}

int Campaign::on_finding(CaseResult r) {
  const std::string key = bucket_key(target_.name, r.fault, r.place.kernel);
  store_.found(key);
  if (counts_known_ && store_.knows(r, key)) {
    scratch_.take_back(r);
    count_known(key);
    return -1;
  }
  if (counts_known_)
    r = run_case(target_, backend_, r.test_case, settings(true));  // it was judged to be counted: once more
  Finding f = build_finding(target_, backend_, r);
  f.executions = tally_.executions;
  f.seed = invocation_.seed;
  f.variant = find_variant(target_, backend_, r);
  print(fmt::format("warpfuzz: {} at execution {}: {}\n", key, tally_.executions, f.summary));
  save_and_report(r, std::move(f), key);
  if (counts_known_) {
    count_known(key);
    return -1;
  }
  say_last("", key, false);
  tell_parent();
  die_by(r.fault);
}

void Campaign::save_and_report(const CaseResult& r, Finding f, const std::string& key) {
  Backend* survives = options_.shrink ? shrinking_backend(backend_, f.fault) : nullptr;
  if (options_.shrink && !survives) f.attributes["unshrunk"] = "no build of this target survives the fault";
  const std::string path = store_.save_new(f, key);
  if (path.empty()) return print(report(f, run_command(store_.file_of(key, f.variant))));
  log_ = log_beside(path);
  const bool on_disk = store_.settle(r, f, path, survives);
  print(report(f, run_command(path)));
  if (on_disk) print(fmt::format("warpfuzz: reproducer written to {}\n", path));
}

void Campaign::report_fatal(const ExecStatus& status, bool sanitizer_first) {
  const std::string key = bucket_key(target_.name, status.fault, status.place.kernel);
  store_.executed();
  store_.found(key);
  if (counts_known_ && store_.knows(key)) begin_anew_after(key);
  Finding f = build_finding(target_, backend_, current(), status);
  f.executions = tally_.executions + 1;
  f.seed = invocation_.seed;
  if (store_.writes()) f.attributes["unshrunk"] = "its process ended";
  const std::string path = store_.save_new(f, key);
  std::string text = report(f, run_command(store_.file_of(key, f.variant)));
  if (!path.empty()) {
    log_ = log_beside(path);
    text += fmt::format("warpfuzz: reproducer written to {}; `{} shrink {}` makes it smaller\n", path, command_path(),
                        shell_word(path));
  }
  if (counts_known_) {
    print(text);
    begin_anew_after(key);
    say_last("", key, false);
  } else {
    say_last(text, key, sanitizer_first);
  }
  tell_parent();
  leave_nothing_open();
}

// The process dies: its counts go to the parent that it may have.
void Campaign::tell_parent() const {
  if (store_.writes()) tell_family(tally_);
}

void Campaign::hide_engine(const std::string& last) {
  if (!log_.empty())
    leave_screen(log_, last + fmt::format("warpfuzz: the stack, and what else libFuzzer says: {}\n", log_));
}

// Only this case: others may take another way through the launcher. Where nothing else ever ran, nothing is tested.
int Campaign::on_unsupported(const CaseResult& r) {
  const std::string construct = unsupported_construct(r);
  if (tally_.unsupported_by[construct] == 1) print(fmt::format("{}; such cases are counted and not run\n", construct));
  if (mutates_ && tally_.executions >= kFirstCases && tally_.unsupported == tally_.executions) {
    ran_nothing();
    leave_nothing_open();
    std::_Exit(kExitUnsupported);
  }
  return -1;
}

void Campaign::on_refused_end(const std::string& construct, const char* how) {
  if (++tally_.unsupported_by[construct] == 1)
    print(fmt::format("{}; the launcher then ended the process with {}\n", construct, how));
  begin_anew_after(kUnsupported);
}

}  // namespace warpfuzz
