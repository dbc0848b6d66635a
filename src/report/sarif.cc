// SARIF 2.1.0.
#include <fmt/format.h>

#include <set>

#include "base/version.h"
#include "report/forms.h"
#include "report/markup.h"

namespace warpfuzz::cli {
namespace {

using nlohmann::json;

// A path as a URI reference: everything but unreserved characters and slashes is encoded.
std::string uri(const std::string& path) {
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    out += plain && c ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return path.starts_with('/') ? "file://" + out : out;
}

json rule(const std::string& fault) {
  const auto known = fault_from_name(fault);
  const std::string text = known ? std::string(fault_info(*known).meaning) : fault;
  return {{"id", visible(fault)},
          {"name", visible(fault)},
          {"shortDescription", {{"text", visible(text)}}},
          {"defaultConfiguration", {{"level", "error"}}},
          {"properties", {{"tags", {"correctness", "gpu"}}}}};
}

json result(const ReportFinding& f, std::size_t rule_index) {
  std::string message = visible(f.headline);
  if (!f.replay.empty()) message += "\nReplay: " + visible(f.replay);
  json r = {{"ruleId", visible(f.row.fault)},
            {"ruleIndex", rule_index},
            {"level", "error"},
            {"message", {{"text", message}}},
            {"fingerprints", {{"warpfuzz/key", visible(f.row.key)}}},
            {"partialFingerprints", {{"warpfuzzKey/v1", visible(f.row.key)}}},
            {"occurrenceCount", std::max<std::uint64_t>(1, f.row.count)}};
  json properties = {
      {"target", visible(f.row.target)}, {"firstSeen", utc(f.row.first_seen)}, {"lastSeen", utc(f.row.last_seen)}};
  for (const auto& [name, value] : {std::pair{"kind", f.row.kind},
                                    {"location", f.row.location},
                                    {"dtype", f.row.dtype},
                                    {"severity", f.row.severity},
                                    {"reproducer", f.path}})
    if (!value.empty()) properties[name] = visible(value);
  r["properties"] = properties;
  if (!f.place.file.empty()) {
    json location = {{"physicalLocation", {{"artifactLocation", {{"uri", uri(f.place.file)}}}}}};
    if (!f.place.file.starts_with('/')) location["physicalLocation"]["artifactLocation"]["uriBaseId"] = "SRCROOT";
    location["physicalLocation"]["region"] = {{"startLine", std::max(1, f.place.line)}};
    if (!f.row.kernel.empty())
      location["logicalLocations"] = json::array({{{"name", visible(f.row.kernel)}, {"kind", "function"}}});
    r["locations"] = json::array({location});
  }
  return r;
}

}  // namespace

std::string sarif_log(const ReportData& d) {
  std::vector<std::string> faults;
  json rules = json::array(), results = json::array();
  for (const ReportFinding& f : d.findings) {
    std::size_t index = 0;
    while (index < faults.size() && faults[index] != f.row.fault) ++index;
    if (index == faults.size()) faults.push_back(f.row.fault), rules.push_back(rule(f.row.fault));
    results.push_back(result(f, index));
  }
  const json driver = {{"name", "WarpFuzz"}, {"version", kVersion}, {"semanticVersion", kVersion}, {"rules", rules}};
  const json run = {{"tool", {{"driver", driver}}},
                    {"originalUriBaseIds", {{"SRCROOT", {{"description", {{"text", "The root of the source tree"}}}}}}},
                    {"columnKind", "unicodeCodePoints"},
                    {"results", results}};
  const json log = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", json::array({run})}};
  return log.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace warpfuzz::cli
