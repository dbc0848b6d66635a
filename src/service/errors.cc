// Commands about errors: the error record of many cases, and the figures that calibration rests on.
#include <fmt/format.h>

#include "base/hex.h"
#include "base/json_fields.h"
#include "findings/error_json.h"
#include "findings/finding.h"
#include "numeric/hash.h"
#include "oracle/tolerance_table.h"
#include "pipeline/load_case.h"
#include "pipeline/tensors/recorded_case.h"
#include "schema/mutate/mutate.h"
#include "service/commands.h"

namespace warpfuzz {
namespace {

using nlohmann::json;

// What many cases came to.
struct Sweep {
  ErrorTable records;
  std::map<std::string, std::uint64_t> keys;
  std::uint64_t executions = 0, worst_case = 0;
  CaseResult worst;  // the case with the largest finite error / bound
  double worst_ratio = -1;
  std::string first_failure;  // message of the first finding

  void add(const Target& target, ErrorStats& stats, CaseResult&& r, std::uint64_t number) {
    ++executions;
    ++stats.counts.runs;
    stats.counts.drift += r.drift;
    stats.counts.failed += r.fault != FaultClass::none;
    if (r.fault != FaultClass::none) ++keys[bucket_key(target.name, r.fault, r.place.kernel)];
    if (!(r.verdict.max_ratio > worst_ratio)) return;
    worst_ratio = r.verdict.max_ratio;
    worst_case = number;
    worst = std::move(r);
  }
};

// The random cases number first .. first + count of a seed. They do not depend on how a sweep is split.
Sweep sweep(Serving& s, const Target& target, const json& q, const ToleranceRow* row) {
  const std::uint64_t first = q.value("first", std::uint64_t{0}), count = q.at("cases").get<std::uint64_t>(),
                      seed = q.at("seed").get<std::uint64_t>();
  Sweep out;
  Scratch scratch;
  RunSettings settings;
  settings.extra_run_one_in = 0;
  settings.scratch = &scratch;
  settings.row = row;
  for (std::uint64_t i = first; i < first + count; i++) {
    s.executions = i - first + 1;
    const Bytes bytes = random_case(hash_combine(seed, i));
    ErrorStats& stats = out.records.at(target.schema(), decode(target.schema(), bytes));
    settings.stats = &stats;
    CaseResult r = s.run(target, bytes, settings);
    scratch.take_back(r);
    out.add(target, stats, std::move(r), i + 1);
  }
  return out;
}

json stats(Serving& s, const json& q) {
  const bool whole = q.value("whole", false);
  if (!q.contains("paths")) {
    const Sweep done = sweep(s, s.with_dtype(q), q, nullptr);
    return {{"executions", done.executions}, {"keys", done.keys}, {"records", to_json(done.records, whole)}};
  }
  Sweep done;
  for (const json& path : q["paths"]) {
    const LoadedCase loaded = load_case(s.target, path.get<std::string>());
    if (!loaded.error.empty()) throw std::runtime_error(loaded.error);
    ++s.executions;
    const TestCase c = decode(s.target.schema(), loaded.bytes);
    std::vector<CallInput> inputs;
    std::string error;
    if (loaded.finding) inputs = inputs_of(s.target, c, *loaded.finding, error);
    ErrorStats& record = done.records.at(s.target.schema(), c);
    RunSettings settings;
    settings.extra_run_one_in = 0;
    settings.stats = &record;
    if (loaded.finding && error.empty()) settings.inputs = &inputs;
    done.add(s.target, record, s.run(s.target, loaded.bytes, settings), s.executions);
  }
  return {{"executions", done.executions}, {"keys", done.keys}, {"records", to_json(done.records, whole)}};
}

json row_to_json(const ToleranceRow& row) {
  return {{"name", row.name},   {"c", row.c},
          {"c0", row.c0},       {"lam", row.lam},
          {"kap", row.kap},     {"ftz", row.ftz ? "allowed" : "never"},
          {"store", row.store}, {"table_version", row.table_version}};
}

json evidence_to_json(const Evidence& e) {
  return {{"runs", e.runs}, {"max_ratio", e.max_ratio},        {"p99", e.p99},       {"control", e.control},
          {"twin", e.twin}, {"twin_failed", e.twin_failed},    {"device", e.device}, {"seed", e.seed},
          {"date", e.date}, {"table_version", e.table_version}};
}

// The case with the largest ratio, and its element where that lies beyond the bound.
json worst_to_json(const Target& target, const Sweep& done) {
  const Schema& schema = target.schema();
  const CaseResult& r = done.worst;
  json j{{"case", done.worst_case},
         {"ratio", number_to_json(done.worst_ratio)},
         {"summary", summary(schema, r.test_case)},
         {"text", to_text(schema, r.test_case)},
         {"bytes", to_hex(r.bytes)},
         {"confirmed", r.fault != FaultClass::none}};
  const WrongElement& w = r.verdict.worst;
  if (w.tensor < 0) return j;
  j["element"] = {{"tensor", schema.tensors[static_cast<std::size_t>(w.tensor)].name},
                  {"at", w.at},
                  {"got", number_to_json(w.got)},
                  {"reference", number_to_json(w.reference)},
                  {"lo", number_to_json(w.lo)},
                  {"hi", number_to_json(w.hi)}};
  return j;
}

json calibrate(Serving& s, const json& q) {
  q.at("dtype");  // a row belongs to one
  const Target target = s.with_dtype(q);
  ToleranceRow row = tolerance_row(target.schema().op, target.schema().dtypes[0].out, target.spec.dialects());
  const Evidence* evidence = tolerance_evidence(row.name);
  for (const auto& [key, member] :
       {std::pair{"c0", &ToleranceRow::c0}, {"lam", &ToleranceRow::lam}, {"kap", &ToleranceRow::kap}})
    row.*member = q.value(key, row.*member);
  const Sweep done = sweep(s, target, q, &row);
  json j{{"executions", done.executions},
         {"keys", done.keys},
         {"records", to_json(done.records, true)},
         {"row", row_to_json(row)},
         {"backend", s.backend.name()}};
  if (evidence) j["evidence"] = evidence_to_json(*evidence);
  if (done.worst_ratio >= 0) j["worst"] = worst_to_json(target, done);
  return j;
}

constexpr NamedCommand kCommands[] = {{"stats", stats}, {"calibrate", calibrate}};

}  // namespace

std::span<const NamedCommand> error_commands() { return kCommands; }

}  // namespace warpfuzz
