#include "engine/campaign.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "base/exit_codes.h"
#include "base/shell_text.h"
#include "engine/family.h"
#include "exec/case_witness.h"
#include "exec/device_builds.h"
#include "numeric/hash.h"
#include "pipeline/feedback.h"
#include "pipeline/tensors/recorded_case.h"
#include "pipeline/variant_probe.h"
#include "process/death/die.h"
#include "process/death/early_end.h"
#include "process/death/hang.h"
#include "process/death/interrupt.h"
#include "process/death/target_fault.h"
#include "process/say.h"
#include "process/service_build.h"
#include "schema/target_code.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t*, std::size_t, std::size_t) __attribute__((weak));

namespace warpfuzz {
namespace {

namespace fs = std::filesystem;

// A fuzzing service gives folders of its own to write to; the default one, below the current folder, may be read-only there.
constexpr bool kSavesOnlyWhereGiven = kServiceBuild;

}  // namespace

Campaign::Campaign(const Target& target, Backend& backend, const Options& options, const Invocation& invocation)
    : target_(target), backend_(backend), options_(options), invocation_(invocation) {
  knowledge_.enabled = options.learned;
  choose_device(backend_, options.gpu, options.hang_seconds);
  set_death_hook(backend_, DeathHook::to<&Campaign::on_sanitizer_error>(*this));
  if (!options.crashes.empty()) folder_ = options.crashes;
  else if (!invocation.artifact_prefix.empty())
    folder_ = fs::path(invocation.artifact_prefix + "x").parent_path().string();
  else folder_ = "crashes/new/" + target.name;
  if (folder_.empty()) folder_ = ".";
  take_up();
  if (saves()) open_folder();
  if (invocation.has_fuzzing_children) family_ = start_family();
}

Campaign::~Campaign() {
  set_death_hook(backend_, {});
  set_early_end_handler({});
  set_case_keeper({});
  in_flight_.close();
}

void Campaign::on_hang(void* pc, Overrun overrun) {
  on_fatal(hang_status(backend_, pc, overrun));
  before_engine_dies();
  die(FaultClass::hang);
}

void Campaign::open_folder() {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error || access(folder_.c_str(), W_OK) != 0) {
    if (kSavesOnlyWhereGiven && options_.crashes.empty() && invocation_.artifact_prefix.empty()) {
      print(fmt::format(
          "warpfuzz: the folder '{}' cannot be written and no other was given: findings are reported, and kept by the engine alone\n",
          folder_));
      can_save_ = false;
      return;
    }
    print(fmt::format(
        "warpfuzz: cannot create or write the crashes folder '{}': {}; choose another with WARPFUZZ_OPTIONS=crashes=DIR\n",
        folder_, error ? error.message() : "permission denied"));
    std::exit(kExitCannotWrite);
  }
  recover_in_flight(folder_);
  if (options_.known_continue)
    for (const std::string& folder : {folder_, "crashes/" + target_.name}) read_known(folder);
}

int Campaign::test_one(std::span<const std::uint8_t> bytes) {
  if (!started_) {  // not earlier: the -fork parent also comes through initialisation
    started_ = true;
    set_early_end_handler(EarlyEndHandler::to<&Campaign::on_early_end>(*this));
    set_case_keeper(CaseKeeper::to<&Campaign::keep_case>(*this));
    watch_target_code();
    if (timed()) {
      const CaseLimits limits{.processor = options_.hang_seconds,
                              .total = backend_.in_process() ? std::max(0, invocation_.timeout) : 0};
      watchdog_ = std::make_unique<Watchdog>(limits, Watchdog::Handler::to<&Campaign::on_hang>(*this));
    }
    if (saves() && options_.in_flight)
      if (const std::string error = in_flight_.open(folder_); !error.empty())
        print(fmt::format("warpfuzz: {}\n", error));
    if (saves() && !options_.counts.empty())
      if (const std::string error = counts_.open(options_.counts, carried_.deaths > 0); !error.empty()) {
        // Whoever asked for counts must not take none for nothing run.
        print(fmt::format("warpfuzz: {}; no case is executed\n", error));
        in_flight_.close();
        std::_Exit(kExitCannotWrite);
      }
  }
  if (interrupted()) end_interrupted();
  if (ended_a_process(bytes)) return -1;
  current_.assign(bytes.begin(), bytes.end());
  in_flight_.begin(bytes);
  in_case_ = true;
  if (watchdog_) watchdog_->begin();

  RunSettings settings;
  settings.every_check = settings.repeat_reference = invocation_.replays();
  settings.extra_run_one_in = options_.extra_run_one_in;
  settings.checked_run_one_in = options_.checked_run_one_in;
  settings.scratch = &scratch_;
  settings.describe = !counts_known();
  settings.keep = counts_known() ? Keep::nothing : Keep::findings;
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

  {
    const std::lock_guard lock(counting_);
    tally_.add(r);
  }
  counts_.executed();
  ++completed_;
  if (r.fault != FaultClass::unsupported) {
    if (options_.value_features) add_features(target_.schema(), r);
    learn(r);
  }
  int code = 0;
  if (invocation_.replays()) {
    Finding f = describe_finding(r);
    f.executions = recorded ? recorded->executions : 0;
    f.seed = recorded ? recorded->seed : 0;
    if (recorded) f.created = recorded->created;
    f.variant = find_variant(target_, backend_, r);
    confirm(r.test_case, f);
    if (r.fault != FaultClass::unsupported) report_replay(r, f, recorded);
  }
  if (r.fault == FaultClass::unsupported) code = on_unsupported(r);
  else if (r.fault != FaultClass::none) code = on_finding(std::move(r));
  else scratch_.take_back(r);
  if (watchdog_) watchdog_->end();
  in_flight_.end();
  if (interrupted()) end_interrupted();
  return code;
}

bool Campaign::timed() const { return options_.hang_seconds > 0 && !(invocation_.replays() && traced()); }

Finding Campaign::describe_finding(const CaseResult& r) const {
  Finding f = build_finding(target_, backend_, r);
  f.executions = tally_.executions;
  f.seed = invocation_.seed;
  return f;
}

// On a device most faults end the server that ran the case: a simpler case is not worth a new one. Memory faults shrink in the
// build that survives them.
Backend* Campaign::shrinking_backend(FaultClass fault) {
  switch (aftermath(fault, backend_.name())) {
    case Aftermath::survives: return &backend_;
    case Aftermath::checked: return other_build(backend_, OtherBuild::checked);
    case Aftermath::ends: return nullptr;
  }
  return nullptr;
}

// Whether the code that ships, without instrumentation, fails in the same way.
bool Campaign::confirm(const TestCase& c, Finding& f) {
  Backend* plain = other_build(backend_, OtherBuild::plain);
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
  if (r.fault == FaultClass::none)
    print(fmt::format("warpfuzz: no finding: {}{}\n", f.summary,
                      r.drift ? " (drift: only the tight bound was left)" : ""));
  else print(report(f, replay_command()));
  if (!recorded) return;
  if (recorded->target != target_.name)
    print(fmt::format("warpfuzz: this is a reproducer of target {}, replayed on target {} of the same op\n",
                      recorded->target, target_.name));
  const std::string then = bucket_key(target_.name, recorded->fault, recorded->place.kernel),
                    now = r.fault == FaultClass::none ? "no finding" : bucket_key(f);
  const Comparison c = compare_replay(target_, r, *recorded);
  print(fmt::format("warpfuzz: recorded {}, now {}: {}; inputs {}; {} of {} outputs differ\n", then, now,
                    then == now ? "reproduced" : "NOT reproduced", c.inputs_identical ? "bit-identical" : "differ",
                    c.different_outputs, c.total_outputs));
}

std::string Campaign::replay_command(const std::string& path) const {
  const auto named = path.empty() ? files_.find(current_) : files_.end();
  return fmt::format("{} {}", program_path(),
                     named != files_.end() ? shell_word(named->second)
                     : path.empty()        ? "FILE"
                                           : shell_word(path));
}

void Campaign::name_case(const Bytes& bytes, const std::string& path) { files_.insert_or_assign(bytes, path); }

void Campaign::expect(const Finding& recorded) { recorded_.insert_or_assign(recorded.bytes, recorded); }

void Campaign::learn(const CaseResult& r) {
  if (!options_.learned || invocation_.replays()) return;
  for (const std::uint32_t t : r.tiles) knowledge_.learn_tile(t);
  const Operands operands = backend_.compare_operands();
  for (std::size_t i = 0; i + 1 < operands.pairs.size(); i += 2)
    knowledge_.learn_compare(operands.pairs[i], operands.pairs[i + 1]);
  for (std::size_t i = 0; i + 1 < operands.float_pairs.size(); i += 2)
    knowledge_.learn_float_compare(operands.float_pairs[i], operands.float_pairs[i + 1]);
  backend_.clear_compare_operands();
}

// A campaign from nothing looks around first: what its tiny first inputs lead to says little.
bool Campaign::begins(unsigned seed) const { return tally_.executions < kFirstCases && mix64(seed ^ 0x5eed) % 4 != 0; }

std::size_t Campaign::mutate_input(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  mutates_ = true;
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

}  // namespace warpfuzz
