// What the screen of a campaign says: totals, what each worker does, the newest finding, a row for each target.
#include <fmt/format.h>

#include <algorithm>

#include "base/json_fields.h"
#include "base/text/counted.h"
#include "campaign/run_view.h"
#include "client/context.h"

namespace warpfuzz::cli {
namespace {

std::string ago(double then, double now) { return then > 0 ? duration(std::max(0.0, now - then)) : "-"; }

std::string totals(const Screen& s) {
  std::uint64_t executions = 0, edges = 0, features = 0, corpus = 0;
  std::size_t findings = 0, kept = 0, stopped = 0;
  double rate = 0;
  for (const ViewRow& r : s.rows) {
    executions += r.target.executions, edges += r.target.edges, features += r.target.features,
        corpus += r.target.corpus;
    rate += r.rate;
    findings += r.findings.size();
    kept += static_cast<std::size_t>(
        std::count_if(r.findings.begin(), r.findings.end(), [](const FindingRow& f) { return f.kept; }));
    stopped += !r.target.problem.empty();
  }
  return fmt::format("{}{}, {} executions, {}/s, {}{}, cov {} ft {} corpus {}", counted(s.rows.size(), "target"),
                     stopped ? fmt::format(" ({} not run)", stopped) : "", amount(static_cast<double>(executions)),
                     amount(rate), counted(findings, "finding"), kept ? fmt::format(" ({} kept)", kept) : "", edges,
                     features, corpus);
}

void add_table(std::vector<std::string>& lines, const std::vector<std::vector<std::string>>& cells,
               const std::vector<bool>& right) {
  const std::string all = table(cells, right);
  for (std::size_t begin = 0, end; (end = all.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines.push_back(all.substr(begin, end - begin));
}

// At most `most` lines; the last of them says how many workers it leaves out.
std::vector<std::string> worker_lines(const Screen& s, std::size_t most) {
  std::vector<std::vector<std::string>> cells;
  std::size_t shown = s.workers.size();
  const std::size_t idle = s.idle > 0 ? 1 : 0;
  if (shown + idle > most) shown = most > 1 + idle ? most - 1 - idle : 0;
  for (std::size_t i = 0; i < shown; ++i) {
    const ViewWorker& w = s.workers[i];
    cells.push_back(
        {"  " + w.target, printable(w.doing, false), duration(w.seconds), w.rate > 0 ? amount(w.rate) + "/s" : ""});
  }
  std::vector<std::string> lines;
  if (!cells.empty()) add_table(lines, cells, {false, false, true, true});
  if (shown < s.workers.size())
    lines.push_back(
        fmt::format("  and {} at work", counted(s.workers.size() - shown, shown ? "more worker" : "worker")));
  if (idle)
    lines.push_back(fmt::format("  {} idle: {}", counted(static_cast<std::size_t>(s.idle), "worker"), s.why_idle));
  return lines;
}

std::vector<std::string> target_lines(const Screen& s, std::size_t most) {
  std::vector<const ViewRow*> shown;
  for (const ViewRow& r : s.rows) shown.push_back(&r);
  const auto importance = [](const ViewRow* r) {
    return (r->workers || !r->doing.empty() ? 2 : 0) + (r->findings.empty() ? 0 : 1);
  };
  if (shown.size() + 1 > most) {
    std::sort(shown.begin(), shown.end(), [&](const ViewRow* a, const ViewRow* b) {
      return std::pair(-importance(a), a) < std::pair(-importance(b), b);
    });
    shown.resize(most > 1 ? most - 1 : 0);
  }
  std::vector<std::vector<std::string>> cells{
      {"TARGET", "W", "exec/s", "execs", "cov", "ft", "corpus", "last new", "FINDINGS"}};
  for (const ViewRow* r : shown) {
    const TargetRow& t = r->target;
    std::string text = keys_text(r->findings);
    if (!t.problem.empty()) text = "not run: " + t.problem;
    else if (!r->doing.empty()) text = r->doing + (text.empty() ? "" : "; " + text);
    cells.push_back({t.target, r->workers ? std::to_string(r->workers) : "", r->workers ? amount(r->rate) : "",
                     amount(static_cast<double>(t.executions)), std::to_string(t.edges), std::to_string(t.features),
                     std::to_string(t.corpus), ago(t.last_new, s.now), printable(text, false)});
  }
  std::vector<std::string> lines;
  add_table(lines, cells, {false, true, true, true, true, true, true, true});
  return lines;
}

}  // namespace

std::vector<std::string> lines_of(const Screen& s, int height, int width) {
  std::vector<std::string> lines{s.head, totals(s)};
  if (s.chore_seconds > 0)
    lines.push_back(fmt::format("chores {}, {:.1f} % of the workers' time", duration(s.chore_seconds),
                                100 * s.chore_seconds / std::max(1.0, s.worker_seconds)));
  lines.push_back(s.newest_key.empty() ? "no finding yet"
                                       : fmt::format("newest finding {} ({}, {} ago)",
                                                     s.newest_file.empty() ? "without a file" : s.newest_file,
                                                     s.newest_key, ago(s.newest_time, s.now)));
  const std::size_t all = static_cast<std::size_t>(std::max(height, 8));
  const std::size_t rest = all - std::min(all, lines.size() + 2);  // two empty lines
  const std::vector<std::string> workers =
      worker_lines(s, std::max<std::size_t>(2, rest > s.rows.size() + 1 ? rest - s.rows.size() - 1 : rest / 3));
  lines.push_back("");
  lines.insert(lines.end(), workers.begin(), workers.end());
  lines.push_back("");
  const std::vector<std::string> targets = target_lines(s, all - std::min(all, lines.size()));
  lines.insert(lines.end(), targets.begin(), targets.end());
  lines.resize(std::min(lines.size(), all));
  for (std::string& line : lines) {
    if (static_cast<int>(line.size()) >= width) line.resize(static_cast<std::size_t>(width - 1));
    line.resize(line.find_last_not_of(' ') + 1);
  }
  return lines;
}

}  // namespace warpfuzz::cli
