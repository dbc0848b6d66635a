// The forms of a report: a page for people, SARIF for code hosts, JUnit XML for continuous integration. All text is escaped here.
#pragma once
#include <string>
#include <vector>

#include "report/data.h"
#include "report/plots.h"

namespace warpfuzz::cli {

// One self-contained page without scripts. `no_plots`: "" or why it has none.
std::string html_page(const ReportData& d, const std::vector<Plot>& plots, const std::string& no_plots);

// SARIF 2.1.0: a result for each key. Its rule is the fault class, its fingerprint the key.
std::string sarif_log(const ReportData& d);

// A suite for each target; its finding keys are failed tests, a target without findings is a passed one.
std::string junit_xml(const ReportData& d);

}  // namespace warpfuzz::cli
