// JUnit XML, in the form that the usual continuous-integration servers read.
#include <fmt/format.h>

#include "report/forms.h"
#include "report/markup.h"

namespace warpfuzz::cli {
namespace {

struct Suite {
  std::string cases;
  std::size_t tests = 0, failures = 0, errors = 0;
};

Suite suite_of(const ReportData& d, const TargetRow& t) {
  Suite s;
  const std::string name = markup(t.target);
  for (const ReportFinding& f : d.findings) {
    if (f.row.target != t.target) continue;
    s.tests++, s.failures++;
    std::string text = f.report.empty() ? f.headline + "\n" : f.report;
    if (!f.replay.empty()) text += "\nreplay: " + f.replay + "\n";
    const std::string place = f.place.file.empty()
                                  ? ""
                                  : fmt::format(" file=\"{}\"{}", markup(f.place.file),
                                                f.place.line > 0 ? fmt::format(" line=\"{}\"", f.place.line) : "");
    s.cases += fmt::format(
        "    <testcase classname=\"{}\" name=\"{}\"{} time=\"0\">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n",
        name, markup(f.row.key), place, markup(f.row.fault), markup(f.headline), markup(text));
  }
  if (!t.problem.empty()) {
    s.tests++, s.errors++;
    s.cases += fmt::format(
        "    <testcase classname=\"{}\" name=\"runs\" time=\"0\">\n      <error type=\"not-run\" message=\"{}\"/>\n    </testcase>\n",
        name, markup(t.problem));
  }
  if (s.tests == 0) {
    s.tests++;
    s.cases = fmt::format(
        "    <testcase classname=\"{}\" name=\"no finding\" time=\"{:.3f}\">\n      <system-out>{} executions</system-out>\n    </testcase>\n",
        name, t.seconds, t.executions);
  }
  return s;
}

}  // namespace

std::string junit_xml(const ReportData& d) {
  std::string suites;
  std::size_t tests = 0, failures = 0, errors = 0;
  double seconds = 0;
  for (const TargetRow& t : d.targets) {
    const Suite s = suite_of(d, t);
    tests += s.tests, failures += s.failures, errors += s.errors, seconds += t.seconds;
    suites += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" time=\"{:.3f}\">\n{}  </testsuite>\n",
        markup(t.target), s.tests, s.failures, s.errors, t.seconds, s.cases);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"WarpFuzz\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\">\n{}</testsuites>\n",
      tests, failures, errors, seconds, suites);
}

}  // namespace warpfuzz::cli
