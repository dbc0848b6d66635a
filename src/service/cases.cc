// Commands about one case.
#include <algorithm>

#include <fmt/format.h>

#include "base/hex.h"
#include "pipeline/build_finding.h"
#include "pipeline/load_case.h"
#include "pipeline/shrink.h"
#include "pipeline/tensors/case_tensors.h"
#include "pipeline/tensors/recorded_case.h"
#include "schema/mutate/mutate.h"
#include "service/commands.h"

namespace warpfuzz {
namespace {

using nlohmann::json;

json target_as_json(Serving& serving, const json&) {
  const Target& target = serving.target;
  const Schema& s = target.schema();
  json j{{"target", target.name},
         {"op", s.op},
         {"backend", serving.backend.name()},
         {"compiler", serving.backend.compiler()},
         {"table_version", tolerance_table_version()},
         {"narrowings", target.spec.narrowings()},
         {"dialects", warpfuzz::describe(target.spec.dialects())}};
  for (const char* list : {"dtypes", "dims", "tensors", "scalars", "flags"}) j[list] = json::array();
  for (const DTypeCombo& d : s.dtypes) j["dtypes"].push_back(d.name);
  for (const DimSpec& d : s.dims)
    j["dims"].push_back({{"name", d.name},
                         {"min", d.min},
                         {"max", d.max},
                         {"multiple_of", d.multiple_of},
                         {"derived", bool(d.derive)}});
  for (const TensorSpec& t : s.tensors)
    j["tensors"].push_back({{"name", t.name}, {"role", role_name(t.role)}, {"optional", t.optional}});
  for (const ScalarSpec& x : s.scalars) j["scalars"].push_back({{"name", x.name}, {"values", x.values}});
  for (const FlagSpec& x : s.flags) j["flags"].push_back(x.name);
  return j;
}

json encode_text(Serving& s, const json& q) {
  const ParsedCase p = parse_text(s.target.schema(), q.at("text").get<std::string>());
  if (!p.error.empty()) throw std::runtime_error(p.error);
  return {{"bytes", to_hex(encode(s.target.schema(), p.test_case))}, {"expect", p.expect}};
}

json decode_bytes(Serving& s, const json& q) {
  const TestCase c = decode(s.target.schema(), bytes_of(q));
  return {{"bytes", to_hex(encode(s.target.schema(), c))},
          {"text", to_text(s.target.schema(), c)},
          {"summary", summary(s.target.schema(), c)}};
}

json replay(Serving& s, const json& q) {
  const LoadedCase loaded = load_case(s.target, q.at("path").get<std::string>());
  if (!loaded.error.empty()) throw std::runtime_error(loaded.error);
  std::string error;
  std::vector<CallInput> inputs;
  if (loaded.finding) inputs = inputs_of(s.target, decode(s.target.schema(), loaded.bytes), *loaded.finding, error);
  const bool stored = loaded.finding && error.empty();
  RunSettings settings = Serving::every_check(stored ? &inputs : nullptr);
  settings.repeat_reference = true;
  const CaseResult r = s.run(s.target, loaded.bytes, settings);
  json j = result_of(s, r, q.value("save", ""));
  j["bytes"] = to_hex(r.bytes);
  j["expect"] = loaded.expect;
  if (!loaded.finding) return j;
  const Comparison c = compare_replay(s.target, r, *loaded.finding);
  const std::string recorded = bucket_key(*loaded.finding);
  j["recorded_key"] = recorded;
  j["same_key"] = j["key"] == recorded;
  j["inputs_identical"] = c.inputs_identical;
  j["different_outputs"] = c.different_outputs;
  j["total_outputs"] = c.total_outputs;
  const bool same_compiler =
      loaded.finding->compiler == s.backend.compiler() && loaded.finding->backend == s.backend.name();
  j["same_compiler"] = same_compiler;
  j["same_binary"] = same_compiler;  // its older name, for readers that know no other
  j["from_tensors"] = stored;
  if (!error.empty()) j["note"] = error;
  return j;
}

json shrink_case(Serving& s, const json& q) {
  Bytes bytes;
  if (q.contains("path")) {
    const LoadedCase loaded = load_case(s.target, q["path"].get<std::string>());
    if (!loaded.error.empty()) throw std::runtime_error(loaded.error);
    bytes = loaded.bytes;
  } else {
    bytes = bytes_of(q);
  }
  const CaseResult start = s.run(bytes, nullptr);
  if (start.fault == FaultClass::none) throw std::runtime_error("nothing to shrink: the case has no finding");
  const Shrunk shrunk = shrink(s.target, s.backend, start, q.value("seconds", 5.0), {});
  json j = result_of(s, shrunk.best, q.value("save", ""));
  j["bytes"] = to_hex(shrunk.best.bytes);
  j["text"] = to_text(s.target.schema(), shrunk.best.test_case, fault_name(shrunk.best.fault));
  j["attempts"] = shrunk.attempts;
  j["complete"] = shrunk.complete;
  return j;
}

json candidates(Serving& s, const json& q) {
  const TestCase c = decode(s.target.schema(), bytes_of(q));
  json list = json::array();
  const std::uint64_t now = complexity(s.target.schema(), c);
  const Spot wrong{q.value("tensor", -1), q.value("at", std::vector<std::uint32_t>())};
  if (wrong.tensor >= static_cast<int>(s.target.schema().tensors.size()))
    throw std::runtime_error(
        fmt::format("tensor: expected one of {}, got {}", s.target.schema().tensors.size(), wrong.tensor));
  for (const TestCase& candidate : shrink_candidates(s.target.schema(), c, wrong))
    if (complexity(s.target.schema(), candidate) < now) list.push_back(to_hex(encode(s.target.schema(), candidate)));
  return {{"candidates", list}};
}

json run_bytes(Serving& s, const json& q) { return result_of(s, s.run(bytes_of(q), nullptr), q.value("save", "")); }

constexpr NamedCommand kCommands[] = {{"describe", target_as_json}, {"encode", encode_text}, {"decode", decode_bytes},
                                      {"run", run_bytes},           {"replay", replay},      {"shrink", shrink_case},
                                      {"candidates", candidates}};

}  // namespace

std::span<const NamedCommand> case_commands() { return kCommands; }

}  // namespace warpfuzz
