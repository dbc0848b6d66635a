// The pipeline, once: bytes -> case -> values -> kernel -> outputs; reference -> verdict. Everything in a CaseResult is
// a pure function of the bytes and the build (times aside).
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "exec/backend.h"
#include "findings/step.h"
#include "oracle/judge.h"
#include "pipeline/target.h"
#include "schema/codec/codec.h"

namespace warpfuzz {

struct StageTimes {
  std::uint64_t decode = 0, fill = 0, kernel = 0, reference = 0, judge = 0, total = 0;
};  // nanoseconds

// The contents that the runs of a step find in memory that nobody wrote, as Backend and judge number them. Another order finds other ones, so
// that what depends on them shows as well.
int poison_variant_of(Step s);

// What a verdict rests on, made in the pass that judged: who explains a result asks neither the reference nor the judge again.
struct CaseEvidence {
  std::vector<Reference> references[2];  // of each call that was judged, per tensor; empty where none was asked for
  ErrorStats errors;      // of the run that the verdict is about; no elements where a fault left no outputs
  Explanation allowance;  // of the worst element, where an output is wrong
  // A finding between the two bounds: inside of what every order of summation explains, and confirmed by permutations.
  bool tight = false;
};
enum class Keep : std::uint8_t {
  nothing,
  findings,    // all of it of a case that fails, nothing of one that passes: a campaign's
  references,  // of every case, and nothing else
  everything,  // of every case
};

struct CaseResult {
  TestCase test_case;
  Bytes bytes;  // canonical
  FaultClass fault = FaultClass::none;
  Step step = Step::base;  // the run that failed
  Place place;
  std::string message;               // one line, for faults that the executor reported
  Verdict verdict;                   // of the failing run, else of the base run
  bool drift = false;                // only the tight bound was left and the permutations did not confirm it
  bool extra_run = false;            // another order was tried
  ExecStatus status;                 // of the failing run, else of the base run
  std::vector<std::uint32_t> tiles;  // of that status: tiles_of()
  std::vector<CallInput> inputs;     // what went in, per call
  std::vector<CallOutput> outputs;   // of the failing run, else of the base run
  int failing_call = 0;
  StageTimes times;
  std::optional<CaseEvidence> evidence;  // where it was asked for: RunSettings::keep
};

// Large buffers that one execution hands to the next: fresh memory costs page faults, megabytes of them a case. Contents carry no
// meaning from one execution to the next.
struct Scratch {
  std::vector<Reference> references[2];
  std::vector<CallInput> inputs;
  void take_back(CaseResult& done) {
    inputs = std::move(done.inputs);
    if (!done.evidence) return;
    for (int call = 0; call < 2; ++call) references[call] = std::move(done.evidence->references[call]);
  }
};

struct RunSettings {
  bool every_check = false;       // replay: also the runs that a campaign makes for a share of the cases
  bool repeat_reference = false;  // replay: check_repeats() of a case that passes too
  Keep keep = Keep::nothing;
  int extra_run_one_in = 16;
  int checked_run_one_in = 1024;  // by the build that checks accesses, of a backend that has one
  // Inputs to use instead of the fills' (a reproducer whose decoder has moved on); null: the fills.
  const std::vector<CallInput>* inputs = nullptr;
  Scratch* scratch = nullptr;  // null: buffers of the execution's own
  // When set: the first call of the base run is added, so that a sweep measures all its cases by the same run.
  ErrorStats* stats = nullptr;
  bool describe = true;  // false: of a wrong output its class and counts alone, for a campaign that only counts it
  const ToleranceRow* row = nullptr;  // to judge by instead of the table's
};

CaseResult run_case(const Target& target, Backend& backend, std::span<const std::uint8_t> bytes,
                    const RunSettings& settings);
CaseResult run_case(const Target& target, Backend& backend, const TestCase& c, const RunSettings& settings);

// Tiles of an execution: blockDim per axis, threads a block, extents of static shared arrays; sorted, no duplicates, no 1.
std::vector<std::uint32_t> tiles_of(const ExecStatus& status);

}  // namespace warpfuzz
