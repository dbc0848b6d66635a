#include "calibration/row.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>

#include "base/json_fields.h"
#include "findings/format.h"

namespace warpfuzz::cli {

using nlohmann::json;

namespace {

std::string element_of(const WorstCase& worst) {
  if (!worst.element) return "";
  const CalibratedElement& e = *worst.element;
  return fmt::format("{}[{}] = {}, reference {}, allowed [{}, {}]", e.tensor, fmt::join(e.at, ","), format_real(e.got),
                     format_real(e.reference), format_real(e.lo), format_real(e.hi));
}

std::string question_of(const Calibrated& r) {
  const WorstCase worst = r.worst.value_or(WorstCase{});
  return fmt::format(
      "case {}, {}: {}: error/bound {:.3g}, {}. Is that a dialect which the target should declare (docs/oracle.md)? If "
      "not, and the kernel is right, c = {} in [{}] would cover it; nothing was changed. The case as text: {}",
      worst.number, worst.summary, element_of(worst), r.max_ratio,
      worst.confirmed ? "confirmed on other arrangements of the values"
                      : "not confirmed on other arrangements of the values (drift)",
      r.proposed_c, r.row, json(worst.text).dump(-1, ' ', false, json::error_handler_t::replace));
}

void check_evidence(Calibrated& r) {
  if (!r.evidence) {
    r.problems.push_back(fmt::format("[{}] has no evidence: run scripts/calibrate-all, or --write", r.row));
    return;
  }
  const double known = r.evidence->max_ratio;
  const int version = r.evidence->table_version;
  if (version != r.table_version)
    r.problems.push_back(fmt::format("the evidence of [{}] is of table version {}, the row of {}: measure again", r.row,
                                     version, r.table_version));
  // Ratios far below the bound may move: nothing rests on them.
  if (r.max_ratio > 2 * kLoose && r.max_ratio > kMargin * known)
    r.problems.push_back(
        fmt::format("the largest error/bound, {:.3g}, is more than {} times that of the evidence of [{}], {:.3g}",
                    r.max_ratio, kMargin, r.row, known));
}

}  // namespace

double proposed_factor(double max_ratio) {
  const double wanted = std::max(1.0, kMargin * max_ratio);
  if (!std::isfinite(wanted)) return wanted;
  const double unit = std::pow(10, std::floor(std::log10(wanted)) - 1);
  const double up = std::ceil(wanted / unit - 1e-9) * unit;
  return std::strtod(fmt::format("{:.2g}", up).c_str(), nullptr);  // the double nearest to the two digits
}

void read_answer(const Swept& done, Calibrated& r) {
  ErrorStats all;
  for (const auto& [key, stats] : done.records.records()) all.merge(stats);
  const CalibratedRow row = done.row.value_or(CalibratedRow{});
  r.row = row.name;
  r.c = row.c;
  r.table_version = row.table_version;
  r.evidence = done.evidence;
  r.worst = done.worst;
  r.runs = done.executions, r.failed = done.failed;
  r.drift = all.counts.drift, r.wholly_unspecified = all.counts.wholly_unspecified;
  r.max_ratio = all.ratios.max() * r.c;
  r.p99 = all.ratios.percentile(99) * r.c;
  r.p50 = all.ratios.percentile(50) * r.c;
  r.exact = all.ulps.count() > 0 && all.ulps.max() == 0 && r.max_ratio == 0;
  std::uint64_t any = 0;
  for (const std::uint64_t n : all.counts.unspecified) any += n;
  if (all.counts.elements) r.unspecified = static_cast<double>(any) / static_cast<double>(all.counts.elements);
  for (const auto& [key, n] : done.keys)
    if (!key.ends_with("/value")) {
      r.other_findings = true;
      r.problems.push_back(
          fmt::format("finding {} in {} cases: a calibration needs a kernel that is right", printable(key, false), n));
    }
}

void find_problems(Calibrated& r, bool check, const std::string& target) {
  r.proposed_c = proposed_factor(r.max_ratio);
  if (r.max_ratio > r.c) {
    r.problems.push_back(
        fmt::format("the largest error/bound, {:.3g}, is beyond c = {} of [{}]", r.max_ratio, r.c, r.row));
    r.question = question_of(r);
  }
  if (r.failed && r.problems.empty())
    r.problems.push_back(fmt::format("{} of {} cases of {} are findings", r.failed, r.runs, target));
  if (!r.twin.empty() && !(r.twin_share() >= kLeastTwinShare))
    r.problems.push_back(fmt::format(
        "[{}] does not tell {} from its lower-precision twin: {} fails {} of {} cases, expected at least {:.0f} %",
        r.row, target, r.twin, r.twin_failed, r.twin_runs, 100 * kLeastTwinShare));
  if (check) check_evidence(r);
}

std::string evidence_line(const Calibrated& r, const Origin& origin) {
  return fmt::format(
      "evidence = {{runs = {}, max_ratio = {:.3g}, p99 = {:.3g}, control = \"{}\", twin = \"{}\", twin_failed = {:.3g}, device = \"{}\", "
      "seed = {}, date = \"{}\", table_version = {}}}\n",
      r.runs, r.max_ratio, r.p99, origin.target, r.twin, r.twin_share(), origin.device, origin.seed, origin.date,
      r.table_version);
}

json to_json(const Calibrated& r, const Origin& origin) {
  return {{"dtype", r.dtype},
          {"row", r.row},
          {"runs", r.runs},
          {"failed", r.failed},
          {"drift", r.drift},
          {"max_ratio", number_to_json(r.max_ratio)},
          {"p99", r.p99},
          {"p50", r.p50},
          {"unspecified", r.unspecified},
          {"wholly_unspecified", r.wholly_unspecified},
          {"exact", r.exact},
          {"c", r.c},
          {"proposed_c", number_to_json(r.proposed_c)},
          {"twin", r.twin},
          {"twin_runs", r.twin_runs},
          {"twin_failed", r.twin_failed},
          {"worst", r.worst ? to_message(*r.worst) : json()},
          {"problems", r.problems},
          {"evidence_line", evidence_line(r, origin)}};
}

}  // namespace warpfuzz::cli
