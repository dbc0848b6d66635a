// One row of the tolerance table, calibrated: what was measured, what follows from it.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client/sweep.h"

namespace warpfuzz::cli {

// c is proposed 1.25 times above the largest ratio; the same margin that a ratio may be above its evidence. A bound whose
// largest ratio stays below kLoose is called loose. A twin must fail this share of the cases for a row to tell it.
inline constexpr double kMargin = 1.25, kLoose = 0.05, kLeastTwinShare = 0.05;
inline constexpr double kTightC0 = 2, kTightLam = 0.5, kTightKap = 2;  // --tighten

struct Calibrated {
  std::string dtype, row, twin;
  std::uint64_t runs = 0, failed = 0, drift = 0, wholly_unspecified = 0, twin_runs = 0, twin_failed = 0;
  double c = 1, max_ratio = 0, p99 = 0, p50 = 0;  // ratios: error over E itself, whatever c is
  double unspecified = 0;                         // share of the elements
  double proposed_c = 1;
  int table_version = 0;
  bool exact = false;           // no output differed from the rounded reference
  bool other_findings = false;  // of another class than value
  std::optional<WorstCase> worst;
  std::optional<Evidence> evidence;
  std::vector<std::string> problems;
  std::string question;  // about the element beyond the bound
  double twin_share() const {
    return twin_runs ? static_cast<double>(twin_failed) / static_cast<double>(twin_runs) : 0;
  }
};

// Where and when: for evidence.
struct Origin {
  std::string target, device, date;
  std::uint64_t seed = 0;
};

void read_answer(const Swept& done, Calibrated& r);
// Fills problems, question and proposed_c. check: compared with the evidence too.
void find_problems(Calibrated& r, bool check, const std::string& target);
double proposed_factor(double max_ratio);  // max(1, 1.25 x), rounded up to two digits
// "evidence = {...}", as the rows of src/oracle/tolerances.toml have it.
std::string evidence_line(const Calibrated& r, const Origin& origin);
nlohmann::json to_json(const Calibrated& r, const Origin& origin);

}  // namespace warpfuzz::cli
