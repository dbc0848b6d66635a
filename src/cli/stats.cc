// `warpfuzz stats`: the error record of a target over random cases or over files.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "base/text/counted.h"
#include "cli/parser/command.h"
#include "cli/parser/shared_options.h"
#include "client/sweep.h"
#include "findings/error_fields.h"
#include "ops/op.h"

namespace warpfuzz::cli {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct Options {
  std::string target, dtype;
  std::vector<std::string> files;  // cases or folders of them; none: random ones
  std::uint64_t cases = 1000, seed = 1;
  int jobs = 1;
  bool by_fill = false;
};

void declare(CLI::App& a, Options& o) {
  a.add_option("TARGET", o.target)->required();
  a.add_option("FILE", o.files, "Cases, .wfz files, folders of them, a corpus (default: random cases)");
  add_sweep(a, o.cases, o.seed, o.jobs);
  add_dtype(a, o.dtype, "Hold the element type");
  a.add_flag("--by-fill", o.by_fill, "A line for each fill of the data tensors");
}

// Files, and the files below folders, sorted.
std::vector<std::string> files_of(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    std::error_code ec;
    if (!fs::exists(name, ec))
      throw Failure(kExitBadFile, fmt::format("'{}': no such file or folder", printable(name, false)));
    if (!fs::is_directory(name, ec)) {
      files.push_back(fs::absolute(name, ec).string());
      continue;
    }
    for (const fs::directory_entry& e : fs::recursive_directory_iterator(name, ec))
      if (e.is_regular_file(ec)) files.push_back(fs::absolute(e.path(), ec).string());
  }
  if (files.empty())
    throw Failure(kExitBadFile, "there is no file in these folders: expected cases, a corpus or .wfz files");
  std::sort(files.begin(), files.end());
  return files;
}

std::string figure(double x) { return fmt::format("{:.3g}", x); }

std::string unspecified_cell(const ErrorCounts& c) {
  std::string out;
  for (int i = 1; i < kReasonCount; ++i) {
    const std::uint64_t n = c.unspecified[static_cast<std::size_t>(i)];
    if (!n) continue;
    out += fmt::format("{}{} {:.2f} %", out.empty() ? "" : ", ", reason_name(static_cast<Reason>(i)),
                       100.0 * static_cast<double>(n) / static_cast<double>(c.elements));
  }
  return out.empty() ? "none" : out;
}

// What was judged, and the figures that have no unit of the values.
std::string judged_table(const ErrorTable& t) {
  std::vector<std::vector<std::string>> rows{{"DTYPE", "FILL", "cases", "failed", "drift", "elements", "over",
                                              "ulp p50", "p90", "p99", "p99.9", "max", "error/bound p50", "p99", "max",
                                              "NaN expected/got", "Inf expected/got", "unspecified"}};
  for (const auto& [key, stats] : t.records()) {
    const ErrorRecord r = summarise(stats);
    const ErrorCounts& c = r.counts;
    rows.push_back({key.first, key.second, fmt::to_string(c.runs), fmt::to_string(c.failed), fmt::to_string(c.drift),
                    fmt::to_string(c.elements), fmt::to_string(c.over), figure(r.ulps.p50), figure(r.ulps.p90),
                    figure(r.ulps.p99), figure(r.ulps.p999), figure(r.ulps.max), figure(r.ratios.p50),
                    figure(r.ratios.p99), figure(r.ratios.max), fmt::format("{}/{}", c.nan_expected, c.nan_got),
                    fmt::format("{}/{}", c.inf_expected, c.inf_got), unspecified_cell(c)});
  }
  std::vector<bool> right(rows[0].size(), true);
  right[0] = right[1] = right.back() = false;
  return table(rows, right);
}

std::string errors_table(const ErrorTable& t) {
  std::vector<std::vector<std::string>> rows{{"DTYPE", "FILL", "absolute max", "mean", "p50", "p90", "p99", "p99.9",
                                              "relative max", "mean", "p50", "p90", "p99", "p99.9"}};
  for (const auto& [key, stats] : t.records()) {
    const ErrorRecord r = summarise(stats);
    std::vector<std::string> cells{key.first, key.second};
    for (const Distribution* d : {&r.absolute, &r.relative})
      for (const double x : {d->max, d->mean, d->p50, d->p90, d->p99, d->p999}) cells.push_back(figure(x));
    rows.push_back(std::move(cells));
  }
  std::vector<bool> right(rows[0].size(), true);
  right[0] = right[1] = false;
  return table(rows, right);
}

// A Failure where one of the readable cases is none.
void check_texts(const Context& c, const std::string& target, const std::vector<std::string>& files) {
  TargetClient client(target_binary(c, target));
  for (const std::string& path : files)
    if (const CaseFile file = load(path); file.kind == CaseFile::Kind::text) encode_case(c, client, path, file.text);
}

int run(const Context& c, const Options& o) {
  const std::string target = plain_target(o.target);
  Swept done;
  std::string cases;
  if (o.files.empty()) {
    if (!o.dtype.empty()) {
      TargetClient client(target_binary(c, target));
      check_dtype(must(client.ask(DescribeRequest{}, c.limit(kQuickSeconds))), o.dtype);
    }
    done = sweep(c, target, o.cases, o.jobs,
                 [&](TargetClient& client, std::uint64_t first, std::uint64_t count, double seconds) {
                   StatsRequest q{count, o.seed, first, {}, {}, true};
                   if (!o.dtype.empty()) q.dtype = o.dtype;
                   return of_stats(client.ask(q, seconds));
                 });
    cases = fmt::format("{} of seed {}", counted(done.executions, "random case"), o.seed);
  } else {
    if (!o.dtype.empty()) throw Failure(kExitUsage, "--dtype goes with random cases; a file says its own");
    const std::vector<std::string> files = files_of(o.files);
    check_texts(c, target, files);
    done = sweep(c, target, files.size(), o.jobs,
                 [&](TargetClient& client, std::uint64_t first, std::uint64_t count, double seconds) {
                   StatsRequest q;
                   const auto begin = files.begin() + static_cast<std::ptrdiff_t>(first);
                   q.paths.emplace(begin, begin + static_cast<std::ptrdiff_t>(count));
                   q.whole = true;
                   return of_stats(client.ask(q, seconds));
                 });
    cases = fmt::format("{} out of files", counted(done.executions, "case"));
  }
  const ErrorTable shown = o.by_fill ? done.records : done.records.without_fills();
  if (c.json) {
    json j = to_message(StatsSummary{done.executions, done.keys, summarised(shown)});
    j["target"] = target;
    if (o.files.empty()) j["seed"] = o.seed;
    print_json(j);
    return kExitOk;
  }
  std::string out = fmt::format("{}: {}\n\n{}\n{}", target, cases, judged_table(shown), errors_table(shown));
  for (const auto& [key, n] : done.keys)
    out +=
        fmt::format("{}finding {}: {}\n", out.ends_with("\n\n") ? "" : "\n", printable(key, false), counted(n, "case"));
  print(out);
  return kExitOk;
}

}  // namespace

extern const Command kStats{"stats", "The error record: how far outputs are off, by dtype", declare, run};

}  // namespace warpfuzz::cli
