// How close a trusted kernel comes to the bounds of the tolerance table, and whether the table tells it from its
// lower-precision twin (docs/calibration.md). Proposes; never changes the table.
#pragma once
#include <string>
#include <vector>

#include "calibration/row.h"
#include "client/context.h"

namespace warpfuzz::cli {

struct CalibrationOptions {
  std::string target, dtype;
  std::string twin;  // default: <op>_twin where that binary exists; "none": none
  std::uint64_t cases = 2000, twin_cases = 500, seed = 20260;
  int jobs = 1;
  bool check = false;    // compare with the evidence in the table
  bool tighten = false;  // other constants than the table's: kTightC0 and so on
};

struct Calibration {
  CalibrationOptions options;
  std::string op, twin;  // twin: the binary's name; empty: none was run
  Origin origin;
  std::vector<Calibrated> rows;  // one a dtype
  int exit_code() const;
};
Calibration calibrate(const Context& c, const CalibrationOptions& o);

std::string calibration_text(const Calibration& r);
// The rows' evidence as src/oracle/tolerances.toml has it.
std::string calibration_evidence(const Calibration& r);
nlohmann::json calibration_json(const Calibration& r);

}  // namespace warpfuzz::cli
