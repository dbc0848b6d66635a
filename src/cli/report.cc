// `warpfuzz report`: what a campaign found, as a page, as SARIF and as JUnit XML.
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/report_forms.h"
#include "findings/exit_codes.h"
#include "findings/json_fields.h"

namespace warpfuzz::cli {
namespace {

void write_text(const std::string& path, const std::string& text) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  if (const std::string error = write_file(path, {bytes, text.size()}); !error.empty()) throw Failure(kExitCannotWrite, error);
}

}  // namespace

int report(const Context& c, const ReportOptions& o) {
  const ReportData d = read_report(c, o.folder);
  const std::string html = o.html.empty() && o.sarif.empty() && o.junit.empty() ? o.folder + "/campaign/report.html" : o.html;
  std::vector<std::pair<std::string, std::string>> written;
  std::size_t plot_count = 0;
  if (!html.empty()) {
    std::string problem;
    const std::vector<Plot> plots = draw_plots(d, problem);
    if (!problem.empty()) note(problem);
    plot_count = plots.size();
    write_text(html, html_page(d, plots, problem));
    written.emplace_back("html", html);
  }
  if (!o.sarif.empty()) write_text(o.sarif, sarif_log(d)), written.emplace_back("sarif", o.sarif);
  if (!o.junit.empty()) write_text(o.junit, junit_xml(d)), written.emplace_back("junit", o.junit);
  if (c.json) {
    nlohmann::json files = nlohmann::json::object();
    for (const auto& [form, path] : written) files[form] = printable(path, false);
    print_json({{"targets", d.targets.size()}, {"findings", d.findings.size()}, {"plots", plot_count}, {"files", files}});
    return kExitOk;
  }
  print(fmt::format("{} targets, {} findings\n", d.targets.size(), d.findings.size()));
  for (const auto& [form, path] : written) print(fmt::format("{} written to {}\n", form, printable(path, false)));
  return kExitOk;
}

}  // namespace warpfuzz::cli
