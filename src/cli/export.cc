// `warpfuzz export`: a finding as a program of its own for the kernel's author, and as arrays for NumPy.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "base/shell_text.h"
#include "cli/parser/command.h"
#include "client/output_file.h"
#include "client/printed_command.h"
#include "export/repro.h"

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Options {
  std::string file, target, cu, npz;  // cu, npz: empty: not written
};

void declare(CLI::App& a, Options& o) {
  a.add_option("FILE", o.file, ".wfz, .case or raw case")->required();
  a.add_option("--cu", o.cu, "Where to write the program");
  a.add_option("--npz", o.npz, "Where to write inputs, outputs, references and intervals");
  a.add_option("--target", o.target, "Target to judge by (default: of the .wfz, or the name of the folder)");
}

// The first line of a report without the sanitizers' grammar.
std::string headline_of(const std::string& report) {
  std::string line = report.substr(0, report.find('\n'));
  constexpr std::string_view kMark = "ERROR: ";
  if (const std::size_t at = line.find(kMark); at != std::string::npos) line.erase(0, at + kMark.size());
  return line;
}

// Asks twice where the fault ends the target's process: what the outputs may be needs no run.
Repro ask(const Context& c, const Options& o, const CaseFile& file, const std::string& target) {
  TargetClient client(target_binary(c, target));
  if (file.kind == CaseFile::Kind::text) encode_case(c, client, o.file, file.text);
  std::error_code ec;
  const std::string path = fs::absolute(o.file, ec).string();
  Repro r;
  r.target = target;
  Reply<CaseTensors> reply = client.ask(TensorsRequest{path, {}, {}}, c.limit(kRunSeconds));
  std::string report;
  if (reply.died) {
    const FaultMessage event = *reply.died;
    r.key = event.key;
    r.fault = event.fault;
    report = event.report;
    reply = client.ask(TensorsRequest{path, {}, false}, c.limit(kQuickSeconds));
  } else if (const std::optional<RunResult>& result = reply.answer.result) {
    r.key = result->key;
    r.fault = result->fault;
    r.step = result->step;
    report = result->report.value_or("");
  }
  if (reply.exit_code == kExitTargetError)
    throw Failure(kExitBadFile, fmt::format("'{}': {}", printable(o.file, false), reply.error));
  r.contents = must(std::move(reply));
  r.headline = headline_of(report);
  if (const std::string error = check_tensors(r.contents); !error.empty())
    throw Failure(kExitNoTarget, fmt::format("the target's answer to 'tensors': {}", error));
  if (!r.contents.note.empty()) note(r.contents.note);
  if (file.finding && bucket_key(*file.finding) != r.key)
    note(fmt::format("'{}' was recorded as {}, now it is {}: what is exported is the case as it is judged now",
                     printable(o.file, false), bucket_key(*file.finding), r.key.empty() ? "pass" : r.key));
  return r;
}

// The program; a Failure where no compiler would take it.
std::string program_of(const Context& c, const Options& o, const CaseFile& file, const Repro& r,
                       const TargetSource& source) {
  std::string text = repro_cu(r, source, fs::path(o.cu).filename().string());
  if (text.size() <= kReproLimit) return text;
  std::vector<std::string> shrink{"shrink", as_typed(o.file)};
  if (!file.finding) shrink.insert(shrink.end(), {"--target", r.target});
  throw Failure(
      kExitUsage,
      fmt::format("the .cu would have {} MiB, at most {} make sense for a compiler: shrink the case first: {}",
                  text.size() >> 20, kReproLimit >> 20, printed_command(c, shrink)));
}

// What is read for an export: the case and, for a program, the sources of the target.
std::vector<std::string> inputs_of(const Options& o, const TargetSource& source) {
  std::vector<std::string> inputs{o.file};
  inputs.insert(inputs.end(), source.files.begin(), source.files.end());
  if (!source.source.empty()) inputs.push_back(source.source);
  return inputs;
}

int run(const Context& c, const Options& o) {
  if (o.cu.empty() && o.npz.empty()) throw Failure(kExitUsage, "export: expected --cu FILE, --npz FILE or both");
  const CaseFile file = load(o.file);
  const std::string target = target_of(file, o.target);
  const std::vector<NamedOutput> outputs{{"--cu", o.cu}, {"--npz", o.npz}};
  check_outputs(c, outputs, {o.file});
  const Repro r = ask(c, o, file, target);
  const TargetSource source = o.cu.empty() ? TargetSource{} : read_target_source(build_entry(c.bin, target));
  check_outputs(c, outputs, inputs_of(o, source));
  if (!o.cu.empty()) {
    const std::string text = program_of(c, o, file, r, source);
    write_output(o.cu, text);
  }
  if (!o.npz.empty()) write_output(o.npz, repro_npz(r));
  if (c.json) {
    json j{{"file", o.file}, {"target", target}, {"key", r.key}, {"fault", fault_name(r.fault)}};
    if (!o.cu.empty()) j["cu"] = o.cu;
    if (!o.npz.empty()) j["npz"] = o.npz;
    print_json(j);
    return kExitOk;
  }
  if (std::any_of(outputs.begin(), outputs.end(), [](const NamedOutput& out) { return out.standard(); }))
    return kExitOk;
  std::string out = fmt::format("{}\n", r.key.empty() ? target + ": no finding" : r.key);
  if (!o.cu.empty())
    out += fmt::format("  {}: {}   # exit code {}\n", printable(o.cu, false), build_command(as_typed(o.cu)),
                       r.key.empty() ? "0: right" : "1 or 2: reproduced");
  if (!o.npz.empty()) out += fmt::format("  {}: numpy.load()\n", printable(o.npz, false));
  print(out);
  return kExitOk;
}

}  // namespace

extern const Command kExport{
    "export", "A finding for the kernel's author: a .cu that nvcc builds without WarpFuzz, its tensors for NumPy",
    declare, run};

}  // namespace warpfuzz::cli
