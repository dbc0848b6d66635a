// JUnit XML, in the form that the usual continuous-integration servers read.
#include <fmt/format.h>

#include "report/forms.h"
#include "report/markup.h"
#include "report/templates.h"

namespace warpfuzz::cli {
namespace {

struct Suite {
  Markup cases;
  std::size_t tests = 0, failures = 0, errors = 0;
};

std::string seconds_text(double seconds) { return fmt::format("{:.3f}", seconds); }

Markup failure(const ReportFinding& f) {
  std::string text = f.report.empty() ? f.headline + "\n" : f.report;
  if (!f.replay.empty()) text += "\nreplay: " + f.replay + "\n";
  Markup place;
  if (!f.place.file.empty()) place += " file=\""_markup + Markup::escaped(f.place.file) + "\""_markup;
  if (!f.place.file.empty() && f.place.line > 0)
    place += " line=\""_markup + Markup::escaped(fmt::to_string(f.place.line)) + "\""_markup;
  return filled(kJunitXml, "failure",
                {{"target", f.row.target},
                 {"key", f.row.key},
                 {"place", place},
                 {"fault", f.row.fault},
                 {"headline", f.headline},
                 {"text", text}});
}

Suite suite_of(const ReportData& d, const TargetRow& t) {
  Suite s;
  for (const ReportFinding& f : d.findings) {
    if (f.row.target != t.target) continue;
    ++s.failures;
    s.cases += failure(f);
  }
  if (!t.problem.empty()) {
    ++s.errors;
    s.cases += filled(kJunitXml, "error", {{"target", t.target}, {"problem", t.problem}});
  }
  s.tests = s.failures + s.errors;
  if (s.tests == 0) {
    s.tests = 1;
    s.cases = filled(kJunitXml, "passed",
                     {{"target", t.target}, {"time", seconds_text(t.seconds)}, {"executions", t.executions}});
  }
  return s;
}

}  // namespace

std::string junit_xml(const ReportData& d) {
  Markup suites;
  std::size_t tests = 0, failures = 0, errors = 0;
  double seconds = 0;
  for (const TargetRow& t : d.targets) {
    const Suite s = suite_of(d, t);
    tests += s.tests;
    failures += s.failures;
    errors += s.errors;
    seconds += t.seconds;
    suites += filled(kJunitXml, "suite",
                     {{"target", t.target},
                      {"tests", s.tests},
                      {"failures", s.failures},
                      {"errors", s.errors},
                      {"time", seconds_text(t.seconds)},
                      {"cases", s.cases}});
  }
  return filled(kJunitXml, "",
                {{"tests", tests},
                 {"failures", failures},
                 {"errors", errors},
                 {"time", seconds_text(seconds)},
                 {"suites", suites}})
      .text();
}

}  // namespace warpfuzz::cli
