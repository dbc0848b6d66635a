#include "engine/campaign.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "engine/early_end.h"
#include "engine/feedback.h"
#include "engine/fresh_run.h"
#include "engine/hang.h"
#include "engine/service_build.h"
#include "engine/shrink.h"
#include "engine/target_fault.h"
#include "findings/exit_codes.h"
#include "findings/hex.h"
#include "numeric/hash.h"
#include "schema/target_code.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t*, std::size_t, std::size_t) __attribute__((weak));

namespace warpfuzz {
namespace {

namespace fs = std::filesystem;

// A fuzzing service gives folders of its own to write to; the default one, below the current folder, may be read-only there.
constexpr bool kSavesOnlyWhereGiven = kServiceBuild;

Campaign* g_campaign = nullptr;  // for the death hook and the watchdog's signal, which carry no context

void hang_handler(void* pc, Overrun overrun) {
  const ExecStatus status = hang_status(this_backend(), pc, overrun);
  if (g_campaign) g_campaign->on_fatal(status);
  die(FaultClass::hang);
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

// This binary as a person would type it: relative where it lies below the current folder.
std::string program_path() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error), here = fs::current_path(error);
  const fs::path relative = self.lexically_relative(here);
  if (relative.empty() || relative.native().starts_with("..")) return self.string();
  return "./" + relative.string();
}

}  // namespace

Campaign::Campaign(const Target& target, Backend& backend, const Options& options, const Invocation& invocation)
    : target_(target), backend_(backend), options_(options), invocation_(invocation) {
  knowledge_.enabled = options.learned;
  backend_.set_device(options.gpu);
  backend_.set_time_limit(options.hang_seconds);
  g_campaign = this;
  backend_.set_death_hook([](const ExecStatus& status) {
    if (g_campaign) g_campaign->on_fatal(status);
  });
  if (!options.crashes.empty()) folder_ = options.crashes;
  else if (!invocation.artifact_prefix.empty()) folder_ = fs::path(invocation.artifact_prefix + "x").parent_path().string();
  else folder_ = "crashes/new/" + target.name;
  if (folder_.empty()) folder_ = ".";
  if (saves()) open_folder();
}

Campaign::~Campaign() {
  in_flight_.close();
  g_campaign = nullptr;
}

void Campaign::open_folder() {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error || access(folder_.c_str(), W_OK) != 0) {
    if (kSavesOnlyWhereGiven && options_.crashes.empty() && invocation_.artifact_prefix.empty()) {
      print(fmt::format("warpfuzz: the folder '{}' cannot be written and no other was given: findings are reported, and kept by the engine alone\n", folder_));
      can_save_ = false;
      return;
    }
    print(fmt::format("warpfuzz: cannot create or write the crashes folder '{}': {}; choose another with WARPFUZZ_OPTIONS=crashes=DIR\n",
                      folder_, error ? error.message() : "permission denied"));
    std::exit(kExitCannotWrite);
  }
  recover_in_flight(folder_);
  for (const std::string& dir : {folder_, "crashes/" + target_.name}) {
    if (!options_.known_continue) break;
    for (const auto& entry : fs::directory_iterator(dir, error)) {
      if (entry.path().extension() != ".wfz") continue;
      const ReadResult read = read_wfz(entry.path().string());
      if (read.finding) known_.insert(bucket_key(*read.finding));
      else print(fmt::format("warpfuzz: {}\n", read.error));
    }
  }
}

int Campaign::test_one(std::span<const std::uint8_t> bytes) {
  if (!started_) {  // not earlier: the -fork parent also comes through initialisation
    started_ = true;
    set_early_end_handler([](const char* how) { return g_campaign && g_campaign->on_early_end(how); });
    set_case_keeper([] { return g_campaign ? g_campaign->keep_case() : std::string(); });
    watch_target_code();
    if (timed()) {
      const CaseLimits limits{.processor = options_.hang_seconds, .total = backend_.in_process() ? std::max(0, invocation_.timeout) : 0};
      watchdog_ = std::make_unique<Watchdog>(limits, hang_handler);
    }
    if (saves() && options_.in_flight)
      if (const std::string error = in_flight_.open(folder_); !error.empty()) print(fmt::format("warpfuzz: {}\n", error));
    if (saves() && !options_.counts.empty())
      if (const std::string error = counts_.open(options_.counts); !error.empty()) print(fmt::format("warpfuzz: {}\n", error));
  }
  current_.assign(bytes.begin(), bytes.end());
  in_flight_.begin(bytes);
  in_case_ = true;
  if (watchdog_) watchdog_->begin();

  RunSettings settings;
  settings.every_check = invocation_.replays();
  settings.extra_run_one_in = options_.extra_run_one_in;
  settings.checked_run_one_in = options_.checked_run_one_in;
  settings.scratch = &scratch_;
  settings.describe = !options_.known_continue || invocation_.replays();
  std::vector<CallInput> stored_inputs;
  const Finding* recorded = nullptr;
  if (!recorded_.empty()) {
    const auto it = recorded_.find(current_);
    if (it != recorded_.end()) recorded = &it->second;
  }
  if (recorded) {
    std::string error;
    stored_inputs = inputs_of(target_, decode(target_.schema(), bytes), *recorded, error);
    if (error.empty()) settings.inputs = &stored_inputs;
    else print(fmt::format("warpfuzz: {}; its bytes are replayed by the rules of today\n", error));
  }
  CaseResult r = run_case(target_, backend_, bytes, settings);
  in_case_ = false;
  if (watchdog_) watchdog_->begin();  // what is made of the result, shrinking above all, has time of its own

  tally_.add(r);
  counts_.executed();
  if (options_.value_features) add_features(target_.schema(), r);
  learn(r);
  int code = 0;
  if (r.fault == FaultClass::unsupported) {
    const std::string where = r.place.file.empty() ? "" : fmt::format("{}:{}: ", r.place.file, r.place.line);
    print(fmt::format("{}error: warpfuzz: {} (kernel {})\n", where, r.message, r.place.kernel));
    in_flight_.close();
    std::_Exit(kExitUnsupported);
  }
  if (invocation_.replays()) {
    Finding f = describe_finding(r);
    f.executions = recorded ? recorded->executions : 0;
    f.seed = recorded ? recorded->seed : 0;
    if (recorded) f.created = recorded->created;
    confirm(r.test_case, f);
    report_replay(r, f, recorded);
  }
  if (r.fault != FaultClass::none) code = on_finding(std::move(r));
  else scratch_.take_back(r);
  if (watchdog_) watchdog_->end();
  in_flight_.end();
  return code;
}

bool Campaign::timed() const { return options_.hang_seconds > 0 && !(invocation_.replays() && traced()); }

Finding Campaign::describe_finding(const CaseResult& r) const {
  Finding f = build_finding(target_, backend_, r);
  f.executions = tally_.executions;
  f.seed = invocation_.seed;
  return f;
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

int Campaign::on_finding(CaseResult r) {
  const std::string key = bucket_key(target_.name, r.fault, r.place.kernel);
  counts_.found(key);
  if (options_.known_continue && known_.contains(key)) {  // before anything is described: a counted case costs what a passing one does
    tally_.keys[key]++;
    scratch_.take_back(r);
    return -1;
  }
  if (options_.known_continue && !invocation_.replays()) {  // it was judged to be counted: once more, described
    RunSettings settings;
    settings.extra_run_one_in = options_.extra_run_one_in;
    settings.checked_run_one_in = options_.checked_run_one_in;
    r = run_case(target_, backend_, r.test_case, settings);
  }
  Finding f = describe_finding(r);
  std::string replay = fmt::format("./fuzz_{} FILE", target_.name);
  if (!invocation_.replays()) print(fmt::format("warpfuzz: {} at execution {}: {}\n", key, tally_.executions, f.summary));
  if (saves()) {
    const std::string path = fmt::format("{}/{}", folder_, wfz_name(f));
    Backend* shrinks = options_.shrink ? shrinking_backend(f.fault) : nullptr;
    if (options_.shrink && !shrinks) f.attributes["unshrunk"] = "no build of this target survives the fault";
    bool on_disk = save(f, path).empty();
    if (on_disk) replay = fmt::format("{} {}", program_path(), path);
    if (shrinks) {
      f = simplest(r, f, *shrinks, path);
      on_disk = save(f, path).empty();
    }
    if (confirm(decode(target_.schema(), f.bytes), f)) on_disk = save(f, path).empty();
    print(report(f, replay));
    if (on_disk) print(fmt::format("warpfuzz: reproducer written to {}\n", path));
  } else if (!invocation_.replays()) {
    print(report(f, replay));
  }
  if (options_.known_continue) {
    known_.insert(key);
    tally_.keys[key]++;
    return -1;
  }
  if (invocation_.replays() && !exits_by_trap) {
    replay_failures_++;
    return 0;
  }
  print(fmt::format("DEDUP_TOKEN: {}\n", key));
  dying_ = true;
  in_flight_.close();
  if (before_death) before_death();
  die(f.fault);
}

// The simplest version of a finding that still fails in a process of its own; each step on the way is on disk before the next.
Finding Campaign::simplest(const CaseResult& r, const Finding& unshrunk, Backend& backend, const std::string& path) {
  const Shrunk s = shrink(target_, backend, r, seconds_of_shrinking(5),
                          [&](const CaseResult& better) { save(describe_finding(better), path); });
  print(fmt::format("warpfuzz: shrunk in {} attempts, {} accepted{}\n", s.attempts, s.accepted,
                    s.complete ? "" : " (stopped by the clock)"));
  Finding f = s.accepted ? describe_finding(s.best) : unshrunk;
  if (kServiceBuild) return f;  // a service runs each input afresh by itself, and may not let a target start processes
  // What differs from run to run on a device may differ from process to process as well: it gets three chances.
  const bool by_chance = !backend_.orders() && (f.fault == FaultClass::race || f.fault == FaultClass::nondeterministic);
  FreshRuns fresh(f.fault, folder_, seconds_of_shrinking(10));
  const LastWord word = last_word(s.cases.size(), [&](std::size_t i) {
    Afresh answer = fresh.run(s.cases[i]);
    for (int again = 0; by_chance && answer == Afresh::passes && again < 2; ++again) answer = fresh.run(s.cases[i]);
    return answer;
  });
  if (word.kept + 1 < s.cases.size()) {  // as the process saw it that it failed in: here it may not fail again
    f = word.kept > 0 && fresh.finding() ? *fresh.finding() : unshrunk;
    f.executions = unshrunk.executions;
    f.seed = unshrunk.seed;
  }
  if (!word.history.empty()) {
    f.attributes["history"] = word.history + (fresh.trouble().empty() ? "" : fmt::format(" ({})", fresh.trouble()));
    print(fmt::format("warpfuzz: history: {}\n", f.attributes["history"]));
  }
  return f;
}

// On a device most faults end the server that ran the case: a simpler case is not worth a new one. Memory faults shrink in the
// build that survives them.
Backend* Campaign::shrinking_backend(FaultClass fault) {
  switch (aftermath(fault, backend_.name())) {
    case Aftermath::survives: return &backend_;
    case Aftermath::checked: return backend_.other_build(OtherBuild::checked);
    case Aftermath::ends: return nullptr;
  }
  return nullptr;
}

// Whether the code that ships, without instrumentation, fails in the same way.
bool Campaign::confirm(const TestCase& c, Finding& f) {
  Backend* plain = backend_.other_build(OtherBuild::plain);
  if (!plain || f.fault == FaultClass::none) return false;
  RunSettings settings;
  settings.every_check = true;
  const CaseResult shipped = run_case(target_, *plain, c, settings);
  f.attributes["plain build"] =
      shipped.fault == f.fault ? fmt::format("confirmed ({})", plain->compiler())
      : shipped.fault == FaultClass::none
          ? fmt::format("NOT confirmed: {}'s build has no finding", plain->compiler())
          : fmt::format("{}'s build has {}: {}", plain->compiler(), fault_name(shipped.fault), shipped.message);
  return true;
}

void Campaign::report_replay(const CaseResult& r, const Finding& f, const Finding* recorded) {
  if (r.fault == FaultClass::none) print(fmt::format("warpfuzz: no finding: {}{}\n", f.summary, r.drift ? " (drift: only the tight bound was left)" : ""));
  else print(report(f, fmt::format("./fuzz_{} FILE", target_.name)));
  if (!recorded) return;
  if (recorded->target != target_.name)
    print(fmt::format("warpfuzz: this is a reproducer of target {}, replayed on target {} of the same op\n", recorded->target, target_.name));
  const std::string then = bucket_key(target_.name, recorded->fault, recorded->place.kernel),
                    now = r.fault == FaultClass::none ? "no finding" : bucket_key(f);
  const Comparison c = compare_replay(target_, r, *recorded);
  print(fmt::format("warpfuzz: recorded {}, now {}: {}; inputs {}; {} of {} outputs differ\n", then, now,
                    then == now ? "reproduced" : "NOT reproduced", c.inputs_identical ? "bit-identical" : "differ", c.different_outputs, c.total_outputs));
}

void Campaign::expect(const Finding& recorded) { recorded_.insert_or_assign(recorded.bytes, recorded); }

void Campaign::on_fatal(const ExecStatus& status) {
  if (dying_) return;
  dying_ = true;
  Finding f = build_finding(target_, backend_, current_, status);
  f.executions = tally_.executions + 1;
  f.seed = invocation_.seed;
  const std::string key = bucket_key(f);
  counts_.executed();
  counts_.found(key);
  std::string replay = fmt::format("./fuzz_{} FILE", target_.name);
  std::string written;
  if (saves() && !(options_.known_continue && known_.contains(key))) {
    const std::string path = fmt::format("{}/{}", folder_, wfz_name(f));
    f.attributes["unshrunk"] = "its process ended";
    if (save(f, path).empty()) {
      written = fmt::format("warpfuzz: reproducer written to {}; `warpfuzz shrink {}` makes it smaller\n", path, path);
      replay = fmt::format("{} {}", program_path(), path);
    }
  }
  print(report(f, replay));
  print(written);
  print(fmt::format("DEDUP_TOKEN: {}\n", key));
  in_flight_.close();
  if (before_death) before_death();
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
  const ExecStatus* status = backend_.running_case();
  if (status && status->fault != FaultClass::none && status->fault != FaultClass::unsupported) {
    ExecStatus fault = *status;
    fault.message += fmt::format(" (the launcher then ended the process with {})", how);
    on_fatal(fault);
    return true;
  }
  print(fmt::format("warpfuzz: target error: the {} called {} in the middle of a case, with no fault of the kernel on record; the "
                    "case is kept with libFuzzer's artifact\n", status ? "launcher" : "reference", how));
  return false;
}

void Campaign::learn(const CaseResult& r) {
  if (!options_.learned || invocation_.replays()) return;
  for (std::uint32_t t : tiles_of(r.status)) knowledge_.learn_tile(t);
  const Operands operands = backend_.compare_operands();
  for (std::size_t i = 0; i + 1 < operands.pairs.size(); i += 2) knowledge_.learn_compare(operands.pairs[i], operands.pairs[i + 1]);
  for (std::size_t i = 0; i + 1 < operands.float_pairs.size(); i += 2)
    knowledge_.learn_float_compare(operands.float_pairs[i], operands.float_pairs[i + 1]);
  backend_.clear_compare_operands();
}

// A campaign from nothing looks around first: what its tiny first inputs lead to says little.
bool Campaign::begins(unsigned seed) const { return tally_.executions < kFirstCases && mix64(seed ^ 0x5eed) % 4 != 0; }

std::size_t Campaign::mutate_input(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  // Now and then libFuzzer's own mutator: it knows byte tricks that we do not.
  if (LLVMFuzzerMutate && mix64(seed) % 32 == 0) {
    const std::size_t n = LLVMFuzzerMutate(data, std::min(size, max_size), max_size);
    if (n) data[0] = 1;  // the version byte
    return n;
  }
  if (begins(seed)) return fresh_case(target_.schema(), seed, true, data, max_size);
  const Bytes in(data, data + size);
  return mutate(target_.schema(), knowledge_, in, seed, data, max_size);
}

std::size_t Campaign::cross_over(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b, std::uint8_t* out,
                                 std::size_t max_size, unsigned seed) {
  if (begins(seed)) return fresh_case(target_.schema(), seed, true, out, max_size);
  // libFuzzer crosses over as often as it mutates; what is learned and what is new comes from mutation alone.
  if (mix64(seed) % 2 == 0) return mutate(target_.schema(), knowledge_, a, seed, out, max_size);
  return crossover(target_.schema(), a, b, seed, out, max_size);
}

void Campaign::print_statistics() const {
  if (!tally_.executions || invocation_.replays()) return;
  print(fmt::format("warpfuzz: {}: {}{}\n", target_.name, tally_.text(), tally_.dims_text(target_)));
}

}  // namespace warpfuzz
