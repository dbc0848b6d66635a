#include "engine/serve.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/build_finding.h"
#include "engine/campaign.h"
#include "engine/early_end.h"
#include "engine/feedback.h"
#include "engine/load_case.h"
#include "engine/shrink.h"
#include "exec/cpu/executor.h"
#include "findings/exit_codes.h"
#include "findings/hex.h"
#include "numeric/hash.h"
#include "schema/mutate.h"

namespace warpfuzz {
namespace {

using nlohmann::json;

int g_out = 1;  // the answers' descriptor; the death hook needs it and carries no context
const Target* g_target = nullptr;
Backend* g_backend = nullptr;
Bytes g_current;
std::string g_save;               // where the running request wants a finding's .wfz
std::uint64_t g_executions = 0;   // of the running `random` request

void send(const json& j) {
  const std::string line = j.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t n = write(g_out, line.data() + at, line.size() - at);
    if (n <= 0) std::_Exit(kExitNoTarget);
    at += static_cast<std::size_t>(n);
  }
}

Bytes bytes_of(const json& q) {
  const std::string text = q.at("bytes").get<std::string>();
  if (const std::optional<Bytes> bytes = from_hex(text)) return *bytes;
  throw std::runtime_error(fmt::format("bytes: expected pairs of hexadecimal digits, got '{}'", text.substr(0, 40)));
}

std::string replay_command() { return fmt::format("./fuzz_{} FILE", g_target->name); }

json place_of(const Place& p) {
  return {{"kernel", p.kernel}, {"block", p.block}, {"thread", p.thread}, {"file", p.file}, {"line", p.line}};
}

json result_of(const CaseResult& r, const std::string& save_to = {}) {
  const Finding f = build_finding(*g_target, *g_backend, r);
  json j{{"fault", fault_name(r.fault)}, {"message", r.message}, {"summary", f.summary}, {"attributes", f.attributes},
         {"wrong", r.verdict.wrong}, {"total", r.verdict.total}, {"drift", r.drift}, {"max_ratio", r.verdict.max_ratio},
         {"output_hash", fmt::format("{:016x}", output_hash(*g_target, r))}, {"step", step_name(r.step)}};
  j["key"] = r.fault == FaultClass::none ? "" : bucket_key(f);
  if (!r.place.kernel.empty()) j["place"] = place_of(r.place);
  if (r.fault == FaultClass::none) return j;
  j["report"] = report(f, replay_command());
  if (!save_to.empty())
    if (const std::string error = write_wfz(save_to, f); !error.empty()) j["save_error"] = error;
  return j;
}

void on_death(const ExecStatus& status) {
  const Finding f = build_finding(*g_target, *g_backend, g_current, status);
  json event{{"event", "fault"}, {"fault", fault_name(f.fault)}, {"key", bucket_key(f)}, {"message", f.message},
             {"summary", f.summary}, {"report", report(f, replay_command())}, {"place", place_of(f.place)}};
  if (g_executions) event["executions"] = g_executions;
  if (!g_save.empty())
    if (const std::string error = write_wfz(g_save, f); !error.empty()) event["save_error"] = error;
  send(event);
}

void on_hang(void* pc) {
  ExecStatus status;
  status.fault = FaultClass::hang;
  status.place = cpu::current_place();
  cpu::locate(pc, status.place);
  status.message = fmt::format("the case took more than {} s of processor time", options().hang_seconds);
  on_death(status);
  std::_Exit(kExitFinding);
}

bool on_early_end(const char*) {
  const ExecStatus* status = cpu::running_case();
  if (!status || status->fault == FaultClass::none || status->fault == FaultClass::unsupported) return false;
  on_death(*status);
  return true;
}

class Server {
 public:
  Server(const Target& target, Backend& backend) : target_(target), backend_(backend), watchdog_(options().hang_seconds, on_hang) {}

  json answer(const json& q) {
    const std::string cmd = q.at("cmd").get<std::string>();
    g_save = q.value("save", "");
    g_executions = 0;
    if (cmd == "describe") return describe_command();
    if (cmd == "encode") return encode_command(q);
    if (cmd == "decode") return decode_command(q);
    if (cmd == "run") return result_of(run(bytes_of(q), nullptr), q.value("save", ""));
    if (cmd == "replay") return replay_command_(q);
    if (cmd == "shrink") return shrink_command(q);
    if (cmd == "candidates") return candidates_command(q);
    if (cmd == "features") return features_command(q);
    if (cmd == "random") return random_command(q);
    if (cmd == "profile") return profile_command(q);
    throw std::runtime_error(fmt::format("unknown cmd '{}'; known are describe encode decode run replay shrink candidates features random profile", cmd));
  }

 private:
  CaseResult run(const Bytes& bytes, const std::vector<CallInput>* inputs) {
    g_current = bytes;
    RunSettings settings;
    settings.every_check = true;
    settings.inputs = inputs;
    watchdog_.begin();
    CaseResult r = run_case(target_, backend_, bytes, settings);
    watchdog_.end();
    return r;
  }

  json describe_command() const {
    const Schema& s = target_.schema();
    json j{{"target", target_.name}, {"op", s.op}, {"backend", backend_.name()}, {"compiler", __VERSION__},
           {"table_version", tolerance_table_version()}, {"narrowings", target_.spec.narrowings()},
           {"dialects", describe(target_.spec.dialects())}};
    for (const char* list : {"dtypes", "dims", "tensors", "scalars", "flags"}) j[list] = json::array();
    for (const DTypeCombo& d : s.dtypes) j["dtypes"].push_back(d.name);
    for (const DimSpec& d : s.dims)
      j["dims"].push_back({{"name", d.name}, {"min", d.min}, {"max", d.max}, {"multiple_of", d.multiple_of}, {"derived", bool(d.derive)}});
    static constexpr const char* kRoles[] = {"in", "out", "inout", "workspace"};
    for (const TensorSpec& t : s.tensors)
      j["tensors"].push_back({{"name", t.name}, {"role", kRoles[static_cast<int>(t.role)]}, {"optional", t.optional}});
    for (const ScalarSpec& x : s.scalars) j["scalars"].push_back({{"name", x.name}, {"values", x.values}});
    for (const FlagSpec& x : s.flags) j["flags"].push_back(x.name);
    return j;
  }

  json encode_command(const json& q) const {
    const ParsedCase p = parse_text(target_.schema(), q.at("text").get<std::string>());
    if (!p.error.empty()) throw std::runtime_error(p.error);
    return {{"bytes", to_hex(encode(target_.schema(), p.test_case))}, {"expect", p.expect}};
  }

  json decode_command(const json& q) const {
    const TestCase c = decode(target_.schema(), bytes_of(q));
    return {{"bytes", to_hex(encode(target_.schema(), c))}, {"text", to_text(target_.schema(), c)}, {"summary", summary(target_.schema(), c)}};
  }

  json replay_command_(const json& q) {
    const LoadedCase loaded = load_case(target_, q.at("path").get<std::string>());
    if (!loaded.error.empty()) throw std::runtime_error(loaded.error);
    std::string error;
    std::vector<CallInput> inputs;
    if (loaded.finding) inputs = inputs_of(target_, decode(target_.schema(), loaded.bytes), *loaded.finding, error);
    const bool stored = loaded.finding && error.empty();
    const CaseResult r = run(loaded.bytes, stored ? &inputs : nullptr);
    json j = result_of(r, q.value("save", ""));
    j["bytes"] = to_hex(r.bytes);
    j["expect"] = loaded.expect;
    if (!loaded.finding) return j;
    const Comparison c = compare_replay(target_, r, *loaded.finding);
    const std::string recorded = bucket_key(*loaded.finding);
    j["recorded_key"] = recorded;
    j["same_key"] = j["key"] == recorded;
    j["inputs_identical"] = c.inputs_identical;
    j["different_outputs"] = c.different_outputs;
    j["total_outputs"] = c.total_outputs;
    j["same_binary"] = loaded.finding->compiler == __VERSION__ && loaded.finding->backend == backend_.name();
    j["from_tensors"] = stored;
    if (!error.empty()) j["note"] = error;
    return j;
  }

  json shrink_command(const json& q) {
    Bytes bytes;
    if (q.contains("path")) {
      const LoadedCase loaded = load_case(target_, q["path"].get<std::string>());
      if (!loaded.error.empty()) throw std::runtime_error(loaded.error);
      bytes = loaded.bytes;
    } else {
      bytes = bytes_of(q);
    }
    const CaseResult start = run(bytes, nullptr);
    if (start.fault == FaultClass::none) throw std::runtime_error("nothing to shrink: the case has no finding");
    const Shrunk s = shrink(target_, backend_, start, q.value("seconds", 5.0), {});
    json j = result_of(s.best, q.value("save", ""));
    j["bytes"] = to_hex(s.best.bytes);
    j["text"] = to_text(target_.schema(), s.best.test_case, fault_name(s.best.fault));
    j["attempts"] = s.attempts;
    j["complete"] = s.complete;
    return j;
  }

  json candidates_command(const json& q) const {
    const TestCase c = decode(target_.schema(), bytes_of(q));
    json list = json::array();
    const std::uint64_t now = complexity(target_.schema(), c);
    for (const TestCase& candidate : shrink_candidates(target_.schema(), c))
      if (complexity(target_.schema(), candidate) < now) list.push_back(to_hex(encode(target_.schema(), candidate)));
    return {{"candidates", list}};
  }

  json features_command(const json& q) {
    RunSettings settings;
    settings.extra_run_one_in = options().extra_run_one_in;
    clear_features();
    g_current = bytes_of(q);
    const CaseResult r = run_case(target_, backend_, g_current, settings);
    add_features(target_.schema(), r);
    return {{"features", current_features()}, {"fault", fault_name(r.fault)}};
  }

  json random_command(const json& q) {
    const std::uint64_t cases = q.at("cases").get<std::uint64_t>(), seed = q.at("seed").get<std::uint64_t>();
    const bool stop = q.value("stop", true);
    Target target = target_;
    if (const std::string dtype = q.value("dtype", ""); !dtype.empty())
      if (const std::string error = hold_dtype(target.spec, dtype); !error.empty()) throw std::runtime_error(error);
    RunSettings settings;
    settings.extra_run_one_in = options().extra_run_one_in;
    Tally tally;
    std::uint64_t first = 0;
    for (std::uint64_t i = 0; i < cases; i++) {
      g_current = random_case(hash_combine(seed, i));
      g_executions = i + 1;
      watchdog_.begin();
      const CaseResult r = run_case(target, backend_, g_current, settings);
      watchdog_.end();
      tally.add(r);
      cpu::clear_compare_operands();
      if (r.fault == FaultClass::none) continue;
      tally.keys[bucket_key(target_.name, r.fault, r.place.kernel)]++;
      if (!first) first = i + 1;
      if (stop) break;
    }
    json unspecified = json::object();
    for (int i = 1; i < kReasonCount; i++)
      if (tally.unspecified[i])
        unspecified[reason_name(static_cast<Reason>(i))] = static_cast<double>(tally.unspecified[i]) / static_cast<double>(tally.elements);
    return {{"executions", tally.executions}, {"keys", tally.keys}, {"first_finding", first}, {"unspecified", unspecified},
            {"wholly_unspecified", tally.wholly_unspecified}, {"drift", tally.drift}, {"max_ratio", tally.max_ratio}};
  }

  json profile_command(const json& q) {
    const int repeat = std::max(1, q.value("repeat", 5));
    RunSettings settings;
    settings.extra_run_one_in = 0;
    json list = json::array();
    for (const json& item : q.at("cases")) {
      const Bytes bytes = bytes_of({{"bytes", item}});
      // The execution of median total time: means would show what else the machine did.
      std::vector<StageTimes> runs;
      Scratch scratch;
      settings.scratch = &scratch;
      for (int i = -1; i < repeat; i++) {  // the first one warms up
        g_current = bytes;
        CaseResult r = run_case(target_, backend_, bytes, settings);
        cpu::clear_compare_operands();
        if (i >= 0) runs.push_back(r.times);
        scratch.take_back(r);
      }
      const auto middle = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
      std::nth_element(runs.begin(), middle, runs.end(), [](const StageTimes& a, const StageTimes& b) { return a.total < b.total; });
      const StageTimes t = *middle;
      const std::uint64_t known = t.decode + t.fill + t.kernel + t.reference + t.judge;
      list.push_back({{"summary", summary(target_.schema(), decode(target_.schema(), bytes))}, {"decode", t.decode}, {"fill", t.fill},
                      {"kernel", t.kernel}, {"reference", t.reference}, {"judge", t.judge},
                      {"rest", t.total - std::min(known, t.total)}, {"total", t.total}});
    }
    return {{"profile", list}};
  }

  const Target& target_;
  Backend& backend_;
  Watchdog watchdog_;
};

}  // namespace

int serve(const Target& target, Backend& backend, const char* engine) {
  // Kernels print to standard output; it becomes standard error, and the answers get a descriptor of their own.
  g_out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  g_target = &target;
  g_backend = &backend;
  cpu::set_death_hook(on_death);
  set_early_end_handler(on_early_end);
  send({{"event", "hello"}, {"protocol", 1}, {"target", target.name}, {"op", target.schema().op}, {"backend", backend.name()}, {"engine", engine}});
  Server server(target, backend);
  for (std::string line; std::getline(std::cin, line);) {
    if (line.empty()) continue;
    json answer, id;
    try {
      const json request = json::parse(line);
      if (request.is_object() && request.contains("id")) id = request["id"];
      answer = server.answer(request);
    } catch (const std::exception& e) {
      answer = {{"error", e.what()}};
    }
    if (!id.is_null()) answer["id"] = id;
    send(answer);
  }
  return 0;
}

}  // namespace warpfuzz
