// `warpfuzz report`: what a campaign found, as a page, as SARIF and as JUnit XML.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "base/text/counted.h"
#include "cli/parser/command.h"
#include "client/output_file.h"
#include "report/forms.h"

namespace warpfuzz::cli {
namespace {

struct Options {
  std::string folder = ".", html, sarif, junit;  // none of the three: <folder>/campaign/report.html
};

void declare(CLI::App& a, Options& o) {
  a.add_option("--folder", o.folder, "The campaign's folder, as given to `warpfuzz run` (default: the current one)")
      ->type_name("DIR");
  a.add_option("--html", o.html,
               "Where to write the page (default, without any of the three: <folder>/campaign/report.html)")
      ->type_name("FILE");
  a.add_option("--sarif", o.sarif, "Where to write SARIF 2.1.0")->type_name("FILE");
  a.add_option("--junit", o.junit, "Where to write JUnit XML")->type_name("FILE");
}

std::vector<NamedOutput> outputs_of(const Options& o) {
  const bool none = o.html.empty() && o.sarif.empty() && o.junit.empty();
  return {{"--html", none ? o.folder + "/campaign/report.html" : o.html}, {"--sarif", o.sarif}, {"--junit", o.junit}};
}

// The index and the reproducers that it names.
std::vector<std::string> inputs_of(const ReportData& d, const std::string& folder) {
  std::vector<std::string> inputs{Index::path_in(folder)};
  for (const ReportFinding& f : d.findings)
    if (!f.path.empty()) inputs.push_back(f.path);
  return inputs;
}

constexpr double kPlotSeconds = 60;  // that gnuplot may take for all plots

std::string page_of(const Context& c, const ReportData& d, std::size_t& plot_count) {
  std::string problem;
  const std::vector<Plot> plots = draw_plots(d, c.limit(kPlotSeconds), problem);
  if (!problem.empty()) note(problem);
  plot_count = plots.size();
  return html_page(d, plots, problem);
}

int run(const Context& c, const Options& o) {
  const std::vector<NamedOutput> outputs = outputs_of(o);
  const ReportData d = read_report(c, o.folder);
  check_outputs(c, outputs, inputs_of(d, o.folder));
  std::size_t plot_count = 0;
  if (outputs[0].given()) write_output(outputs[0].path, page_of(c, d, plot_count));
  if (outputs[1].given()) write_output(outputs[1].path, sarif_log(d));
  if (outputs[2].given()) write_output(outputs[2].path, junit_xml(d));
  if (c.json) {
    nlohmann::json files = nlohmann::json::object();
    for (const NamedOutput& out : outputs)
      if (out.given()) files[out.option.substr(2)] = printable(out.path, false);
    print_json(
        {{"targets", d.targets.size()}, {"findings", d.findings.size()}, {"plots", plot_count}, {"files", files}});
    return kExitOk;
  }
  std::string said =
      fmt::format("{}, {}\n", counted(d.targets.size(), "target"), counted(d.findings.size(), "finding"));
  for (const NamedOutput& out : outputs)
    if (out.given() && !out.standard())
      said += fmt::format("{} written to {}\n", out.option.substr(2), printable(out.path, false));
  if (std::none_of(outputs.begin(), outputs.end(), [](const NamedOutput& out) { return out.standard(); })) print(said);
  return kExitOk;
}

}  // namespace

extern const Command kReport{
    "report", "What a campaign found: a page for people, SARIF for code hosts, JUnit XML for CI", declare, run};

}  // namespace warpfuzz::cli
