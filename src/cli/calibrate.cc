// `warpfuzz calibrate`: how close a trusted kernel comes to the bounds of the tolerance table, and whether the table tells
// it from its lower-precision twin. Proposes; never changes the table.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "cli/calibration.h"
#include "cli/commands.h"
#include "client/output_file.h"
#include "findings/format.h"

namespace warpfuzz::cli {
namespace {

using nlohmann::json;

// --twin, else <op>_twin where that binary exists.
std::string twin_of(const Context& c, const CalibrateOptions& o, const std::string& op) {
  if (o.twin == "none") return "";
  if (!o.twin.empty()) return plain_target(o.twin);
  const std::string name = op + "_twin";
  return ::access((c.bin + "/fuzz_" + name).c_str(), X_OK) == 0 ? name : "";
}

Calibrated measure(const Context& c, const CalibrateOptions& o, const std::string& target, const std::string& twin,
                   const std::string& dtype) {
  const auto request = [&](std::uint64_t first, std::uint64_t count) {
    json q{{"cases", count}, {"first", first}, {"seed", o.seed}, {"dtype", dtype}, {"whole", true}};
    if (o.tighten) q["c0"] = kTightC0, q["lam"] = kTightLam, q["kap"] = kTightKap;
    return q;
  };
  Calibrated r;
  r.dtype = dtype;
  const Swept done = sweep(c, target, "calibrate", o.cases, o.jobs, request);
  read_answer(done, r);
  if (twin.empty()) return r;
  const Swept low = sweep(c, twin, "stats", std::min<std::uint64_t>(o.cases, o.twin_cases), o.jobs, request);
  r.twin = twin;
  r.twin_runs = low.executions, r.twin_failed = low.failed;
  return r;
}

std::string row_line(const Calibrated& r, bool check) {
  if (!r.problems.empty()) return r.problems.front();
  if (r.exact) return "exact: every output is the rounded reference";
  if (r.max_ratio < kLoose) return fmt::format("never above {}: a loose bound", kLoose);
  return check ? "as its evidence says" : "ok";
}

std::string table_of(const std::vector<Calibrated>& rows, bool check) {
  std::vector<std::vector<std::string>> cells{{"DTYPE", "ROW", "cases", "failed", "drift", "error/bound max", "p99",
                                               "p50", "unspecified", "twin failed", "VERDICT"}};
  for (const Calibrated& r : rows)
    cells.push_back({r.dtype, r.row, fmt::to_string(r.runs), fmt::to_string(r.failed), fmt::to_string(r.drift),
                     fmt::format("{:.3g}", r.max_ratio), fmt::format("{:.3g}", r.p99), fmt::format("{:.3g}", r.p50),
                     fmt::format("{:.2f} %", 100 * r.unspecified),
                     r.twin.empty() ? "-" : fmt::format("{:.1f} %", 100 * r.twin_share()), row_line(r, check)});
  return table(cells, {false, false, true, true, true, true, true, true, true, true, false});
}

void write_evidence(const std::string& path, const std::vector<Calibrated>& rows, const Origin& origin) {
  std::string text;
  for (const Calibrated& r : rows) text += fmt::format("# [{}]\n{}", r.row, evidence_line(r, origin));
  write_output(path, text);
}

}  // namespace

int calibrate(const Context& c, const CalibrateOptions& o) {
  const std::string target = plain_target(o.target);
  if (o.tighten && (o.check || !o.write.empty()))
    throw Failure(kExitUsage,
                  "--tighten measures other constants than the table's: it goes without --check and --write");
  check_outputs(c, {{"--write", o.write}}, {});
  TargetClient client(target_binary(c, target));
  const json description = must(client.ask("describe", json::object(), c.limit(kQuickSeconds)));
  const std::string op = text_of(description, "op"), twin = twin_of(c, o, op);
  check_dtype(description, o.dtype);
  std::vector<std::string> dtypes;
  for (const json& d : description.value("dtypes", json::array()))
    if (d.is_string() && (o.dtype.empty() || d == o.dtype)) dtypes.push_back(printable(d.get<std::string>(), false));

  const Origin origin{target,
                      fmt::format("{} backend, {}", text_of(description, "backend"), text_of(description, "compiler")),
                      utc_now("%Y-%m-%d"), o.seed};
  std::vector<Calibrated> rows;
  for (const std::string& dtype : dtypes) {
    rows.push_back(measure(c, o, target, twin, dtype));
    find_problems(rows.back(), o.check, target);
  }
  if (!o.write.empty()) write_evidence(o.write, rows, origin);

  if (c.json) {
    json list = json::array();
    for (const Calibrated& r : rows) list.push_back(to_json(r, origin));
    print_json({{"target", target}, {"op", op}, {"seed", o.seed}, {"tighten", o.tighten}, {"rows", list}});
  } else if (o.write != "-") {
    print(fmt::format("{}: {} random, unguided cases of seed {} each{}\n", target, o.cases, o.seed,
                      o.tighten ? fmt::format("; c0 = {}, lam = {}, kap = {}", kTightC0, kTightLam, kTightKap) : ""));
    print(table_of(rows, o.check));
    if (twin.empty() && o.twin.empty())
      print(fmt::format("There is no lower-precision twin ({}_twin): whether the rows tell one was not tried.\n", op));
  }
  int code = kExitOk;
  for (const Calibrated& r : rows) {
    for (const std::string& problem : r.problems) note(fmt::format("{} {}: {}", target, r.dtype, problem));
    if (!r.question.empty()) note(r.question);
    if (!r.problems.empty() && code == kExitOk) code = kExitUncalibrated;
    if (r.other_findings) code = kExitFinding;
  }
  return code;
}

}  // namespace warpfuzz::cli
