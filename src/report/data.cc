#include "report/data.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <tuple>

#include "base/exit_codes.h"
#include "base/fields/json_reader.h"
#include "base/json_fields.h"
#include "base/shell_text.h"
#include "client/printed_command.h"
#include "export/target_source.h"
#include "findings/error_fields.h"
#include "findings/format.h"

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;

// The first line of a report, without the sanitizers' prefix.
std::string first_line(const std::string& report) {
  constexpr std::string_view kPrefix = "==WARPFUZZ== ERROR: ";
  std::string line = report.substr(0, report.find('\n'));
  return line.starts_with(kPrefix) ? line.substr(kPrefix.size()) : line;
}

ReportFinding read_finding(const Context& c, const std::string& folder, FindingRow row) {
  ReportFinding f;
  f.row = std::move(row);
  if (!f.row.path.empty()) {
    f.path = as_typed(fs::path(f.row.path).is_absolute() ? f.row.path : folder + "/" + f.row.path);
    Result<Finding> read = read_wfz(f.path);
    if (read) f.finding = *std::move(read);
    f.problem = read.line();
    f.replay = replay_command(c, f.row.target, f.path);
    f.show = printed_command(c, {"show", f.path});
    f.program = printed_command(c, {"export", f.path, "--cu", "repro.cu"});
  } else {
    f.problem = "none is on disk";
  }
  if (f.finding) {
    f.report = report(*f.finding, f.replay);
    f.headline = first_line(f.report);
    const Place& p = f.finding->place;
    if (!p.file.empty()) f.place = {as_typed(p.file), p.line, p.line > 0};
  }
  if (f.headline.empty()) {
    const auto fault = fault_from_name(f.row.fault);
    f.headline = !f.row.message.empty() ? f.row.message : fault ? std::string(fault_info(*fault).meaning) : f.row.fault;
  }
  if (!f.problem.empty()) f.headline += fmt::format(" (the reproducer cannot be read: {})", f.problem);
  if (f.place.file.empty()) f.place = kernel_place(c.bin, f.row.target, f.row.kernel);
  return f;
}

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return in ? text.str() : "";
}

// The line of `__global__` whose function is `kernel`; of the first one where none is.
int global_line(const std::string& text, const std::string& kernel) {
  int line = 1, first = 0;
  std::istringstream lines(text);
  std::vector<std::string> all;
  for (std::string l; std::getline(lines, l);) all.push_back(l);
  for (std::size_t i = 0; i < all.size(); ++i, ++line) {
    if (all[i].find("__global__") == std::string::npos || all[i].find("//") < all[i].find("__global__")) continue;
    if (!first) first = line;
    const std::string with_next = all[i] + " " + (i + 1 < all.size() ? all[i + 1] : "");
    if (!kernel.empty() && with_next.find(kernel + "(") != std::string::npos) return line;
  }
  return first;
}

// The lines around the place of a finding, where its source is still there.
void read_excerpt(ReportFinding& f) {
  constexpr int kAround = 4;
  constexpr std::size_t kWidest = 160;
  if (f.place.file.empty() || f.place.line <= 0) return;
  std::istringstream lines(file_text(f.place.file));
  int number = 0;
  for (std::string line; std::getline(lines, line) && number < f.place.line + kAround;) {
    if (++number < f.place.line - kAround) continue;
    if (!f.excerpt_from) f.excerpt_from = number;
    f.excerpt.push_back(line.substr(0, kWidest));
  }
  if (number < f.place.line) f.excerpt.clear();  // another file than the one that was compiled
}

// Worst first: faults of memory and control before wrong values, then what is off by more, then what is wrong in more places.
std::tuple<int, double, double, std::string> order_of(const ReportFinding& f) {
  const int fault = static_cast<int>(fault_from_name(f.row.fault).value_or(FaultClass::none));
  if (!f.finding) return {fault, 0, 0, f.row.key};
  const Verdict& v = f.finding->verdict;
  return {fault, -std::max(v.max_ratio, v.worst.ratio),
          -static_cast<double>(v.wrong) / static_cast<double>(std::max<std::size_t>(v.total, 1)), f.row.key};
}

}  // namespace

SourcePlace kernel_place(const std::string& bin, const std::string& target, const std::string& kernel) {
  BuildEntry entry;
  try {
    entry = build_entry(bin, target);
  } catch (const Failure&) {
    return {};  // an installed command beside targets of another build
  }
  static const std::regex include(R"re(^[ \t]*#[ \t]*include[ \t]*"([^"]+\.cuh?)")re", std::regex::multiline);
  for (const std::string& source : entry.sources) {
    const std::string text = file_text(source);
    std::vector<std::string> folders{fs::path(source).parent_path().string()};
    folders.insert(folders.end(), entry.includes.begin(), entry.includes.end());
    for (std::sregex_iterator it(text.begin(), text.end(), include), end; it != end; ++it) {
      for (const std::string& folder : folders) {
        const std::string path = folder + "/" + (*it)[1].str();
        if (const int line = global_line(file_text(path), kernel)) return {as_typed(path), line, false};
      }
    }
    if (const int line = global_line(text, kernel)) return {as_typed(source), line, false};
  }
  return {};
}

bool ReportData::has_findings(const std::string& target) const {
  return std::any_of(findings.begin(), findings.end(), [&](const ReportFinding& f) { return f.row.target == target; });
}

ReportData read_report(const Context& c, const std::string& folder) {
  Index index(folder, false);
  ReportData d;
  d.folder = as_typed(folder);
  d.made = utc_now("%Y-%m-%d %H:%M:%S");
  d.targets = index.targets();
  d.runs = index.runs();
  for (FindingRow& row : index.findings()) d.findings.push_back(read_finding(c, folder, std::move(row)));
  double last_run = 0;
  for (const RunRow& run : d.runs) last_run = std::max(last_run, run.started);
  for (ReportFinding& f : d.findings) {
    f.is_new = last_run > 0 && f.row.first_seen >= last_run;
    read_excerpt(f);
  }
  std::sort(d.findings.begin(), d.findings.end(),
            [](const ReportFinding& a, const ReportFinding& b) { return order_of(a) < order_of(b); });
  for (const ReportFinding& f : d.findings)  // kept reproducers of a target that this campaign has not run
    if (std::none_of(d.targets.begin(), d.targets.end(),
                     [&](const TargetRow& t) { return t.target == f.row.target; })) {
      TargetRow t;
      t.target = f.row.target, t.op = f.row.op;
      d.targets.push_back(t);
    }
  for (const TargetRow& t : d.targets) d.history[t.target] = index.history(t.target);
  for (const ErrorRow& row : index.errors()) {
    const Result<nlohmann::json> record = parse_json(row.record, 16);
    ErrorStats stats;
    const std::string error = record ? read_message(*record, stats, "record", Form::compact) : record.line();
    if (!error.empty())
      throw Failure(kExitBadFile, fmt::format("'{}': the error record of target {}, dtype {}: {}",
                                              printable(Index::path_in(folder), false), printable(row.target, false),
                                              printable(row.dtype, false), error));
    d.errors[{row.target, row.dtype}].merge(stats);
  }
  return d;
}

std::string utc(double seconds) {
  if (!(seconds > 0) || seconds > 4e11) return "-";
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string span_text(double seconds) {
  const auto s = static_cast<std::uint64_t>(std::clamp(std::round(seconds), 0.0, 1e12));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  if (s < 86400) return fmt::format("{} h {} min", s / 3600, s / 60 % 60);
  return fmt::format("{} d {} h", s / 86400, s / 3600 % 24);
}

std::string thousands(std::uint64_t n) {
  std::string digits = fmt::to_string(n);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string thousands(std::uint64_t n, const std::string& what) {
  return thousands(n) + " " + what + (n == 1 ? "" : "s");
}

}  // namespace warpfuzz::cli
