// The page for people: first what is wrong, how badly and how to see it again, then what was run, then the plots. Without scripts.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "client/lines_reached.h"
#include "report/finding_article.h"
#include "report/forms.h"
#include "report/markup.h"
#include "report/templates.h"

namespace warpfuzz::cli {
namespace {

Markup findings_table(const ReportData& d) {
  Markup rows;
  for (std::size_t i = 0; i < d.findings.size(); ++i) {
    const ReportFinding& f = d.findings[i];
    // "2^15, 100 % wrong", or "inf, 100 % wrong" where no distance says how far a NaN or Inf is off.
    const std::string badly = f.row.severity.empty()              ? how_badly(f)
                              : f.row.severity.starts_with("inf") ? "NaN or Inf" + f.row.severity.substr(3)
                                                                  : "error/bound " + f.row.severity;
    rows += filled(kSummaryHtml, "row",
                   {{"number", i + 1},
                    {"target", f.row.target},
                    {"new", new_tag(f)},
                    {"wrong", f.row.fault + (f.row.kind.empty() ? "" : ", " + f.row.kind)},
                    {"badly", badly},
                    {"seen", thousands(f.row.count)}});
  }
  const auto fresh =
      std::count_if(d.findings.begin(), d.findings.end(), [](const ReportFinding& f) { return f.is_new; });
  return filled(kSummaryHtml, "findings", {{"fresh", fresh == 0 ? "None" : fmt::to_string(fresh)}, {"rows", rows}});
}

Markup summary(const ReportData& d) {
  std::uint64_t executions = 0;
  std::size_t faulty = 0;
  double seconds = 0;
  for (const TargetRow& t : d.targets) {
    executions += t.executions;
    seconds += t.seconds;
    faulty += d.has_findings(t.target);
  }
  const bool good = d.findings.empty();
  const std::string kernels = thousands(d.targets.size(), "kernel");
  std::error_code ec;
  return filled(kSummaryHtml, "",
                {{"folder", d.folder},
                 {"made", d.made},
                 {"outcome", good ? filled(kSummaryHtml, "good", {{"kernels", kernels}})
                                  : filled(kSummaryHtml, "bad",
                                           {{"findings", thousands(d.findings.size(), "finding")},
                                            {"faulty", faulty},
                                            {"kernels", kernels}})},
                 {"executions", thousands(executions, "execution")},
                 {"time", span_text(seconds)},
                 {"runs", thousands(d.runs.size(), "run")},
                 {"findings", good ? Markup() : findings_table(d)},
                 {"here", std::filesystem::current_path(ec).string()}});
}

// What was tried of a kernel: why one without findings may be trusted, and how far.
struct Tried {
  std::string dtypes;
  std::uint64_t elements = 0, unspecified = 0;
};
Tried tried(const ReportData& d, const std::string& target) {
  Tried t;
  for (const auto& [key, stats] : d.errors) {
    if (key.first != target) continue;
    t.dtypes += (t.dtypes.empty() ? "" : ", ") + key.second;
    t.elements += stats.counts.elements;
    for (const std::uint64_t n : stats.counts.unspecified) t.unspecified += n;
  }
  return t;
}

Markup kernel_row(const ReportData& d, const TargetRow& t) {
  const auto found = std::count_if(d.findings.begin(), d.findings.end(),
                                   [&](const ReportFinding& f) { return f.row.target == t.target; });
  const Tried seen = tried(d, t.target);
  const double unspecified = 100.0 * static_cast<double>(seen.unspecified) / static_cast<double>(seen.elements);
  return filled(kKernelsHtml, "row",
                {{"kernel", t.target},
                 {"op", t.op},
                 {"bad", found ? " bad" : ""},
                 {"findings", found},
                 {"executions", thousands(t.executions)},
                 {"pace", fmt::format("{:.0f}", t.seconds > 0 ? static_cast<double>(t.executions) / t.seconds : 0.0)},
                 {"dtypes", seen.dtypes.empty() ? "none" : seen.dtypes},
                 {"elements", thousands(seen.elements)},
                 {"unspecified", seen.elements ? fmt::format("{:.2g} %", unspecified) : "-"},
                 {"edges", thousands(t.edges)},
                 {"features", thousands(t.features)},
                 {"corpus", thousands(t.corpus)},
                 {"last_new", utc(t.last_new)},
                 {"deaths", thousands(t.deaths)}});
}

Markup kernels_table(const ReportData& d) {
  const auto note = [](const char* how, const std::string& text) {
    return filled(kKernelsHtml, "note", {{"class", how}, {"text", text}});
  };
  Markup rows;
  for (const TargetRow& t : d.targets) {
    rows += kernel_row(d, t);
    if (!t.dims.empty()) rows += note("muted", "dims: " + t.dims);
    rows += note("muted", "lines: " + lines_text(t.lines));
    if (!t.problem.empty()) rows += note("bad", "not run any more: " + t.problem);
  }
  return filled(kKernelsHtml, "", {{"rows", rows}});
}

// The first plot shows whether the campaign still finds its way; the others are there to unfold.
Markup plots_section(const std::vector<Plot>& plots, const std::string& no_plots) {
  Markup first, more, problem;
  if (!no_plots.empty()) problem = filled(kPlotsHtml, "problem", {{"problem", no_plots}});
  else if (plots.empty()) problem = filled(kPlotsHtml, "none", {});
  for (const Plot& p : plots)
    (&p == &plots.front() ? first : more) +=
        filled(kPlotsHtml, "plot", {{"name", p.name}, {"title", p.title}, {"caption", p.caption}, {"svg", p.svg}});
  if (!more.empty()) more = filled(kPlotsHtml, "more", {{"count", plots.size() - 1}, {"plots", more}});
  return filled(kPlotsHtml, "", {{"problem", problem}, {"first", first}, {"more", more}});
}

// The figures behind the plots, for those who want numbers.
Markup errors_table(const ReportData& d) {
  if (d.errors.empty()) return filled(kErrorsHtml, "none", {});
  const auto figure = [](double x) { return fmt::format("{:.3g}", x); };
  Markup rows;
  for (const auto& [key, stats] : d.errors) {
    const ErrorRecord r = summarise(stats);
    rows += filled(kErrorsHtml, "row",
                   {{"kernel", key.first},
                    {"dtype", key.second},
                    {"elements", thousands(r.counts.elements)},
                    {"bad", r.counts.over ? " bad" : ""},
                    {"over", thousands(r.counts.over)},
                    {"ulp_p50", figure(r.ulps.p50)},
                    {"ulp_p90", figure(r.ulps.p90)},
                    {"ulp_p99", figure(r.ulps.p99)},
                    {"ulp_p999", figure(r.ulps.p999)},
                    {"ulp_max", figure(r.ulps.max)},
                    {"bound_p99", figure(r.ratios.p99)},
                    {"bound_max", figure(r.ratios.max)}});
  }
  return filled(kErrorsHtml, "", {{"rows", rows}});
}

Markup runs_table(const ReportData& d) {
  if (d.runs.empty()) return {};
  Markup rows;
  for (const RunRow& r : d.runs)
    rows += filled(kRunsHtml, "row",
                   {{"started", utc(r.started)},
                    {"ended", r.ended > 0 ? utc(r.ended) : "killed, or still running"},
                    {"targets", r.targets},
                    {"backend", r.backend},
                    {"workers", r.workers},
                    {"seed", r.seed},
                    {"new", r.new_keys},
                    {"code", r.ended > 0 ? fmt::to_string(r.exit_code) : "-"}});
  return filled(kRunsHtml, "", {{"rows", rows}});
}

}  // namespace

std::string html_page(const ReportData& d, const std::vector<Plot>& plots, const std::string& no_plots) {
  Markup findings;
  if (!d.findings.empty()) findings += "<h2 id=\"findings\">Findings</h2>\n"_markup;
  for (std::size_t i = 0; i < d.findings.size(); ++i) findings += finding_article(d.findings[i], i + 1);
  return filled(kPageHtml, "",
                {{"style", Markup::trusted(std::string(kPageCss))},
                 {"summary", summary(d)},
                 {"findings", findings},
                 {"kernels", kernels_table(d)},
                 {"plots", plots_section(plots, no_plots)},
                 {"errors", errors_table(d)},
                 {"runs", runs_table(d)}})
      .text();
}

}  // namespace warpfuzz::cli
