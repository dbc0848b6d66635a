// The plots of a report, drawn by gnuplot as SVG.
#pragma once
#include <string>
#include <vector>

#include "report/data.h"
#include "report/markup.h"

namespace warpfuzz::cli {

struct Plot {
  std::string name, title, caption;
  Markup svg;  // an <svg> element
};

// Plots for which the campaign has data, as many as gnuplot draws in `seconds`. `problem`: "" or why some or all are missing (no
// gnuplot, one that fails or hangs).
std::vector<Plot> draw_plots(const ReportData& d, double seconds, std::string& problem);

// A name as gnuplot takes it between quotes: letters, digits and a few signs, '?' for everything else.
std::string plot_label(std::string_view text);

}  // namespace warpfuzz::cli
