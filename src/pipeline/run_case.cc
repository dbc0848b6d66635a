#include "pipeline/run_case.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "exec/device_builds.h"
#include "numeric/hash.h"
#include "pipeline/reference.h"
#include "pipeline/tensors/case_tensors.h"

namespace warpfuzz {
namespace {

class Stopwatch {  // adds the time of a scope to a counter
 public:
  explicit Stopwatch(std::uint64_t& into) : into_(into), start_(std::chrono::steady_clock::now()) {}
  ~Stopwatch() {
    into_ += static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start_).count());
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  std::uint64_t& into_;
  std::chrono::steady_clock::time_point start_;
};

// One case on its way through the pipeline.
class CaseRun {
 public:
  CaseRun(const Target& target, Backend& backend, const RunSettings& settings, CaseResult& result)
      : target_(target),
        schema_(target.schema()),
        backend_(backend),
        settings_(settings),
        result_(result),
        row_(settings.row ? *settings.row : row_of(target, result.test_case)),
        hash_(hash_bytes(result.bytes.data(), result.bytes.size())) {}

  void run() {
    make_inputs();
    // A device computes on its own: the reference is ready when the outputs are.
    base_ = execute(result_.inputs, Schedule{}, Step::base, true, [this] {
      for (std::size_t call = 0; call < result_.inputs.size(); ++call) reference_of(static_cast<int>(call));
    });
    set_status(base_.status);
    judge_runs();
    if (result_.outputs.empty()) {
      result_.outputs = std::move(base_.calls);
      shown_ = Step::base;
    }
    if (settings_.keep != Keep::nothing) keep_evidence();
  }

 private:
  // In a fixed order; the first run that fails gives the class, later ones are not made.
  void judge_runs() {
    if (failed_in_call(base_, 0)) return fail_status(base_, Step::base);
    if (judge_call(base_, 0, Step::base)) {
      // Memory that a tensor doesn't own shows in the values first where no boundary of mapped memory lies between.
      judge_checked_build();
      return;
    }
    if (wants_extra_run() && judge_other_order()) return;
    if (wants_checked_run() && judge_checked_build()) return;
    if (result_.inputs.size() > 1) {
      if (failed_in_call(base_, 1)) return fail_status(base_, Step::second_call);
      if (judge_call(base_, 1, Step::second_call)) return;
    }
    if (base_.status.fault != FaultClass::none) fail_status(base_, Step::base);
  }

  void make_inputs() {
    if (settings_.inputs) {
      result_.inputs = *settings_.inputs;
      return;
    }
    Stopwatch watch(result_.times.fill);
    const TestCase& c = result_.test_case;
    if (settings_.scratch) result_.inputs = std::move(settings_.scratch->inputs);
    fill_inputs(schema_, c, result_.inputs);
  }

  RunOutput execute(std::span<const CallInput> calls, Schedule schedule, Step step, bool coverage,
                    std::function<void()> meanwhile = {}) {
    schedule.strict_barriers = target_.spec.dialects().strict_barriers;
    RunInput in{&schema_, &result_.test_case, calls, schedule, poison_variant_of(step), coverage, std::move(meanwhile)};
    RunOutput out = backend_.run(in, target_.launcher);
    result_.times.kernel += out.status.kernel_ns;
    return out;
  }

  // A fault that the executor reported belongs to the first call that has no outputs; one found after a call (a changed
  // input, a broken red zone) belongs to the last call that has.
  static bool failed_in_call(const RunOutput& out, std::size_t call) {
    return out.status.fault != FaultClass::none && out.calls.size() <= call + 1 &&
           (out.calls.size() == call || out.calls.size() == call + 1);
  }

  void set_status(const ExecStatus& status) {
    result_.status = status;
    result_.tiles = tiles_of(status);
  }
  void set_outputs(const RunOutput& out, Step step) {
    result_.outputs = out.calls;
    shown_ = step;
  }

  void fail_status(const RunOutput& out, Step step) {
    result_.fault = out.status.fault;
    result_.step = step;
    result_.place = out.status.place;
    result_.message = out.status.message;
    set_status(out.status);
    set_outputs(out, step);
    result_.failing_call =
        out.calls.empty() ? 0 : static_cast<int>(std::min(out.calls.size(), result_.inputs.size()) - 1);
  }

  std::vector<Reference>& reference_of(int call) {
    std::vector<Reference>& refs = settings_.scratch ? settings_.scratch->references[call] : refs_[call];
    if (have_refs_[call]) return refs;
    Stopwatch watch(result_.times.reference);
    run_reference(target_, result_.test_case, row_, result_.inputs[static_cast<std::size_t>(call)], nullptr, refs);
    have_refs_[call] = true;
    return refs;
  }

  Verdict verdict_of(const std::vector<std::vector<std::byte>>& outputs, Step step, std::span<const Reference> refs,
                     ErrorStats* stats, bool describe) {
    Stopwatch watch(result_.times.judge);
    const int variant = poison_variant_of(step);
    return judge({schema_, result_.test_case, row_, target_.spec.dialects(), refs, outputs,
                  [variant](DType t) { return poison_bits(t, PoisonKind::output, variant); }, result_.tiles, stats,
                  describe});
  }

  // True when the call is a finding.
  bool judge_call(const RunOutput& out, int call, Step step) {
    if (static_cast<std::size_t>(call) >= out.calls.size()) return false;
    const bool first = step == Step::base && call == 0;
    std::optional<ErrorStats> errors;
    if (settings_.keep == Keep::everything) errors.emplace();
    ErrorStats* stats = errors ? &*errors : first ? settings_.stats : nullptr;
    Verdict v = verdict_of(out.calls[call].tensors, step, reference_of(call), stats, settings_.describe);
    if (errors && first && settings_.stats) settings_.stats->merge(*errors);
    const bool suspect = v.suspect;
    if (suspect) {
      if (confirmed_by_permutations(call)) confirm_suspect(v);
      else result_.drift = true;
    }
    const bool failed = v.fault != FaultClass::none;
    if (failed ? settings_.describe : first && settings_.repeat_reference) repeat_reference(call, v);
    if (failed || first) {
      result_.verdict = v;
      if (errors) {
        evidence().errors = *std::move(errors);
        measured_ = {step, call};
      }
    }
    if (failed) {
      result_.fault = v.fault;
      result_.step = step;
      result_.failing_call = call;
      tight_ = suspect;
      set_status(out.status);
      if (settings_.describe) set_outputs(out, step);
    }
    return failed;
  }

  void repeat_reference(int call, const Verdict& v) {
    Explanation allowance{v.worst.tensor, v.worst.element, {}};
    check_repeats(target_, result_.test_case, row_, result_.inputs[static_cast<std::size_t>(call)], reference_of(call),
                  v.worst.tensor < 0 ? nullptr : &allowance);
    if (settings_.keep != Keep::nothing) evidence().allowance = std::move(allowance);
  }

  CaseEvidence& evidence() { return result_.evidence ? *result_.evidence : result_.evidence.emplace(); }

  // While everything about the run that the verdict is about is at hand.
  void keep_evidence() {
    const bool failed = result_.fault != FaultClass::none;
    if (settings_.keep == Keep::findings && (!failed || result_.fault == FaultClass::unsupported)) return;
    CaseEvidence& e = evidence();
    const int call = result_.failing_call;
    const auto index = static_cast<std::size_t>(call);
    if (index >= result_.outputs.size() || index >= result_.inputs.size()) {
      e.errors = {};
    } else {
      const std::vector<Reference>& refs = reference_of(call);
      // A campaign's judgement measures no errors, to be quick, and a run that a fault ended was not judged at all: by the same reference.
      if (settings_.keep != Keep::references && measured_ != std::pair(shown_, call)) {
        e.errors = {};
        verdict_of(result_.outputs[index].tensors, shown_, refs, &e.errors, false);
      }
    }
    e.errors.counts.runs = 1;
    e.errors.counts.failed = failed;
    e.errors.counts.drift = result_.drift;
    e.tight = tight_;
    for (int c = 0; c < 2; ++c)
      if (have_refs_[c]) e.references[c] = std::move(reference_of(c));
  }

  // Tier two: the error is beyond the tight bound only. A real error survives other arrangements of the same values.
  bool confirmed_by_permutations(int call) {
    int beyond = 0;
    for (int round = 0; round < kPermutationRounds; round++) {
      if (beyond + kPermutationRounds - round < kPermutationQuorum) return false;
      CallInput in{permuted_inputs(schema_, result_.test_case, result_.inputs[call].values, hash_, round)};
      const RunOutput out = execute(std::span(&in, 1), Schedule{}, Step::base, false);
      if (out.calls.empty()) continue;
      std::vector<Reference> refs;
      run_reference(target_, result_.test_case, row_, in, nullptr, refs);
      const Verdict v = verdict_of(out.calls[0].tensors, Step::base, refs, nullptr, settings_.describe);
      if ((v.wrong || v.beyond_tight) && ++beyond >= kPermutationQuorum) return true;
    }
    return false;
  }

  bool wants_extra_run() const {
    if (settings_.every_check) return true;
    return settings_.extra_run_one_in > 0 && mix64(hash_) % static_cast<std::uint64_t>(settings_.extra_run_one_in) == 0;
  }

  // Two bits of the order byte choose the threads' order and the blocks'; 0 stands for descending, the order that differs
  // most from the base run.
  Schedule other_schedule() const {
    static constexpr Order kOrders[4] = {Order::descending, Order::shuffled, Order::ascending, Order::descending};
    const std::uint8_t code = result_.test_case.order;
    Schedule s{kOrders[code & 3], kOrders[code >> 2 & 3], hash_ ^ code};
    if (s.threads == Order::ascending && s.blocks == Order::ascending) s.blocks = Order::descending;
    return s;
  }

  // On a device that has no order to choose, the same case once more.
  bool judge_other_order() {
    result_.extra_run = true;
    const char* when = backend_.orders() ? "only in another order" : "only in a second run";
    RunOutput other = execute(std::span(result_.inputs.data(), 1), other_schedule(), Step::other_order, false);
    if (other.status.fault != FaultClass::none) {
      fail_status(other, Step::other_order);
      return name_order_fault(fmt::format("{}: {}", when, other.status.message));
    }
    if (judge_call(other, 0, Step::other_order)) return name_order_fault(fmt::format("an output is wrong {}", when));
    if (target_.spec.dialects().deterministic || !other.status.float_atomics) {
      if (const std::size_t n = differing_outputs(base_.calls[0], other.calls[0])) {
        result_.step = Step::other_order;
        set_status(other.status);
        set_outputs(other, Step::other_order);
        return name_order_fault(fmt::format("{} outputs differ in their bits between two {}", n,
                                            backend_.orders() ? "orders of threads and blocks" : "runs"));
      }
    }
    return false;
  }

  // `race` when the same order with other poison agrees with the base run, else the result depends on memory that nobody wrote.
  bool name_order_fault(std::string message) {
    if (!backend_.orders()) {
      result_.fault = FaultClass::nondeterministic;
      result_.message = message;
      return true;
    }
    const RunOutput again = execute(std::span(result_.inputs.data(), 1), Schedule{}, Step::other_order, false);
    const bool same = again.status.fault == FaultClass::none && !again.calls.empty() &&
                      differing_outputs(base_.calls[0], again.calls[0]) == 0;
    result_.fault = same ? FaultClass::race : FaultClass::nondeterministic;
    if (!same) message += "; the same order with other contents of uninitialised memory differs too";
    result_.message = message;
    return true;
  }

  // The build that checks every access also finds those that stay inside the mapped memory.
  bool wants_checked_run() const {
    if (settings_.every_check) return true;
    const auto n = static_cast<std::uint64_t>(settings_.checked_run_one_in);
    return n > 0 && mix64(hash_ ^ 0xc4ec) % n == 0;
  }
  bool judge_checked_build() {
    Backend* checked = other_build(backend_, OtherBuild::checked);
    if (!checked) return false;
    RunInput in{&schema_, &result_.test_case, result_.inputs, Schedule{}, poison_variant_of(Step::checked), false, {}};
    const RunOutput out = checked->run(in, target_.launcher);
    if (out.status.fault != FaultClass::oob_read && out.status.fault != FaultClass::oob_write) return false;
    fail_status(out, Step::checked);
    return true;
  }

  std::size_t differing_outputs(const CallOutput& a, const CallOutput& b) {
    std::size_t n = 0;
    for (std::size_t k = 0; k < a.tensors.size(); k++) {
      if (schema_.tensors[k].role == Role::workspace) continue;
      n += count_differences(tensor_dtype(schema_, result_.test_case, static_cast<int>(k)), a.tensors[k], b.tensors[k]);
    }
    return n;
  }

  const Target& target_;
  const Schema& schema_;
  Backend& backend_;
  const RunSettings& settings_;
  CaseResult& result_;
  const ToleranceRow& row_;
  std::uint64_t hash_;
  std::vector<Reference> refs_[2];
  bool have_refs_[2] = {false, false};
  Step shown_ = Step::base;                       // whose outputs the result holds
  std::optional<std::pair<Step, int>> measured_;  // the run and call whose errors the evidence holds
  bool tight_ = false;
  RunOutput base_;
};

CaseResult run(const Target& target, Backend& backend, TestCase&& c, const RunSettings& settings, StageTimes times,
               std::chrono::steady_clock::time_point start) {
  CaseResult result;
  result.times = times;
  result.test_case = std::move(c);
  {
    Stopwatch watch(result.times.decode);
    result.bytes = encode(target.schema(), result.test_case);
  }
  CaseRun(target, backend, settings, result).run();
  result.times.total = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count());
  return result;
}

}  // namespace

int poison_variant_of(Step s) { return s == Step::other_order ? 1 : 0; }

CaseResult run_case(const Target& target, Backend& backend, std::span<const std::uint8_t> bytes,
                    const RunSettings& settings) {
  const auto start = std::chrono::steady_clock::now();
  StageTimes times;
  TestCase c;
  {
    Stopwatch watch(times.decode);
    c = decode(target.schema(), bytes);
  }
  return run(target, backend, std::move(c), settings, times, start);
}

CaseResult run_case(const Target& target, Backend& backend, const TestCase& c, const RunSettings& settings) {
  return run(target, backend, TestCase(c), settings, {}, std::chrono::steady_clock::now());
}

std::vector<std::uint32_t> tiles_of(const ExecStatus& status) {
  std::vector<std::uint32_t> tiles(status.shared_extents);
  for (const LaunchInfo& l : status.launches) {
    for (std::uint32_t b : l.block) tiles.push_back(b);
    tiles.push_back(l.block[0] * l.block[1] * l.block[2]);
  }
  std::sort(tiles.begin(), tiles.end());
  tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
  std::erase_if(tiles, [](std::uint32_t t) { return t <= 1; });
  return tiles;
}

}  // namespace warpfuzz
