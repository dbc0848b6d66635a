// `warpfuzz calibrate`: a trusted target beside the rows of the tolerance table.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/exit_codes.h"
#include "calibration/calibration.h"
#include "cli/parser/command.h"
#include "cli/parser/shared_options.h"
#include "client/output_file.h"

namespace warpfuzz::cli {
namespace {

struct Options : CalibrationOptions {
  std::string write;  // a file for the evidence, "-" for standard output
};

void declare(CLI::App& a, Options& o) {
  a.add_option("TARGET", o.target)->required();
  add_sweep(a, o.cases, o.seed, o.jobs);
  add_dtype(a, o.dtype, "Only this element type");
  a.add_option("--twin", o.twin, "Its lower-precision twin, or none (default: <op>_twin where there is one)");
  a.add_option("--twin-cases", o.twin_cases, "How many of the cases the twin runs (default: 500)");
  a.add_flag("--check", o.check, "Compare with the evidence in the table");
  a.add_flag("--tighten", o.tighten, "Measure with c0 = 2, lam = 0.5, kap = 2 instead of the rows' constants");
  a.add_option("--write", o.write, "Write the rows' evidence to this file; - for standard output");
}

int run(const Context& c, const Options& o) {
  if (o.tighten && (o.check || !o.write.empty()))
    throw Failure(kExitUsage,
                  "--tighten measures other constants than the table's: it goes without --check and --write");
  check_outputs(c, {{"--write", o.write}}, {});
  const Calibration r = calibrate(c, o);
  if (!o.write.empty()) write_output(o.write, calibration_evidence(r));
  if (c.json) print_json(calibration_json(r));
  else if (o.write != "-") print(calibration_text(r));
  for (const Calibrated& row : r.rows) {
    for (const std::string& problem : row.problems) note(fmt::format("{} {}: {}", r.origin.target, row.dtype, problem));
    if (!row.question.empty()) note(row.question);
  }
  return r.exit_code();
}

}  // namespace

extern const Command kCalibrate{"calibrate", "How close a trusted target comes to the bounds of the tolerance table",
                                declare, run};

}  // namespace warpfuzz::cli
