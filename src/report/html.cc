// The page for people: first what is wrong, how badly and how to see it again, then what was run, then the plots. Without scripts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/exit_codes.h"
#include "findings/format.h"
#include "report/forms.h"
#include "report/markup.h"

namespace warpfuzz::cli {
namespace {

constexpr const char* kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>WarpFuzz report</title>
<style>
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1080px; padding: 1.5rem; color: #1c1f24; background: #fff; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; } h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; border-bottom: 1px solid #d8dce2; }
h3 { font-size: 1.05rem; margin: 0; overflow-wrap: anywhere; }
code, pre { font: 13px/1.45 ui-monospace, monospace; } pre { background: #f5f6f8; padding: .6rem .8rem; overflow-x: auto; margin: .4rem 0; }
table { border-collapse: collapse; font-size: 14px; } td, th { padding: .25rem .7rem .25rem 0; text-align: left; vertical-align: top; }
td { white-space: nowrap; } td[colspan] { white-space: normal; } th { font-weight: 600; border-bottom: 1px solid #d8dce2; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; } .muted { color: #5b6470; } .bad { color: #a4001d; font-weight: 600; } .good { color: #11691d; font-weight: 600; }
article { border: 1px solid #d8dce2; border-left: 4px solid #a4001d; border-radius: 4px; padding: .8rem 1rem; margin: .9rem 0; }
article p { margin: .4rem 0; overflow-wrap: anywhere; } dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: .5rem 0; }
dt { color: #5b6470; } dd { margin: 0; overflow-wrap: anywhere; } figure { margin: 1.2rem 0; } figcaption { font-size: 14px; }
svg { width: 100%; height: auto; border: 1px solid #e4e7eb; } summary { cursor: pointer; } .tag { background: #fbe9ec; color: #a4001d; border-radius: 3px; padding: 0 .4rem; font-size: 13px; }
</style>
</head>
<body>
)";

std::string entry(const std::string& name, const std::string& inner_html) {
  return inner_html.empty() ? "" : fmt::format("<dt>{}</dt><dd>{}</dd>\n", markup(name), inner_html);
}

std::string plural(std::uint64_t n, const char* one, const char* many) {
  return fmt::format("{} {}", thousands(n), n == 1 ? one : many);
}

std::string new_tag(const ReportFinding& f) { return f.is_new ? " <span class=\"tag\">new</span>" : ""; }

// One sentence for people who do not know the classes: how far off, and how much of the output.
std::string how_badly(const ReportFinding& f) {
  if (!f.finding) return f.problem.empty() ? "" : "not known: " + f.problem;
  const Verdict& v = f.finding->verdict;
  std::string text;
  if (v.worst.tensor >= 0 && v.total > 0) {
    text = fmt::format("{} of {} outputs wrong ({:.3g} %)", thousands(v.wrong), thousands(v.total),
                       100.0 * static_cast<double>(v.wrong) / static_cast<double>(v.total));
    if (std::isfinite(v.worst.ratio) && v.worst.ratio > 0 && !v.worst.exact)
      text += fmt::format("; the worst one is {:.3g} times as far off as correct rounding allows", v.worst.ratio);
    else if (v.worst.exact) text += "; each must equal the reference bit for bit";
    else if (!std::isfinite(v.worst.got) || !std::isfinite(v.worst.reference))
      text += "; the worst one is a NaN or Inf that should not be there, or is missing";
  }
  return text;
}

// Unfolded only where the place is the fault's own: a kernel's first lines are a signpost.
std::string source_lines(const ReportFinding& f) {
  if (f.excerpt.empty()) return "";
  std::string text;
  for (std::size_t i = 0; i < f.excerpt.size(); ++i) {
    const int number = f.excerpt_from + static_cast<int>(i);
    const std::string line = markup(fmt::format("{:5}  {}", number, f.excerpt[i]));
    text += (number == f.place.line ? "<b>" + line + "</b>" : line) + "\n";
  }
  return fmt::format("<details{}><summary>{}</summary>\n<pre>{}</pre>\n</details>\n", f.place.exact ? " open" : "",
                     f.place.exact ? "The source around it" : "Where the kernel begins", text);
}

std::string finding_article(const ReportFinding& f, std::size_t number) {
  const auto known = fault_from_name(f.row.fault);
  std::string place;
  if (!f.place.file.empty())
    place = fmt::format("<code>{}{}</code>{}", markup(f.place.file),
                        f.place.line > 0 ? fmt::format(":{}", f.place.line) : "",
                        f.place.exact ? "" : " (where the kernel begins)");
  std::string out = fmt::format("<article id=\"finding-{}\">\n<h3>{} <span class=\"tag\">{}</span>{}</h3>\n", number,
                                markup(f.row.key), markup(f.row.fault), new_tag(f));
  out += fmt::format("<p><b>What is wrong:</b> {}.</p>\n<p>{}</p>\n",
                     markup(known ? std::string(fault_info(*known).meaning) : f.row.fault), markup(f.headline));
  out += "<dl>\n";
  out += entry("how badly", markup(how_badly(f)));
  out += entry("kind, location", markup(f.row.kind.empty() && f.row.location.empty()
                                            ? ""
                                            : f.row.kind + (f.row.location.empty() ? "" : ", at: " + f.row.location)));
  if (!f.replay.empty()) out += entry("see it again", fmt::format("<code>{}</code>", markup(f.replay)));
  out += entry("kernel", f.row.kernel.empty() ? "" : fmt::format("<code>{}</code>", markup(f.row.kernel)));
  out += entry("source", place);
  out += entry("smallest case", f.row.summary.empty() ? "" : fmt::format("<code>{}</code>", markup(f.row.summary)));
  out += entry("seen", fmt::format("{}, first {}, last {} UTC", plural(f.row.count, "time", "times"),
                                   utc(f.row.first_seen), utc(f.row.last_seen)));
  out += entry("reproducer", f.path.empty() ? ""
                                            : fmt::format("<code>{}</code>, {} bytes, {}", markup(f.path), f.row.bytes,
                                                          f.row.kept ? "kept: the tests replay it" : "new"));
  out += "</dl>\n";
  if (!f.problem.empty())
    out += fmt::format("<p class=\"bad\">The reproducer cannot be shown: {}</p>\n", markup(f.problem));
  out += source_lines(f);
  if (!f.report.empty())
    out += fmt::format(
        "<details><summary>The whole report: the wrong element, what was allowed, the tensors</summary>\n<p>Again: <code>{}</code><br>\nAs a program that nvcc builds: <code>{}</code></p>\n<pre>{}</pre>\n</details>\n",
        markup(f.show), markup(f.program), markup(f.report));
  return out + "</article>\n";
}

std::string commands_note() {
  std::error_code ec;
  return fmt::format(
      "<p class=\"muted\">Commands on this page are for a shell in <code>{}</code>; a target's exit code is {} while it still fails.</p>\n",
      markup(std::filesystem::current_path(ec).string()), static_cast<int>(kExitFinding));
}

std::string summary(const ReportData& d) {
  std::uint64_t executions = 0;
  std::size_t faulty = 0;
  double seconds = 0;
  for (const TargetRow& t : d.targets)
    executions += t.executions, seconds += t.seconds, faulty += d.has_findings(t.target);
  std::string out = "<h1>WarpFuzz report</h1>\n";
  out += fmt::format("<p class=\"muted\">Campaign folder <code>{}</code>, page made {} UTC.</p>\n", markup(d.folder),
                     markup(d.made));
  if (d.findings.empty())
    out += fmt::format("<p class=\"good\">No finding in {}.</p>\n", plural(d.targets.size(), "kernel", "kernels"));
  else
    out += fmt::format("<p class=\"bad\">{} in {} of {}.</p>\n", plural(d.findings.size(), "finding", "findings"),
                       faulty, plural(d.targets.size(), "kernel", "kernels"));
  out += fmt::format("<p>{} in {} of fuzzing processes' time, {}.</p>\n", plural(executions, "execution", "executions"),
                     span_text(seconds), plural(d.runs.size(), "run", "runs"));
  if (d.findings.empty()) return out + commands_note();
  const auto fresh =
      std::count_if(d.findings.begin(), d.findings.end(), [](const ReportFinding& f) { return f.is_new; });
  out += fmt::format("<p>{} of them first seen in the last run.</p>\n", fresh == 0 ? "None" : fmt::to_string(fresh));
  out +=
      "<div class=\"wide\"><table>\n<tr><th>kernel</th><th>what is wrong</th><th>how badly</th><th class=\"n\">seen</th></tr>\n";
  for (std::size_t i = 0; i < d.findings.size(); ++i) {
    const ReportFinding& f = d.findings[i];
    // "2^15, 100 % wrong", or "inf, 100 % wrong" where no distance says how far a NaN or Inf is off.
    const std::string badly = f.row.severity.empty()              ? how_badly(f)
                              : f.row.severity.starts_with("inf") ? "NaN or Inf" + f.row.severity.substr(3)
                                                                  : "error/bound " + f.row.severity;
    out += fmt::format(
        "<tr><td><a href=\"#finding-{}\">{}</a>{}</td><td>{}</td><td>{}</td><td class=\"n\">{}</td></tr>\n", i + 1,
        markup(f.row.target), new_tag(f), markup(f.row.fault + (f.row.kind.empty() ? "" : ", " + f.row.kind)),
        markup(badly), thousands(f.row.count));
  }
  return out + "</table></div>\n" + commands_note();
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

std::string targets_table(const ReportData& d) {
  std::string out =
      "<h2 id=\"kernels\">Kernels</h2>\n<div class=\"wide\"><table>\n<tr><th>kernel</th><th>op</th><th class=\"n\">findings</th><th class=\"n\">executions</th><th class=\"n\">per second</th>"
      "<th>dtypes measured</th><th class=\"n\">elements judged</th><th class=\"n\">unspecified</th><th class=\"n\">edges</th><th class=\"n\">features</th><th class=\"n\">corpus</th><th>last new input</th><th class=\"n\">processes ended by a fault</th></tr>\n";
  for (const TargetRow& t : d.targets) {
    const auto found = static_cast<std::size_t>(std::count_if(
        d.findings.begin(), d.findings.end(), [&](const ReportFinding& f) { return f.row.target == t.target; }));
    const Tried seen = tried(d, t.target);
    out += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class=\"n{}\">{}</td><td class=\"n\">{}</td><td class=\"n\">{:.0f}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td><td class=\"n\">{}</td></tr>\n",
        markup(t.target), markup(t.op), found ? " bad" : "", found, thousands(t.executions),
        t.seconds > 0 ? static_cast<double>(t.executions) / t.seconds : 0.0,
        seen.dtypes.empty() ? "none" : markup(seen.dtypes), thousands(seen.elements),
        seen.elements ? fmt::format("{:.2g} %",
                                    100.0 * static_cast<double>(seen.unspecified) / static_cast<double>(seen.elements))
                      : "-",
        thousands(t.edges), thousands(t.features), thousands(t.corpus), utc(t.last_new), thousands(t.deaths));
    if (!t.dims.empty())
      out += fmt::format("<tr><td></td><td colspan=\"12\" class=\"muted\">dims: {}</td></tr>\n", markup(t.dims));
    if (!t.problem.empty())
      out += fmt::format("<tr><td></td><td colspan=\"12\" class=\"bad\">not run any more: {}</td></tr>\n",
                         markup(t.problem));
  }
  return out +
         "</table></div>\n<p class=\"muted\">A kernel without a finding was right in every execution, on the dtypes that were measured, wherever the oracle has an opinion: "
         "unspecified elements accept anything. Edges are those of the kernel and its launcher that some input took; what the corpus does not reach was not tried.</p>\n";
}

// The figures behind the plots, for those who want numbers.
std::string errors_table(const ReportData& d) {
  if (d.errors.empty())
    return "<h2 id=\"errors\">Errors</h2>\n<p class=\"muted\">No error records: the campaign has measured none yet.</p>\n";
  std::string out =
      "<details id=\"errors\"><summary>Errors in figures</summary>\n<div class=\"wide\"><table>\n<tr><th>kernel</th><th>dtype</th><th class=\"n\">elements</th><th class=\"n\">over the bound</th>"
      "<th class=\"n\">ulp p50</th><th class=\"n\">p90</th><th class=\"n\">p99</th><th class=\"n\">p99.9</th><th class=\"n\">max</th><th class=\"n\">error/bound p99</th><th class=\"n\">max</th></tr>\n";
  for (const auto& [key, stats] : d.errors) {
    const ErrorRecord r = summarise(stats);
    out += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n{}\">{}</td><td class=\"n\">{:.3g}</td><td class=\"n\">{:.3g}</td><td class=\"n\">{:.3g}</td><td class=\"n\">{:.3g}</td><td class=\"n\">{:.3g}</td><td class=\"n\">{:.3g}</td><td class=\"n\">{:.3g}</td></tr>\n",
        markup(key.first), markup(key.second), thousands(r.counts.elements), r.counts.over ? " bad" : "",
        thousands(r.counts.over), r.ulps.p50, r.ulps.p90, r.ulps.p99, r.ulps.p999, r.ulps.max, r.ratios.p99,
        r.ratios.max);
  }
  return out + "</table></div></details>\n";
}

std::string runs_table(const ReportData& d) {
  if (d.runs.empty()) return "";
  std::string out =
      "<details id=\"runs\"><summary>Runs</summary>\n<div class=\"wide\"><table>\n<tr><th>started (UTC)</th><th>ended</th><th>targets</th><th>backend</th><th class=\"n\">workers</th><th class=\"n\">seed</th><th class=\"n\">new findings</th><th class=\"n\">exit code</th></tr>\n";
  for (const RunRow& r : d.runs)
    out += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
        utc(r.started), r.ended > 0 ? utc(r.ended) : "killed, or still running", markup(r.targets), markup(r.backend),
        r.workers, r.seed, r.new_keys, r.ended > 0 ? fmt::to_string(r.exit_code) : "-");
  return out + "</table></div></details>\n";
}

}  // namespace

std::string html_page(const ReportData& d, const std::vector<Plot>& plots, const std::string& no_plots) {
  std::string page = kHead + summary(d);
  if (!d.findings.empty()) page += "<h2 id=\"findings\">Findings</h2>\n";
  for (std::size_t i = 0; i < d.findings.size(); ++i) page += finding_article(d.findings[i], i + 1);
  page += targets_table(d);
  page += "<h2 id=\"plots\">Plots</h2>\n";
  if (!no_plots.empty()) page += fmt::format("<p class=\"bad\">{}</p>\n", markup(no_plots));
  else if (plots.empty()) page += "<p class=\"muted\">Nothing to draw: the campaign has measured nothing yet.</p>\n";
  // The first plot shows whether the campaign still finds its way; the others are there to unfold.
  for (std::size_t i = 0; i < plots.size(); ++i) {
    const Plot& p = plots[i];
    if (i == 1)
      page += fmt::format(
          "<details id=\"more-plots\"><summary>{} more: features, executions, errors against their bounds, in ulp and absolute</summary>\n",
          plots.size() - 1);
    page += fmt::format(
        "<figure id=\"plot-{}\">\n<figcaption><b>{}</b><br><span class=\"muted\">{}</span></figcaption>\n{}</figure>\n",
        markup(p.name), markup(p.title), markup(p.caption), p.svg);
  }
  if (plots.size() > 1) page += "</details>\n";
  page += errors_table(d) + runs_table(d);
  return page + "</body>\n</html>\n";
}

}  // namespace warpfuzz::cli
