// The commands of the line protocol (docs/protocol.md), by the file that holds them, and what they share.
#pragma once
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>

#include "base/fields/json_reader.h"
#include "base/fields/json_writer.h"
#include "pipeline/run_case.h"
#include "process/watchdog.h"
#include "protocol/messages.h"

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
  // The target with its dtype held; "" or none: as it is.
  Target with_dtype(const std::optional<std::string>& dtype) const;
};

// A request that cannot be answered throws std::runtime_error with one line.
using ServeCommand = nlohmann::json (*)(Serving&, const nlohmann::json& request);
struct NamedCommand {
  const char* name;
  ServeCommand run;
};

// A command as a function of its request's struct, which returns the answer's, or a variant of two.
template <class F>
struct Handler;
template <class A, class Q>
struct Handler<A (*)(Serving&, const Q&)> {
  using Request = Q;
};
template <class A>
nlohmann::json answer_of(const A& answer) {
  return to_message(answer);
}
template <class... A>
nlohmann::json answer_of(const std::variant<A...>& answer) {
  return std::visit([](const auto& a) { return to_message(a); }, answer);
}
template <auto handle>
constexpr NamedCommand command() {
  using Q = typename Handler<decltype(handle)>::Request;
  return {Q::kCommand, [](Serving& s, const nlohmann::json& request) {
            Q q;
            if (const std::string wrong = read_message(request, q); !wrong.empty()) throw std::runtime_error(wrong);
            return answer_of(handle(s, q));
          }};
}

std::span<const NamedCommand> case_commands();     // cases.cc: one case each
std::span<const NamedCommand> measure_commands();  // measure.cc: many cases, times, features
std::span<const NamedCommand> error_commands();    // errors.cc: error records, calibration
std::span<const NamedCommand> peer_commands();     // peers.cc: other tools' checks
std::span<const NamedCommand> line_commands();     // lines.cc: which lines of a kernel are reached
std::span<const NamedCommand> tensor_commands();   // tensors.cc: a case's tensors and what each output may be

// A case as "The Correctness Illusion" samples them (oracle/peer_plan.h).
CaseResult run_paper_case(Serving& s, const Target& target, std::uint64_t seed, RunSettings settings);

// A result as the protocol defines it; save_to: a path for the finding's .wfz.
RunResult result_of(Serving& s, const CaseResult& r, const std::optional<std::string>& save_to = {});
std::string replay_command_of();  // this binary and FILE, as a person would type them

}  // namespace warpfuzz
