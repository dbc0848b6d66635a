// `warpfuzz replay`: what was recorded against what happens now.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "cli/parser/command.h"
#include "client/printed_command.h"
#include "client/replayed.h"

namespace warpfuzz::cli {
namespace {

using nlohmann::json;

struct Options {
  std::vector<std::string> files;
  std::string target;
  bool report = false;
};

void declare(CLI::App& a, Options& o) {
  a.add_option("FILE", o.files, ".wfz, .case or raw cases")->required();
  a.add_option("--target", o.target, "Target to run them on (default: of the .wfz, or the name of the folder)");
  a.add_flag("--report", o.report, "Print the report of what happens now");
}

// "pass" for no finding, as in the `expect:` line of a .case.
std::string shown(const std::string& key) { return key.empty() ? "pass" : key; }

std::string evidence(const Reply<ReplayResult>& r) {
  if (r.died) return "inputs and outputs are not known: the process died of the fault, as it does in a campaign";
  if (!r.answer.recorded) return "";
  const Recorded& a = *r.answer.recorded;
  std::string out = a.inputs_identical ? "inputs bit-identical" : "inputs DIFFER from the recorded ones";
  if (a.from_tensors) out += " (taken from the file)";
  out += fmt::format("; {} of {} outputs differ", a.different_outputs, a.total_outputs);
  out += a.same_compiler ? "; same compiler and backend" : "; recorded with another compiler or backend";
  if (r.answer.note) out += "; " + *r.answer.note;
  return out;
}

json replay_json(const Replayed& r, const CaseFile& file, const std::string& target) {
  json j{
      {"file", file.path}, {"target", target}, {"key", r.now}, {"fault", r.fault}, {"died", r.reply.died.has_value()}};
  if (r.has_record) j["recorded_key"] = r.recorded, j["reproduced"] = r.same;
  j["answer"] = r.reply.died ? to_message(*r.reply.died) : to_message(r.reply.answer);
  return j;
}

void print_replay(const Context& c, const Replayed& r, const CaseFile& file, const std::string& target,
                  bool with_report) {
  std::string out = fmt::format("{}: {}\n", printable(file.path, false), target);
  if (r.has_record) out += fmt::format("  recorded  {}\n", shown(r.recorded));
  const std::string summary = r.reply.died ? r.reply.died->message : r.reply.answer.result.summary;
  out += fmt::format("  now       {}{}\n", shown(r.now), summary.empty() ? "" : " (" + summary + ")");
  if (const std::string e = evidence(r.reply); !e.empty()) out += fmt::format("  evidence  {}\n", e);
  if (r.reply.answer.result.drift)
    out += "  note      only the tight bound was left, unconfirmed: counted as drift, no finding\n";
  if (r.has_record) out += fmt::format("  verdict   {}\n", r.same ? "reproduced" : "DIFFERS from the recorded one");
  if (with_report)
    out += with_replay(r.reply.died ? r.reply.died->report : r.reply.answer.result.report.value_or(""),
                       replay_command(c, target, file.path));
  print(out);
}

int run(const Context& c, const Options& o) {
  int differs = kExitOk, failed = kExitOk;
  bool found = false;
  json list = json::array();
  for (const std::string& path : o.files) {
    try {
      const CaseFile file = load(path);
      const std::string target = target_of(file, o.target);
      TargetClient client(target_binary(c, target));
      const Replayed r = replay_one(c, client, file);
      if (r.has_record && !r.same) differs = kExitReplayDiffers;
      found = found || (!r.has_record && !r.now.empty());
      if (c.json) list.push_back(replay_json(r, file, target));
      else print_replay(c, r, file, target, o.report || (!r.has_record && !r.now.empty()));
    } catch (const Failure& f) {
      failed = failed ? failed : f.code;
      list.push_back({{"file", path}, {"error", f.what()}});
      note(f.what());
    }
  }
  if (c.json) print_json({{"replayed", list}});
  if (failed) return failed;
  return differs ? differs : found ? kExitFinding : kExitOk;
}

}  // namespace

extern const Command kReplay{
    "replay", "Run findings again: recorded against now. Exit code 0 when every recorded verdict is reproduced",
    declare, run};

}  // namespace warpfuzz::cli
