#include "service/service.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "exec/case_witness.h"
#include "exec/device_builds.h"
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

// The fields that are read whatever the command.
struct AnyRequest {
  std::string cmd;
  std::optional<std::string> save;
};
template <class V, MaybeConst<AnyRequest> Q>
void fields(V& v, Q& q) {
  v("cmd", q.cmd);
  v.path("save", q.save);
}

json answer(Serving& s, const json& request) {
  AnyRequest any;
  if (const std::string wrong = read_message(request, any); !wrong.empty()) throw std::runtime_error(wrong);
  s.save = any.save.value_or("");
  s.executions = 0;
  std::vector<const char*> known;
  for (const std::span<const NamedCommand> list :
       {case_commands(), measure_commands(), error_commands(), peer_commands(), tensor_commands(), line_commands()})
    for (const NamedCommand& c : list) {
      if (any.cmd == c.name) return c.run(s, request);
      known.push_back(c.name);
    }
  throw std::runtime_error(fmt::format("unknown cmd '{}'; known are {}", any.cmd, fmt::join(known, " ")));
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
    const Target& target = serving_.target;
    send(to_message(Hello{kProtocol, target.name, target.schema().op, serving_.backend.name(), engine}));
  }
  void take(const std::string& line) {
    json reply, id;
    try {
      const json request = json::parse(line);
      if (request.is_object() && request.contains("id")) id = request["id"];
      reply = answer(serving_, request);
    } catch (const std::exception& e) { reply = to_message(RequestFailed{e.what()}); }
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
    FaultMessage event{f.fault, bucket_key(f), f.message, f.summary, report(f, replay_command_of()), f.place, {}, {}};
    if (s.executions) event.executions = s.executions;
    if (!s.save.empty())
      if (std::string error = write_wfz(s.save, f); !error.empty()) event.save_error = std::move(error);
    send(to_message(event));
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

Target Serving::with_dtype(const std::optional<std::string>& dtype) const {
  Target held = target;
  if (dtype && !dtype->empty())
    if (const std::string error = hold_dtype(held.spec, *dtype); !error.empty()) throw std::runtime_error(error);
  return held;
}

std::string replay_command_of() { return fmt::format("{} FILE", program_path()); }

RunResult result_of(Serving& s, const CaseResult& r, const std::optional<std::string>& save_to) {
  const Finding f = build_finding(s.target, s.backend, r);
  RunResult out;
  out.fault = r.fault;
  out.message = r.message;
  out.summary = f.summary;
  out.step = r.step;
  out.attributes = f.attributes;
  out.wrong = r.verdict.wrong;
  out.total = r.verdict.total;
  out.exact = r.verdict.exact;
  out.drift = r.drift;
  out.max_ratio = r.verdict.max_ratio;
  out.output_hash = output_hash(s.target, r);
  out.errors = summarise(r.evidence->errors);
  if (const WrongElement& w = r.verdict.worst; w.tensor >= 0) out.worst = {w.tensor, w.at, w.ratio};
  if (!r.place.kernel.empty()) out.place = r.place;
  if (r.fault == FaultClass::none) return out;
  out.key = bucket_key(f);
  out.report = report(f, replay_command_of());
  if (save_to)
    if (std::string error = write_wfz(*save_to, f); !error.empty()) out.save_error = std::move(error);
  return out;
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
