#include "service/service.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/exit_codes.h"
#include "base/hex.h"
#include "base/json_fields.h"
#include "exec/case_witness.h"
#include "exec/device_builds.h"
#include "findings/error_json.h"
#include "pipeline/build_finding.h"
#include "pipeline/options.h"
#include "pipeline/tensors/recorded_case.h"
#include "process/death/early_end.h"
#include "process/death/hang.h"
#include "process/death/target_fault.h"
#include "process/say.h"
#include "service/commands.h"

namespace warpfuzz {

using nlohmann::json;

namespace {

json answer(Serving& s, const json& request) {
  const std::string cmd = request.at("cmd").get<std::string>();
  s.save = request.value("save", "");
  s.executions = 0;
  std::vector<const char*> known;
  for (const std::span<const NamedCommand> list :
       {case_commands(), measure_commands(), error_commands(), peer_commands(), tensor_commands()})
    for (const NamedCommand& c : list) {
      if (cmd == c.name) return c.run(s, request);
      known.push_back(c.name);
    }
  throw std::runtime_error(fmt::format("unknown cmd '{}'; known are {}", cmd, fmt::join(known, " ")));
}

// A client's session: what it asks, and what it is told when a case ends the process in the middle of a request.
class Session {
 public:
  Session(const Target& target, Backend& backend, int out)
      : out_(out),
        serving_{target,
                 backend,
                 Watchdog({.processor = options().hang_seconds}, Watchdog::Handler::to<&Session::on_hang>(*this)),
                 {},
                 {},
                 0} {
    choose_device(backend, options().gpu, options().hang_seconds);
    set_death_hook(backend, DeathHook::to<&Session::on_death>(*this));
    set_early_end_handler(EarlyEndHandler::to<&Session::on_early_end>(*this));
    watch_target_code();
  }
  ~Session() {  // the process ends after it, and exit() asks the handler too
    set_early_end_handler({});
    set_death_hook(serving_.backend, {});
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void greet(const char* engine) {
    send({{"event", "hello"},
          {"protocol", 1},
          {"target", serving_.target.name},
          {"op", serving_.target.schema().op},
          {"backend", serving_.backend.name()},
          {"engine", engine}});
  }
  void take(const std::string& line) {
    json reply, id;
    try {
      const json request = json::parse(line);
      if (request.is_object() && request.contains("id")) id = request["id"];
      reply = answer(serving_, request);
    } catch (const std::exception& e) { reply = {{"error", e.what()}}; }
    if (!id.is_null()) reply["id"] = id;
    send(reply);
  }

 private:
  void send(const json& j) {
    const std::string line = j.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    for (std::size_t at = 0; at < line.size();) {
      const ssize_t n = write(out_, line.data() + at, line.size() - at);
      if (n <= 0) std::_Exit(kExitNoTarget);
      at += static_cast<std::size_t>(n);
    }
  }

  void on_death(const ExecStatus& status) {
    const Serving& s = serving_;
    const Finding f = build_finding(s.target, s.backend, s.current, status);
    json event{{"event", "fault"},          {"fault", fault_name(f.fault)}, {"key", bucket_key(f)},
               {"message", f.message},      {"summary", f.summary},         {"report", report(f, replay_command_of())},
               {"place", place_of(f.place)}};
    if (s.executions) event["executions"] = s.executions;
    if (!s.save.empty())
      if (const std::string error = write_wfz(s.save, f); !error.empty()) event["save_error"] = error;
    send(event);
  }

  void on_hang(void* pc, Overrun overrun) {
    on_death(hang_status(serving_.backend, pc, overrun));
    std::_Exit(kExitFinding);
  }

  bool on_early_end(const char* how) {
    blame_target_code(fmt::format("called {}", how));
    const ExecStatus* status = running_case(serving_.backend);
    if (!status || status->fault == FaultClass::none || status->fault == FaultClass::unsupported) return false;
    on_death(*status);
    return true;
  }

  int out_;  // the answers' descriptor
  Serving serving_;
};

}  // namespace

RunSettings Serving::every_check(const std::vector<CallInput>* inputs) {
  RunSettings settings;
  settings.every_check = true;
  settings.inputs = inputs;
  settings.keep = Keep::everything;
  return settings;
}

CaseResult Serving::run(const Bytes& bytes, const std::vector<CallInput>* inputs) {
  return run(target, bytes, every_check(inputs));
}

CaseResult Serving::run(const Target& t, const Bytes& bytes, const RunSettings& settings) {
  current = bytes;
  watchdog.begin();
  CaseResult r = run_case(t, backend, bytes, settings);
  watchdog.end();
  backend.clear_compare_operands();
  return r;
}

CaseResult Serving::run(const Target& t, const TestCase& c, const RunSettings& settings) {
  current = encode(t.schema(), c);
  watchdog.begin();
  CaseResult r = run_case(t, backend, c, settings);
  watchdog.end();
  backend.clear_compare_operands();
  return r;
}

Target Serving::with_dtype(const json& request) const {
  Target held = target;
  if (const std::string dtype = request.value("dtype", ""); !dtype.empty())
    if (const std::string error = hold_dtype(held.spec, dtype); !error.empty()) throw std::runtime_error(error);
  return held;
}

Bytes bytes_of(const json& request) {
  const std::string text = request.at("bytes").get<std::string>();
  if (const std::optional<Bytes> bytes = from_hex(text)) return *bytes;
  throw std::runtime_error(fmt::format("bytes: expected pairs of hexadecimal digits, got '{}'", text.substr(0, 40)));
}

std::string replay_command_of() { return fmt::format("{} FILE", program_path()); }

json place_of(const Place& p) {
  return {{"kernel", p.kernel}, {"block", p.block}, {"thread", p.thread}, {"file", p.file}, {"line", p.line}};
}

json result_of(Serving& s, const CaseResult& r, const std::string& save_to) {
  const Finding f = build_finding(s.target, s.backend, r);
  json j{{"fault", fault_name(r.fault)},
         {"message", r.message},
         {"summary", f.summary},
         {"attributes", f.attributes},
         {"wrong", r.verdict.wrong},
         {"total", r.verdict.total},
         {"exact", r.verdict.exact},
         {"drift", r.drift},
         {"max_ratio", r.verdict.max_ratio},
         {"output_hash", fmt::format("{:016x}", output_hash(s.target, r))},
         {"step", step_name(r.step)},
         {"errors", to_json(summarise(r.evidence->errors))}};
  j["key"] = r.fault == FaultClass::none ? "" : bucket_key(f);
  if (const WrongElement& w = r.verdict.worst; w.tensor >= 0)
    j["worst"] = {{"tensor", w.tensor}, {"at", w.at}, {"ratio", number_to_json(w.ratio)}};
  if (!r.place.kernel.empty()) j["place"] = place_of(r.place);
  if (r.fault == FaultClass::none) return j;
  j["report"] = report(f, replay_command_of());
  if (!save_to.empty())
    if (const std::string error = write_wfz(save_to, f); !error.empty()) j["save_error"] = error;
  return j;
}

int serve(const Target& target, Backend& backend, const char* engine) {
  // Kernels print to standard output; it becomes standard error, and the answers get a descriptor of their own.
  const int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  Session session(target, backend, out);
  session.greet(engine);
  for (std::string line; std::getline(std::cin, line);)
    if (!line.empty()) session.take(line);
  return 0;
}

}  // namespace warpfuzz
