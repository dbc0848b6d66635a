// What becomes of a failing case in a campaign: counted where it is known, else described, saved and shrunk; and how the
// campaign goes on behind it.
#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/exit_codes.h"
#include "base/hex.h"
#include "base/shell_text.h"
#include "engine/campaign.h"
#include "engine/fresh_run.h"
#include "exec/case_witness.h"
#include "findings/variant.h"
#include "numeric/hash.h"
#include "pipeline/shrink.h"
#include "pipeline/variant_probe.h"
#include "process/death/die.h"
#include "process/death/target_fault.h"
#include "process/say.h"
#include "process/screen.h"
#include "process/service_build.h"

namespace warpfuzz {
namespace {

// Of a key whose `special` variant is unknown each failing case with special values is asked for its variant, which costs up
// to four runs; behind the first ones a share of them is.
constexpr std::uint64_t kTriedAlways = 256, kTriedOneIn = 16;

constexpr const char* kUnsupported = "unsupported";  // stands for a key, of a case that cannot be run

}  // namespace

bool Campaign::restarts() const {
  return options_.restart && can_restart_ && !invocation_.replays() && !invocation_.merge && !invocation_.minimize &&
         !invocation_.fork_parent && !kServiceBuild;
}

void Campaign::take_up() {
  carried_ = take_over();
  tally_ = carried_.tally;
  for (const auto& [key, variants] : carried_.known)
    for (const auto& [variant, path] : variants) known_.add(key, variant, path);
}

void Campaign::read_known(const std::string& folder) {
  for (const std::string& error : known_.read(folder)) print(fmt::format("warpfuzz: {}\n", error));
}

// libFuzzer's own limit holds for a case together with all that follows from it.
double Campaign::seconds_of_shrinking(double most) const {
  return invocation_.timeout > 0 ? std::min(most, invocation_.timeout / 3.0) : most;
}

std::string Campaign::save(const Finding& f, const std::string& path) {
  const std::string error = write_wfz(path, f);
  if (!error.empty())
    print(fmt::format("warpfuzz: {}; the finding is not on disk, its case is: {}\n", error, to_hex(f.bytes)));
  return error;
}

// Before anything is described: a counted case costs what a passing one does. Only while a variant is missing a case with
// special values is looked at more closely.
bool Campaign::is_known(const CaseResult& r, const std::string& key) {
  if (!known_.has(key)) return false;
  if (!has_variants(r.fault) || known_.is_full(key)) return true;
  const bool ordinary = known_.has(key, kOrdinary), special = known_.has(key, kSpecial);
  if (ordinary && special) return true;
  if (has_ordinary_inputs(target_, r)) return ordinary;
  if (special) return true;  // a case of ordinary inputs will come, if there is one
  const std::uint64_t tried = tried_[key]++;
  if (tried >= kTriedAlways && mix64(hash_bytes(r.bytes.data(), r.bytes.size())) % kTriedOneIn != 0) return true;
  return known_.has(key, find_variant(target_, backend_, r));
}

void Campaign::count_known(const std::string& key) {
  const std::lock_guard lock(counting_);
  ++tally_.keys[key];
}

int Campaign::on_finding(CaseResult r) {
  const std::string key = bucket_key(target_.name, r.fault, r.place.kernel);
  counts_.found(key);
  const auto counted = [&] {
    count_known(key);
    return -1;
  };
  if (counts_known() && is_known(r, key)) {
    scratch_.take_back(r);
    return counted();
  }
  if (counts_known()) {  // it was judged to be counted: once more, described and with its evidence
    RunSettings settings;
    settings.keep = Keep::findings;
    settings.extra_run_one_in = options_.extra_run_one_in;
    settings.checked_run_one_in = options_.checked_run_one_in;
    r = run_case(target_, backend_, r.test_case, settings);
  }
  if (invocation_.replays()) {
    if (!exits_by_trap) return ++replay_failures_, 0;
  } else {
    Finding f = describe_finding(r);
    f.variant = find_variant(target_, backend_, r);
    print(fmt::format("warpfuzz: {} at execution {}: {}\n", key, tally_.executions, f.summary));
    save_and_shrink(r, std::move(f), key);
  }
  if (counts_known()) return counted();
  print(fmt::format("DEDUP_TOKEN: {}\n", key));
  leave_nothing_open();
  before_engine_dies();
  die(r.fault);
}

// The path that it was written to, "" where it was not. Of several processes that work in one folder the first one writes.
std::string Campaign::save_new(const Finding& f, const std::string& key) {
  const FolderLock lock(folder_);
  if (looks_before_saving()) {
    read_known(folder_);
    if (const std::string known = known_.file_of(key, f.variant); !known.empty()) {
      print(
          fmt::format("warpfuzz: {} is known{}: {} shows it\n", key, f.variant.empty() ? "" : ", " + f.variant, known));
      return {};
    }
  }
  const std::string path = fmt::format("{}/{}", folder_, wfz_name(f));
  const bool on_disk = save(f, path).empty();
  known_.add(key, f.variant, on_disk ? path : "");
  return on_disk ? path : "";
}

void Campaign::save_and_shrink(const CaseResult& r, Finding f, const std::string& key) {
  Backend* shrinks = options_.shrink ? shrinking_backend(f.fault) : nullptr;
  if (options_.shrink && !shrinks) f.attributes["unshrunk"] = "no build of this target survives the fault";
  std::string replay = replay_command();
  const std::string path = saves() ? save_new(f, key) : "";
  if (path.empty()) {
    if (const std::string known = known_.file_of(key, f.variant); !known.empty()) replay = replay_command(known);
    known_.add(key, f.variant, "");
    return print(report(f, replay));
  }
  bool on_disk = true;
  log_ = log_beside(path);
  replay = replay_command(path);
  if (shrinks) {
    f = simplest(r, f, *shrinks, path);
    on_disk = save(f, path).empty();
  }
  if (confirm(decode(target_.schema(), f.bytes), f)) on_disk = save(f, path).empty();
  print(report(f, replay));
  if (on_disk) print(fmt::format("warpfuzz: reproducer written to {}\n", path));
}

// A second call on the same buffers is the shortest past that a case can bring along: the finding of it, where it fails alone.
std::optional<Finding> Campaign::called_twice(const Finding& f, FreshRuns& fresh) {
  TestCase c = decode(target_.schema(), f.bytes);
  if (c.calls) return {};
  c.calls = 1;
  repair(target_.schema(), c);
  if (!c.calls || fresh.run(encode(target_.schema(), c)) != Afresh::fails || !fresh.finding()) return {};
  Finding twice = *fresh.finding();
  twice.variant = f.variant;
  twice.executions = f.executions;
  twice.seed = f.seed;
  return twice;
}

// The simplest version of a finding that still fails in a process of its own; each step on the way is on disk before the next.
Finding Campaign::simplest(const CaseResult& r, const Finding& unshrunk, Backend& backend, const std::string& path) {
  const auto described = [&](const CaseResult& simpler) {
    Finding g = describe_finding(simpler);
    g.variant = unshrunk.variant;
    g.executions = unshrunk.executions;
    return g;
  };
  const Shrunk s = shrink(target_, backend, r, seconds_of_shrinking(5),
                          [&](const CaseResult& better) { save(described(better), path); });
  print(fmt::format("warpfuzz: shrunk in {} attempts, {} accepted{}\n", s.attempts, s.accepted,
                    s.complete ? "" : " (stopped by the clock)"));
  Finding f = s.accepted ? described(s.best) : unshrunk;
  if (kServiceBuild) return f;  // a service runs each input afresh by itself, and may not let a target start processes
  // What differs from run to run on a device may differ from process to process as well: it gets three chances.
  const bool by_chance = !backend_.orders() && (f.fault == FaultClass::race || f.fault == FaultClass::nondeterministic);
  FreshRuns fresh(f.fault, folder_, seconds_of_shrinking(10));
  LastWord word = last_word(s.cases.size(), [&](std::size_t i) {
    Afresh answer = fresh.run(s.cases[i]);
    for (int again = 0; by_chance && answer == Afresh::passes && again < 2; ++again) answer = fresh.run(s.cases[i]);
    return answer;
  });
  if (word.needs_others)
    if (std::optional<Finding> twice = called_twice(unshrunk, fresh)) {
      f = *std::move(twice);
      word = {s.cases.size(), "made to call the kernel twice: with one call it failed only after other cases"};
      f.attributes["unshrunk"] = "its smaller cases failed only after other cases";
    }
  if (word.kept + 1 < s.cases.size()) {  // as the process saw it that it failed in: here it may not fail again
    f = word.kept > 0 && fresh.finding() ? *fresh.finding() : unshrunk;
    f.variant = unshrunk.variant;
    f.executions = unshrunk.executions;
    f.seed = unshrunk.seed;
  }
  if (!word.history.empty()) {
    f.attributes["history"] = word.history + (fresh.trouble().empty() ? "" : fmt::format(" ({})", fresh.trouble()));
    print(fmt::format("warpfuzz: history: {}\n", f.attributes["history"]));
  }
  return f;
}

// Only this case: others may take another way through the launcher. Where nothing else ever ran, nothing is tested.
int Campaign::on_unsupported(const CaseResult& r) {
  const std::string construct = unsupported_construct(r);
  if (invocation_.replays()) {
    print(fmt::format("{}\n", construct));
    in_flight_.close();
    std::_Exit(kExitUnsupported);
  }
  if (tally_.unsupported_by[construct] == 1) print(fmt::format("{}; such cases are counted and not run\n", construct));
  if (mutates_ && tally_.executions >= kFirstCases && tally_.unsupported == tally_.executions) {
    ran_nothing();
    in_flight_.close();
    if (before_death) before_death();
    std::_Exit(kExitUnsupported);
  }
  return -1;
}

bool Campaign::ran_nothing() const {
  if (!tally_.unsupported || tally_.unsupported != tally_.executions || invocation_.replays() || invocation_.merge ||
      invocation_.minimize)
    return false;
  print(
      fmt::format("{}; none of the {} cases could be run\n", tally_.unsupported_by.begin()->first, tally_.executions));
  return true;
}

// A case that ended a process of this campaign would end this one too.
bool Campaign::ended_a_process(std::span<const std::uint8_t> bytes) {
  if (carried_.fatal.empty()) return false;
  const auto at = carried_.fatal.find(hash_bytes(bytes.data(), bytes.size()));
  if (at == carried_.fatal.end()) return false;
  tally_.executions++;
  counts_.executed();
  if (at->second == kUnsupported) {
    tally_.unsupported++;
    return true;
  }
  tally_.keys[at->second]++;
  counts_.found(at->second);
  return true;
}

void Campaign::on_fatal(const ExecStatus& status, bool sanitizer_first) {
  if (dying_.exchange(true)) return;
  const std::string key = bucket_key(target_.name, status.fault, status.place.kernel);
  counts_.executed();
  counts_.found(key);
  if (counts_known() && known_.has(key)) begin_anew_after(key);
  Finding f = build_finding(target_, backend_, current_, status);
  f.executions = tally_.executions + 1;
  f.seed = invocation_.seed;
  std::string replay = replay_command(), written;
  if (saves()) {
    f.attributes["unshrunk"] = "its process ended";
    const std::string path = save_new(f, key), shows = known_.file_of(key, f.variant);
    if (!path.empty()) log_ = log_beside(path);
    if (!path.empty())
      written = fmt::format("warpfuzz: reproducer written to {}; `{} shrink {}` makes it smaller\n", path,
                            command_path(), shell_word(path));
    if (!shows.empty()) replay = replay_command(shows);
  }
  const std::string said = report(f, replay) + written, token = fmt::format("DEDUP_TOKEN: {}\n", key);
  known_.add(key, f.variant, "");
  const bool later = sanitizer_first && !counts_known() && print_after_sanitizer(said + last_statistics() + token);
  if (!later) print(said);
  if (counts_known()) begin_anew_after(key);
  if (!later) print(token);
  leave_nothing_open();
}

// Comes back where the process has to end after all.
void Campaign::begin_anew_after(const std::string& key) {
  if (!restarts()) return;
  tally_.executions++;
  if (key == kUnsupported) tally_.unsupported++;
  else count_known(key);
  carried_.deaths++;
  carried_.in_vain = completed_ ? 0 : carried_.in_vain + 1;
  if (carried_.fatal.size() < kMostFatal) carried_.fatal[hash_bytes(current_.data(), current_.size())] = key;
  in_flight_.close();
  if (before_death) before_death();
  if (carried_.in_vain >= kMostInVain) {
    print(fmt::format(
        "warpfuzz: {} processes in a row ended before one case ran to its end, the last by {}: the campaign ends; mend that first, or "
        "narrow the target\n",
        carried_.in_vain, key));
    print_statistics();
    std::_Exit(ran_nothing() ? kExitUnsupported : kExitFinding);
  }
  const auto arguments = remaining_arguments(invocation_, carried_, tally_.executions - carried_.tally.executions);
  print(fmt::format("warpfuzz: {} ended the process at execution {} ({} so far); {}\n", key, tally_.executions,
                    carried_.deaths, arguments ? "it begins anew" : "nothing is left to do"));
  if (!arguments) {
    print_statistics();
    std::_Exit(ran_nothing() ? kExitUnsupported : kExitOk);
  }
  carried_.tally = tally_;
  carried_.known = known_.keys();
  can_restart_ = false;
  print(fmt::format("warpfuzz: {}\n", begin_anew(invocation_, *arguments, carried_)));
}

std::string Campaign::keep_case() {
  std::string path;
  if (in_case_ && saves()) {
    path = fmt::format("{}/target-error-{:08x}", folder_,
                       static_cast<std::uint32_t>(hash_bytes(current_.data(), current_.size())));
    if (const std::string error = write_file(path, current_); !error.empty()) {
      print(fmt::format("warpfuzz: {}\n", error));
      path.clear();
    }
  }
  in_case_ = false;
  dying_ = true;
  in_flight_.close();
  if (before_death) before_death();
  return path;
}

bool Campaign::on_early_end(const char* how) {
  blame_target_code(fmt::format("called {}", how));
  if (!in_case_ || dying_) return false;
  in_case_ = false;
  const ExecStatus* status = running_case(backend_);
  if (status && status->fault == FaultClass::unsupported) return on_unsupported_end(*status, how);
  if (status && status->fault != FaultClass::none) {
    ExecStatus fault = *status;
    fault.message += fmt::format(" (the launcher then ended the process with {})", how);
    on_fatal(fault);
    return true;
  }
  print(fmt::format(
      "warpfuzz: target error: the {} called {} in the middle of a case, with no fault of the kernel on record; the "
      "case is kept with libFuzzer's artifact\n",
      status ? "launcher" : "reference", how));
  return false;
}

// A launcher that checks for errors ends the process where the executor refused a call.
bool Campaign::on_unsupported_end(const ExecStatus& status, const char* how) {
  CaseResult r;
  r.fault = status.fault, r.place = status.place, r.message = status.message;
  const std::string construct = unsupported_construct(r);
  if (++tally_.unsupported_by[construct] == 1 || invocation_.replays())
    print(fmt::format("{}; the launcher then ended the process with {}\n", construct, how));
  dying_ = true;
  begin_anew_after(kUnsupported);
  in_flight_.close();
  if (before_death) before_death();
  std::_Exit(kExitUnsupported);
}

}  // namespace warpfuzz
