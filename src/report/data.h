// What a report is made of: the findings index of a campaign folder, with the reproducers that it names.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "campaign/index.h"
#include "client/context.h"
#include "oracle/statistics.h"

namespace warpfuzz::cli {

struct SourcePlace {
  std::string file;    // relative to the current folder where it lies below it; "" where nothing is known
  int line = 0;        // 0: not known
  bool exact = false;  // of the fault itself; else where the kernel begins
};

struct ReportFinding {
  FindingRow row;
  std::optional<Finding> finding;  // its smallest reproducer
  std::string problem;             // why that cannot be read; "" where it can
  std::string path;                // of the reproducer as people type it here; "" where there is none
  std::string headline;            // what went wrong, one line
  std::string report;              // the whole report; "" without a reproducer
  SourcePlace place;
  std::vector<std::string> excerpt;  // the source lines around the place; the first has the number excerpt_from
  int excerpt_from = 0;
  bool is_new = false;                // first seen in the last run
  std::string replay, show, program;  // commands; program: export as a .cu
};

// Targets in order, each with what belongs to it.
struct ReportData {
  std::string folder, made;  // made: when, UTC
  std::vector<ReportFinding> findings;
  std::vector<TargetRow> targets;
  std::map<std::string, std::vector<HistoryPoint>> history;
  std::map<std::pair<std::string, std::string>, ErrorStats> errors;  // by target and dtype
  std::vector<RunRow> runs;

  bool has_findings(const std::string& target) const;
};

// A Failure where the folder holds no index, or a damaged one.
ReportData read_report(const Context& c, const std::string& folder);

// Where the kernel of a target begins, by its source: for faults that have no place of their own.
SourcePlace kernel_place(const std::string& bin, const std::string& target, const std::string& kernel);

std::string utc(double seconds);                                  // "2026-03-01 12:34:56", "-" for 0
std::string span_text(double seconds);                            // "3 d 4 h", "12 min", "5 s"
std::string thousands(std::uint64_t n);                           // "1,234,567"
std::string thousands(std::uint64_t n, const std::string& what);  // "1,234 executions", "1 execution"

}  // namespace warpfuzz::cli
