// The pipeline, once: bytes -> case -> values -> kernel -> outputs; reference -> verdict. Everything in a CaseResult is
// a pure function of the bytes and the build (times aside).
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "exec/exec.h"
#include "findings/step.h"
#include "oracle/judge.h"
#include "pipeline/target.h"
#include "schema/codec/codec.h"

namespace warpfuzz {

struct StageTimes {
  std::uint64_t decode = 0, fill = 0, kernel = 0, reference = 0, judge = 0, total = 0;
};  // nanoseconds

struct CaseResult {
  TestCase test_case;
  Bytes bytes;  // canonical
  FaultClass fault = FaultClass::none;
  Step step = Step::base;  // the run that failed
  Place place;
  std::string message;              // one line, for faults that the executor reported
  Verdict verdict;                  // of the failing run, else of the base run
  bool drift = false;               // only the tight bound was left and the permutations did not confirm it
  bool extra_run = false;           // another order was tried
  ExecStatus status;                // of the failing run, else of the base run
  std::vector<CallInput> inputs;    // what went in, per call
  std::vector<CallOutput> outputs;  // of the failing run, else of the base run
  int failing_call = 0;
  StageTimes times;
};

// Large buffers that one execution hands to the next: fresh memory costs page faults, megabytes of them a case. Contents carry no
// meaning from one execution to the next.
struct Scratch {
  std::vector<Reference> references[2];
  std::vector<CallInput> inputs;
  void take_back(CaseResult& done) { inputs = std::move(done.inputs); }
};

struct RunSettings {
  bool every_check = false;  // replay: also the checks that a campaign makes for a share of the cases
  int extra_run_one_in = 16;
  int checked_run_one_in = 1024;  // by the build that checks accesses, of a backend that has one
  // Inputs to use instead of the fills' (a reproducer whose decoder has moved on); null: the fills.
  const std::vector<CallInput>* inputs = nullptr;
  Scratch* scratch = nullptr;   // null: buffers of the execution's own
  ErrorStats* stats = nullptr;  // when set: the first call of the base run is added
  bool describe = true;  // false: of a wrong output its class and counts alone, for a campaign that only counts it
  const ToleranceRow* row = nullptr;  // to judge by instead of the table's
};

CaseResult run_case(const Target& target, Backend& backend, std::span<const std::uint8_t> bytes,
                    const RunSettings& settings);
CaseResult run_case(const Target& target, Backend& backend, const TestCase& c, const RunSettings& settings);

// The row of the tolerance table that judges a case of this target.
const ToleranceRow& row_of(const Target& target, const TestCase& c);

// The reference of one call's inputs, per tensor. explain may be null.
void run_reference(const Target& target, const TestCase& c, const ToleranceRow& row, const CallInput& in,
                   Explanation* explain, std::vector<Reference>& refs);
std::vector<Reference> run_reference(const Target& target, const TestCase& c, const CallInput& in,
                                     Explanation* explain);
// Runs the reference once more: a target error where it does not repeat `first` in every bit, since a verdict that rests on it
// would be another one next time.
void check_repeats(const Target& target, const TestCase& c, const ToleranceRow& row, const CallInput& in,
                   const std::vector<Reference>& first);

// The error record of the run that the result's verdict is about; nothing in it where a fault left no outputs.
ErrorStats errors_of(const Target& target, const CaseResult& r);

// The contents that a case gives each of its calls: row-major values of inputs that are present, nothing for other tensors. Keeps the
// capacity of `inputs`.
void fill_inputs(const Schema& schema, const TestCase& c, std::vector<CallInput>& inputs);

// Elements of two tensors that differ in their bits; all NaNs count as one value, elements that one lacks as different.
std::size_t count_differences(DType t, std::span<const std::byte> a, std::span<const std::byte> b);

// Tiles of an execution: blockDim per axis, threads a block, extents of static shared arrays; sorted, no duplicates, no 1.
std::vector<std::uint32_t> tiles_of(const ExecStatus& status);

}  // namespace warpfuzz
