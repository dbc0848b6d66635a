// `warpfuzz replay`: what was recorded against what happens now.
#include <fmt/format.h>

#include <filesystem>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "cli/commands.h"
#include "client/printed_command.h"

namespace warpfuzz::cli {
namespace {

using nlohmann::json;

// "pass" for no finding, as in the `expect:` line of a .case.
std::string shown(const std::string& key) { return key.empty() ? "pass" : key; }

// An `expect:` line names a key, or a fault class alone.
bool meets(const std::string& expect, const std::string& key, const std::string& fault) {
  return expect == "pass" || expect.empty() ? key.empty() : expect == key || expect == fault;
}

std::string fault_of(const Reply& r) {
  return r.died ? std::string(fault_name(r.died->fault)) : text_of(r.answer, "fault");
}

std::string evidence(const Reply& r, const CaseFile& file) {
  if (r.died) return "inputs and outputs are not known: the process died of the fault, as it does in a campaign";
  if (!file.finding) return "";
  const json& a = r.answer;
  std::string out = flag_of(a, "inputs_identical") ? "inputs bit-identical" : "inputs DIFFER from the recorded ones";
  if (flag_of(a, "from_tensors")) out += " (taken from the file)";
  out += fmt::format("; {:.0f} of {:.0f} outputs differ", number_of(a, "different_outputs"),
                     number_of(a, "total_outputs"));
  out += flag_of(a, "same_compiler") ? "; same compiler and backend" : "; recorded with another compiler or backend";
  if (const std::string note = text_of(a, "note"); !note.empty()) out += "; " + note;
  return out;
}

json replay_json(const Replayed& r, const CaseFile& file, const std::string& target) {
  json j{{"file", file.path},
         {"target", target},
         {"key", r.now},
         {"fault", fault_of(r.reply)},
         {"died", r.reply.died.has_value()}};
  if (r.has_record) j["recorded_key"] = r.recorded, j["reproduced"] = r.same;
  j["answer"] = r.reply.died ? r.reply.died->json : r.reply.answer;
  return j;
}

void print_replay(const Context& c, const Replayed& r, const CaseFile& file, const std::string& target,
                  bool with_report) {
  std::string out = fmt::format("{}: {}\n", printable(file.path, false), target);
  if (r.has_record) out += fmt::format("  recorded  {}\n", shown(r.recorded));
  const std::string summary = r.reply.died ? r.reply.died->message : text_of(r.reply.answer, "summary");
  out += fmt::format("  now       {}{}\n", shown(r.now), summary.empty() ? "" : " (" + summary + ")");
  if (const std::string e = evidence(r.reply, file); !e.empty()) out += fmt::format("  evidence  {}\n", e);
  if (flag_of(r.reply.answer, "drift"))
    out += "  note      only the tight bound was left, unconfirmed: counted as drift, no finding\n";
  if (r.has_record) out += fmt::format("  verdict   {}\n", r.same ? "reproduced" : "DIFFERS from the recorded one");
  if (with_report)
    out += with_replay(r.reply.died ? r.reply.died->report : text_of(r.reply.answer, "report", true),
                       replay_command(c, target, file.path));
  print(out);
}

}  // namespace

Replayed replay_one(const Context& c, TargetClient& target, const CaseFile& file) {
  std::error_code ec;
  const std::string path = std::filesystem::absolute(file.path, ec).string();
  Replayed out;
  std::string expect;
  if (file.kind == CaseFile::Kind::text) expect = encode_case(c, target, file.path, file.text).expect;
  out.reply = target.ask("replay", {{"path", path}}, c.limit(kRunSeconds));
  if (!out.reply.error.empty()) throw Failure(out.reply.exit_code, out.reply.error);
  out.now = out.reply.died ? out.reply.died->key : text_of(out.reply.answer, "key");
  const std::string fault = fault_of(out.reply);
  if (file.finding) {
    out.has_record = true;
    out.recorded = file.finding->fault == FaultClass::none ? "" : bucket_key(*file.finding);
    out.same = out.now == out.recorded;
  } else if (file.kind == CaseFile::Kind::text) {
    out.has_record = true;
    out.same = meets(expect, out.now, fault);
    out.recorded = expect == "pass" ? "" : expect;
  }
  return out;
}

int replay(const Context& c, const ReplayOptions& o) {
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

}  // namespace warpfuzz::cli
