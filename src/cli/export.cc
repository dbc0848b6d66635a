// `warpfuzz export`: a finding as a program of its own for the kernel's author, and as arrays for NumPy.
#include <fmt/format.h>

#include <filesystem>

#include "cli/commands.h"
#include "cli/repro.h"
#include "findings/exit_codes.h"
#include "findings/json_fields.h"

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The first line of a report without the sanitizers' grammar.
std::string headline_of(const std::string& report) {
  std::string line = report.substr(0, report.find('\n'));
  constexpr std::string_view kMark = "ERROR: ";
  if (const std::size_t at = line.find(kMark); at != std::string::npos) line.erase(0, at + kMark.size());
  return line;
}

// Asks twice where the fault ends the target's process: what the outputs may be needs no run.
Repro ask(const Context& c, const ExportOptions& o, const CaseFile& file, const std::string& target) {
  TargetClient client(target_binary(c, target));
  std::error_code ec;
  const std::string path = fs::absolute(o.file, ec).string();
  Repro r;
  r.target = target;
  Reply reply = client.ask("tensors", {{"path", path}}, c.limit(kRunSeconds));
  std::string report;
  if (reply.died) {
    const FaultEvent event = *reply.died;
    r.key = event.key;
    r.fault = event.fault;
    report = event.report;
    reply = client.ask("tensors", {{"path", path}, {"run", false}}, c.limit(kQuickSeconds));
  } else {
    r.key = text_of(reply.answer, "key");
    r.fault = fault_from_name(text_of(reply.answer, "fault")).value_or(FaultClass::none);
    report = text_of(reply.answer, "report", true);
  }
  if (reply.exit_code == kExitTargetError) throw Failure(kExitBadFile, fmt::format("'{}': {}", printable(o.file, false), reply.error));
  const json answer = must(std::move(reply));
  r.headline = headline_of(report);
  if (const std::string error = read_repro(answer, r); !error.empty())
    throw Failure(kExitNoTarget, fmt::format("the target's answer to 'tensors': {}", error));
  if (const std::string text = text_of(answer, "note"); !text.empty()) note(text);
  if (file.finding && bucket_key(*file.finding) != r.key)
    note(fmt::format("'{}' was recorded as {}, now it is {}: what is exported is the case as it is judged now", printable(o.file, false),
                     bucket_key(*file.finding), r.key.empty() ? "pass" : r.key));
  return r;
}

void write(const std::string& path, std::span<const std::uint8_t> bytes) {
  if (const std::string error = write_file(path, bytes); !error.empty()) throw Failure(kExitCannotWrite, error);
}

}  // namespace

int export_case(const Context& c, const ExportOptions& o) {
  if (o.cu.empty() && o.npz.empty()) throw Failure(kExitUsage, "export: expected --cu FILE, --npz FILE or both");
  const CaseFile file = load(o.file);
  const std::string target = target_of(file, o.target);
  const Repro r = ask(c, o, file, target);
  if (!o.cu.empty()) {
    const std::string text = repro_cu(r, read_target_source(build_entry(c.bin, target)), fs::path(o.cu).filename().string());
    write(o.cu, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
  if (!o.npz.empty()) write(o.npz, repro_npz(r));
  if (c.json) {
    json j{{"file", o.file}, {"target", target}, {"key", r.key}, {"fault", fault_name(r.fault)}};
    if (!o.cu.empty()) j["cu"] = o.cu;
    if (!o.npz.empty()) j["npz"] = o.npz;
    print_json(j);
    return kExitOk;
  }
  std::string out = fmt::format("{}\n", r.key.empty() ? target + ": no finding" : r.key);
  if (!o.cu.empty())
    out += fmt::format("  {}: nvcc -std=c++20 -arch=native {} -o repro && ./repro   (exit code {})\n", printable(o.cu, false), printable(o.cu, false),
                       r.key.empty() ? "0: right" : "1 or 2: reproduced");
  if (!o.npz.empty()) out += fmt::format("  {}: numpy.load()\n", printable(o.npz, false));
  print(out);
  return kExitOk;
}

}  // namespace warpfuzz::cli
