// Two sweeps a dtype, of the target and of its twin, and their table.
#include "calibration/calibration.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "findings/format.h"

namespace warpfuzz::cli {
namespace {

using nlohmann::json;

std::string twin_of(const Context& c, const CalibrationOptions& o, const std::string& op) {
  if (o.twin == "none") return "";
  if (!o.twin.empty()) return plain_target(o.twin);
  const std::string name = op + "_twin";
  return ::access((c.bin + "/fuzz_" + name).c_str(), X_OK) == 0 ? name : "";
}

Calibrated measure(const Context& c, const Calibration& of, const std::string& dtype) {
  const CalibrationOptions& o = of.options;
  Calibrated r;
  r.dtype = dtype;
  const Swept done = sweep(c, of.origin.target, o.cases, o.jobs,
                           [&](TargetClient& client, std::uint64_t first, std::uint64_t count, double seconds) {
                             CalibrateRequest q{count, o.seed, dtype, first, {}, {}, {}};
                             if (o.tighten) {
                               q.c0 = kTightC0;
                               q.lam = kTightLam;
                               q.kap = kTightKap;
                             }
                             return client.ask(q, seconds);
                           });
  read_answer(done, r);
  if (of.twin.empty()) return r;
  const Swept low = sweep(c, of.twin, std::min<std::uint64_t>(o.cases, o.twin_cases), o.jobs,
                          [&](TargetClient& client, std::uint64_t first, std::uint64_t count, double seconds) {
                            return of_stats(client.ask(StatsRequest{count, o.seed, first, dtype, {}, true}, seconds));
                          });
  r.twin = of.twin;
  r.twin_runs = low.executions;
  r.twin_failed = low.failed;
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

}  // namespace

int Calibration::exit_code() const {
  int code = kExitOk;
  for (const Calibrated& r : rows) {
    if (!r.problems.empty() && code == kExitOk) code = kExitUncalibrated;
    if (r.other_findings) code = kExitFinding;
  }
  return code;
}

Calibration calibrate(const Context& c, const CalibrationOptions& o) {
  const std::string target = plain_target(o.target);
  TargetClient client(target_binary(c, target));
  const Description description = must(client.ask(DescribeRequest{}, c.limit(kQuickSeconds)));
  check_dtype(description, o.dtype);
  Calibration out;
  out.options = o;
  out.op = description.op;
  out.twin = twin_of(c, o, out.op);
  out.origin = {target, fmt::format("{} backend, {}", description.backend, description.compiler), utc_now("%Y-%m-%d"),
                o.seed};
  for (const std::string& d : description.dtypes) {
    if (!o.dtype.empty() && d != o.dtype) continue;
    out.rows.push_back(measure(c, out, d));
    find_problems(out.rows.back(), o.check, target);
  }
  return out;
}

std::string calibration_text(const Calibration& r) {
  const CalibrationOptions& o = r.options;
  std::string out =
      fmt::format("{}: {} random, unguided cases of seed {} each{}\n", r.origin.target, o.cases, o.seed,
                  o.tighten ? fmt::format("; c0 = {}, lam = {}, kap = {}", kTightC0, kTightLam, kTightKap) : "");
  out += table_of(r.rows, o.check);
  if (r.twin.empty() && o.twin.empty())
    out += fmt::format("There is no lower-precision twin ({}_twin): whether the rows tell one was not tried.\n", r.op);
  return out;
}

std::string calibration_evidence(const Calibration& r) {
  std::string text;
  for (const Calibrated& row : r.rows) text += fmt::format("# [{}]\n{}", row.row, evidence_line(row, r.origin));
  return text;
}

json calibration_json(const Calibration& r) {
  json list = json::array();
  for (const Calibrated& row : r.rows) list.push_back(to_json(row, r.origin));
  return {{"target", r.origin.target},
          {"op", r.op},
          {"seed", r.options.seed},
          {"tighten", r.options.tighten},
          {"rows", list}};
}

}  // namespace warpfuzz::cli
