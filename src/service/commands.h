// The commands of the line protocol (docs/protocol.md), by the file that holds them, and what they share.
#pragma once
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "pipeline/run_case.h"
#include "process/watchdog.h"

namespace warpfuzz {

struct Serving {
  const Target& target;
  Backend& backend;
  Watchdog watchdog;
  Bytes current;                 // the case that runs: what a fatal fault is about
  std::string save;              // where the running request wants a finding's .wfz
  std::uint64_t executions = 0;  // of a request that counts them

  // One case with every check and all evidence; inputs null: the fills' own.
  CaseResult run(const Bytes& bytes, const std::vector<CallInput>* inputs);
  static RunSettings every_check(const std::vector<CallInput>* inputs);
  // The same with other settings, under the watchdog; also forgets the comparisons that only a campaign's mutator wants.
  CaseResult run(const Target& target, const Bytes& bytes, const RunSettings& settings);
  CaseResult run(const Target& target, const TestCase& c, const RunSettings& settings);
  // The target with its dtype held, from a request's `dtype` ("" or absent: as it is).
  Target with_dtype(const nlohmann::json& request) const;
};

// A request that cannot be answered throws std::runtime_error with one line.
using ServeCommand = nlohmann::json (*)(Serving&, const nlohmann::json& request);
struct NamedCommand {
  const char* name;
  ServeCommand run;
};
std::span<const NamedCommand> case_commands();     // serve_cases.cc: one case each
std::span<const NamedCommand> measure_commands();  // serve_measure.cc: many cases, times, features
std::span<const NamedCommand> error_commands();    // serve_errors.cc: error records, calibration
std::span<const NamedCommand> peer_commands();     // serve_peers.cc: other tools' checks
std::span<const NamedCommand> tensor_commands();   // serve_tensors.cc: a case's tensors and what each output may be

// A case as "The Correctness Illusion" samples them (oracle/peer_plan.h).
CaseResult run_paper_case(Serving& s, const Target& target, std::uint64_t seed, RunSettings settings);

// The field `bytes` of a request, or throws.
Bytes bytes_of(const nlohmann::json& request);
// A result as the protocol defines it; save_to: a path for the finding's .wfz.
nlohmann::json result_of(Serving& s, const CaseResult& r, const std::string& save_to = {});
nlohmann::json place_of(const Place& p);
std::string replay_command_of();  // this binary and FILE, as a person would type them

}  // namespace warpfuzz
