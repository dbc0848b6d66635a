// gnuplot draws: a script with its data goes in, SVG comes out. Names reach it only as plot_label() writes them.
#include "report/plots.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <set>

#include "base/process/conversation.h"

namespace warpfuzz::cli {
namespace {

constexpr int kWidth = 900;
constexpr std::size_t kSvgLimit = 4u << 20;  // of one plot

// One curve or point series: its data block and how it is drawn.
struct Series {
  std::string label, style;  // style: "with lines"
  std::vector<std::pair<double, double>> points;
};

struct Figure {
  Plot plot;
  std::string settings;  // gnuplot's, one a line
  std::vector<Series> series;
  int height = 420;
};

std::string gnuplot_path() {
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/bin:/bin";
  while (!rest.empty()) {
    const std::string candidate = std::string(rest.substr(0, rest.find(':'))) + "/gnuplot";
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    rest = rest.find(':') == std::string_view::npos ? "" : rest.substr(rest.find(':') + 1);
  }
  return "";
}

std::string script_of(const Figure& f) {
  std::string s = fmt::format(
      "set terminal svg size {},{} dynamic font 'sans-serif,12' name '{}' background '#ffffff'\n"
      "set key noenhanced outside right top samplen 2 spacing 1.05\nset grid lc rgb '#dddddd'\nset border 3\nset tics nomirror\n"
      "set datafile missing '?'\n",
      kWidth, f.height, f.plot.name);
  s += f.settings;
  for (std::size_t i = 0; i < f.series.size(); ++i) {
    s += fmt::format("$d{} << EOD\n", i);
    for (const auto& [x, y] : f.series[i].points) s += fmt::format("{:.9g} {:.9g}\n", x, y);
    s += "EOD\n";
  }
  std::string plots;
  for (std::size_t i = 0; i < f.series.size(); ++i) {
    const Series& curve = f.series[i];
    // Eight colours, then the same ones dashed.
    const std::string look = curve.style.find("with points") != std::string::npos
                                 ? ""
                                 : fmt::format("lt {} dt {} lw 1.6", i % 8 + 1, i / 8 % 5 + 1);
    plots += fmt::format("{}$d{} using 1:2 {} {} title '{}' noenhanced", plots.empty() ? "" : ", ", i, curve.style,
                         look, plot_label(curve.label));
  }
  return s + "plot " + plots + "\n";
}

// gnuplot's answer as an element that can stand in a page beside others: no prolog, names of its own.
std::string element_of(std::string svg, const std::string& name) {
  const std::size_t begin = svg.find("<svg");
  if (begin == std::string::npos || svg.find("</svg>") == std::string::npos) return "";
  svg.erase(0, begin);
  for (const std::string quoted : {"id=\"gp", "id='gp", "href=\"#gp", "href='#gp", "url(#gp"}) {
    const std::string renamed = quoted.substr(0, quoted.size() - 2) + name + "_gp";
    for (std::size_t at = 0; (at = svg.find(quoted, at)) != std::string::npos; at += renamed.size())
      svg.replace(at, quoted.size(), renamed);
  }
  return svg;
}

std::string run_gnuplot(const std::string& gnuplot, const Figure& f, Deadline deadline, std::string& problem) {
  Conversation child;
  if (problem = child.start({gnuplot, "-"}); !problem.empty()) return "";
  const bool taken = child.write(script_of(f), deadline);
  child.close_input();
  std::string out, line;
  Conversation::Read read;
  while ((read = child.read_line(line, deadline)) == Conversation::Read::line && out.size() < kSvgLimit &&
         (!deadline || std::chrono::steady_clock::now() < *deadline))
    out += line + "\n";
  if (read != Conversation::Read::end) {
    child.stop();
    problem = fmt::format("gnuplot {} at the plot '{}' and was ended",
                          read == Conversation::Read::line ? "printed without end" : "took too long", f.plot.name);
    return "";
  }
  const ExitStatus status = child.finish(deadline);
  std::string svg = element_of(std::move(out), f.plot.name);
  if (!taken || status.code != 0 || svg.empty())
    problem = fmt::format("gnuplot could not draw the plot '{}': {}", f.plot.name, child.error_output().substr(0, 400));
  return svg;
}

struct TimeUnit {
  const char* name;
  double seconds;
};
TimeUnit time_unit(double span) {
  return span < 180         ? TimeUnit{"seconds", 1}
         : span < 3 * 3600  ? TimeUnit{"minutes", 60}
         : span < 72 * 3600 ? TimeUnit{"hours", 3600}
                            : TimeUnit{"days", 86400};
}

int height_for(std::size_t series) { return std::max(420, 120 + static_cast<int>(series) * 18); }

// One curve a target over the campaign's time.
Figure over_time(const ReportData& d, const char* name, const char* title, const char* caption, const char* unit,
                 const std::function<std::uint64_t(const HistoryPoint&)>& value) {
  Figure f;
  f.plot = {name, title, caption, {}};
  double first = 0, last = 0;
  for (const TargetRow& t : d.targets)
    if (t.first_started > 0) first = first == 0 ? t.first_started : std::min(first, t.first_started);
  for (const auto& [target, points] : d.history)
    for (const HistoryPoint& p : points)
      first = first == 0 ? p.time : std::min(first, p.time), last = std::max(last, p.time);
  const TimeUnit time = time_unit(last - first);
  for (const auto& [target, points] : d.history) {
    Series s{target, "with linespoints pt 7 ps 0.3", {}};
    for (const TargetRow& t : d.targets)
      if (t.target == target && t.first_started > 0)
        s.points.emplace_back((t.first_started - first) / time.seconds, 0.0);
    for (const HistoryPoint& p : points)
      s.points.emplace_back((p.time - first) / time.seconds, static_cast<double>(value(p)));
    if (!points.empty()) f.series.push_back(std::move(s));
  }
  f.height = height_for(f.series.size());
  double most = 0;
  for (const Series& s : f.series)
    for (const auto& [x, y] : s.points) most = std::max(most, y);
  // Tics are a twentieth of the range apart or more: with a decimal behind "k" no two of them read the same.
  f.settings = fmt::format(
      "set xlabel '{} since the campaign began'\nset ylabel '{}'\nset xrange [0:{:.6g}]\nset yrange [0:*]\nset format y '{}'\n",
      time.name, unit, std::max(last - first, 1.0) / time.seconds, most < 10000 ? "%g" : "%.1s%c");
  return f;
}

// A histogram as a curve: the share of elements in each quarter of a power of two, from `least` on.
Series histogram(const std::string& label, const LogHistogram& h, double least) {
  constexpr int kSteps = 16, kLowest = -192, kGroup = 4;
  std::map<int, std::uint64_t> groups;
  std::uint64_t zeros = 0;
  for (const auto& [bucket, n] : h.filled()) {
    if (bucket == 0) zeros = n;
    else groups[static_cast<int>(bucket - 1) / kGroup] += n;
  }
  const double all = static_cast<double>(std::max<std::uint64_t>(h.count(), 1));
  Series s{fmt::format("{} ({} exact)", label, fmt::format("{:.3g} %", 100.0 * static_cast<double>(zeros) / all)),
           "with lines",
           {}};
  for (const auto& [group, n] : groups) {
    const int step = group * kGroup, exponent = step / kSteps + kLowest;
    const double x = std::ldexp(1.0 + (step % kSteps + kGroup / 2.0) / kSteps, exponent);
    if (x >= least) s.points.emplace_back(x, static_cast<double>(n) / all);
  }
  return s;
}

enum class Kernels { all, clean, faulty };

Figure histograms(const ReportData& d, Kernels which, LogHistogram ErrorStats::* quantity, Plot plot,
                  const char* xlabel, const char* more, double least) {
  std::map<std::string, LogHistogram> by_dtype;
  for (const auto& [key, stats] : d.errors)
    if (which == Kernels::all || d.has_findings(key.first) == (which == Kernels::faulty))
      by_dtype[key.second].merge(stats.*quantity);
  Figure f;
  f.plot = std::move(plot);
  for (const auto& [dtype, h] : by_dtype)
    if (Series s = histogram(dtype, h, least); !s.points.empty()) f.series.push_back(std::move(s));
  f.settings = fmt::format(
      "set logscale xy\nset format x '10^{{%T}}'\nset format y '10^{{%T}}'\nset xlabel '{}'\nset ylabel 'share of elements'\n{}",
      xlabel, more);
  return f;
}

// Percentiles as points, a line for each target and dtype.
Figure ulp_percentiles(const ReportData& d) {
  Figure f;
  f.plot = {"ulp_percentiles",
            "Distance to the rounded reference, in ulp",
            "Percentiles over all specified, finite elements of a target and dtype. Points at the left edge are 0.",
            {}};
  constexpr double kZero = 0.5;  // where 0 is drawn
  const std::pair<const char*, double Distribution::*> kinds[] = {{"p50", &Distribution::p50},
                                                                  {"p90", &Distribution::p90},
                                                                  {"p99", &Distribution::p99},
                                                                  {"p99.9", &Distribution::p999},
                                                                  {"max", &Distribution::max}};
  int point = 1;
  for (const auto& kind : kinds)
    f.series.push_back({kind.first, fmt::format("with points pt {} ps 0.8 lt {}", 4 + point, point), {}}), ++point;
  std::string tics;
  int row = 0;
  for (const auto& [key, stats] : d.errors) {
    const ErrorRecord r = summarise(stats);
    if (!r.measured) continue;
    tics += fmt::format("{}'{} {}' {}", tics.empty() ? "" : ", ", plot_label(key.first), plot_label(key.second), -row);
    for (std::size_t i = 0; i < std::size(kinds); ++i)
      f.series[i].points.emplace_back(std::max(r.ulps.*kinds[i].second, kZero), -row);
    ++row;
  }
  if (row == 0) f.series.clear();
  f.height = std::max(260, 110 + 17 * row);
  f.settings = fmt::format(
      "set logscale x\nset xrange [0.4:*]\nset yrange [{}:1]\nset ytics noenhanced ({})\nset xlabel 'ulp'\nset format x '%.0s%c'\nset xtics add ('0' {})\n",
      -row, tics, kZero);
  return f;
}

std::vector<Figure> figures(const ReportData& d) {
  std::vector<Figure> all;
  all.push_back(over_time(d, "coverage", "Coverage over time",
                          "Edges of the kernel and of its launcher that an input of the corpus takes.", "edges",
                          [](const HistoryPoint& p) { return p.edges; }));
  all.push_back(
      over_time(d, "features", "Features over time",
                "What libFuzzer counts as new: edges with their counts, error sizes, shape classes, compared operands.",
                "features", [](const HistoryPoint& p) { return p.features; }));
  all.push_back(over_time(d, "executions", "Executions over time", "Cases that were run, each with its verdict.",
                          "executions", [](const HistoryPoint& p) { return p.executions; }));
  const char* bound = "set arrow 1 from 1, graph 0 to 1, graph 1 nohead lc rgb '#b00020' lw 1.5\n";
  all.push_back(histograms(
      d, Kernels::clean, &ErrorStats::ratios,
      {"bound_clean",
       "Error over bound, kernels without findings",
       "A correct kernel stays to the left of the red line: 1 is the error that correct rounding may make. Less than 1e-9 is not drawn.",
       {}},
      "error / bound", bound, 1e-9));
  all.push_back(histograms(d, Kernels::faulty, &ErrorStats::ratios,
                           {"bound_faulty",
                            "Error over bound, kernels with findings",
                            "Elements to the right of the red line are wrong. Less than 1e-9 is not drawn.",
                            {}},
                           "error / bound", bound, 1e-9));
  all.push_back(ulp_percentiles(d));
  all.push_back(histograms(d, Kernels::all, &ErrorStats::ulps,
                           {"ulp",
                            "Distance in ulp, all kernels",
                            "Elements that equal the rounded reference are counted in the legend.",
                            {}},
                           "ulp", "", 0));
  all.push_back(histograms(d, Kernels::all, &ErrorStats::absolute,
                           {"absolute",
                            "Absolute error, all kernels",
                            "Elements without an error are counted in the legend; less than 1e-20 is not drawn.",
                            {}},
                           "|output - reference|", "", 1e-20));
  std::erase_if(all, [](const Figure& f) { return f.series.empty(); });
  return all;
}

}  // namespace

std::string plot_label(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       (c != '\0' && std::string_view("_.:/+-()>% ").find(c) != std::string_view::npos);
    out += plain ? c : '?';
  }
  return out;
}

std::vector<Plot> draw_plots(const ReportData& d, double seconds, std::string& problem) {
  const std::string gnuplot = gnuplot_path();
  if (gnuplot.empty()) {
    problem = "gnuplot was not found, so the page has no plots: install gnuplot-nox";
    return {};
  }
  const auto deadline = in_seconds(seconds);
  std::vector<Plot> plots;
  for (Figure& f : figures(d)) {
    f.plot.svg = Markup::trusted(run_gnuplot(gnuplot, f, deadline, problem));
    if (!problem.empty()) return plots;
    plots.push_back(std::move(f.plot));
  }
  return plots;
}

}  // namespace warpfuzz::cli
