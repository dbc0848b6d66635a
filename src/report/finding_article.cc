// What is wrong, how badly, where, and how to see it again.
#include "report/finding_article.h"

#include <fmt/format.h>

#include <cmath>

#include "report/templates.h"

namespace warpfuzz::cli {
namespace {

Markup fact(const char* name, const Markup& value) {
  return value.empty() ? Markup() : filled(kFindingHtml, "fact", {{"name", name}, {"value", value}});
}
Markup fact(const char* name, const std::string& text) { return fact(name, Markup::escaped(text)); }

Markup code(const std::string& text) {
  return text.empty() ? Markup() : "<code>"_markup + Markup::escaped(text) + "</code>"_markup;
}

std::string kind_and_location(const FindingRow& row) {
  if (row.kind.empty() && row.location.empty()) return "";
  return row.kind + (row.location.empty() ? "" : ", at: " + row.location);
}

Markup place_of(const ReportFinding& f) {
  if (f.place.file.empty()) return {};
  const std::string line = f.place.line > 0 ? fmt::format(":{}", f.place.line) : "";
  return code(f.place.file + line) + (f.place.exact ? Markup() : " (where the kernel begins)"_markup);
}

Markup reproducer(const ReportFinding& f) {
  if (f.path.empty()) return {};
  return code(f.path) +
         Markup::escaped(fmt::format(", {} bytes, {}", f.row.bytes, f.row.kept ? "kept: the tests replay it" : "new"));
}

Markup facts(const ReportFinding& f) {
  Markup out = fact("how badly", how_badly(f));
  out += fact("kind, location", kind_and_location(f.row));
  out += fact("see it again", code(f.replay));
  out += fact("kernel", code(f.row.kernel));
  out += fact("source", place_of(f));
  out += fact("smallest case", code(f.row.summary));
  out += fact("seen", fmt::format("{}, first {}, last {} UTC", thousands(f.row.count, "time"), utc(f.row.first_seen),
                                  utc(f.row.last_seen)));
  return out + fact("reproducer", reproducer(f));
}

// Unfolded only where the place is the fault's own: a kernel's first lines are a signpost.
Markup source_lines(const ReportFinding& f) {
  if (f.excerpt.empty()) return {};
  Markup lines;
  for (std::size_t i = 0; i < f.excerpt.size(); ++i) {
    const int number = f.excerpt_from + static_cast<int>(i);
    const Markup line = Markup::escaped(fmt::format("{:5}  {}", number, f.excerpt[i]));
    lines += (number == f.place.line ? "<b>"_markup + line + "</b>"_markup : line) + "\n"_markup;
  }
  return filled(kFindingHtml, "source",
                {{"open", f.place.exact ? " open" : ""},
                 {"title", f.place.exact ? "The source around it" : "Where the kernel begins"},
                 {"lines", lines}});
}

}  // namespace

std::string how_badly(const ReportFinding& f) {
  if (!f.finding) return f.problem.empty() ? "" : "not known: " + f.problem;
  const Verdict& v = f.finding->verdict;
  if (v.worst.tensor < 0 || v.total == 0) return "";
  const std::string text = fmt::format("{} of {} outputs wrong ({:.3g} %)", thousands(v.wrong), thousands(v.total),
                                       100.0 * static_cast<double>(v.wrong) / static_cast<double>(v.total));
  if (v.worst.exact) return text + "; each must equal the reference bit for bit";
  if (std::isfinite(v.worst.ratio) && v.worst.ratio > 0)
    return text + fmt::format("; the worst one is {:.3g} times as far off as correct rounding allows", v.worst.ratio);
  if (!std::isfinite(v.worst.got) || !std::isfinite(v.worst.reference))
    return text + "; the worst one is a NaN or Inf that should not be there, or is missing";
  return text;
}

Markup new_tag(const ReportFinding& f) { return f.is_new ? " <span class=\"tag\">new</span>"_markup : Markup(); }

Markup finding_article(const ReportFinding& f, std::size_t number) {
  const auto known = fault_from_name(f.row.fault);
  Markup problem, report;
  if (!f.problem.empty()) problem = filled(kFindingHtml, "problem", {{"problem", f.problem}});
  if (!f.report.empty())
    report = filled(kFindingHtml, "report", {{"show", f.show}, {"program", f.program}, {"report", f.report}});
  return filled(kFindingHtml, "",
                {{"number", number},
                 {"key", f.row.key},
                 {"fault", f.row.fault},
                 {"new", new_tag(f)},
                 {"meaning", known ? std::string(fault_info(*known).meaning) : f.row.fault},
                 {"headline", f.headline},
                 {"facts", facts(f)},
                 {"problem", problem},
                 {"source", source_lines(f)},
                 {"report", report}});
}

}  // namespace warpfuzz::cli
