// Commands about errors: the error record of many cases, and the figures that calibration rests on.
#include <fmt/format.h>

#include "findings/finding.h"
#include "numeric/hash.h"
#include "oracle/tolerance_table.h"
#include "pipeline/load_case.h"
#include "pipeline/tensors/recorded_case.h"
#include "schema/mutate/mutate.h"
#include "service/commands.h"

namespace warpfuzz {
namespace {

// What many cases came to.
struct Sweep {
  ErrorTable records;
  std::map<std::string, std::uint64_t> keys;
  std::uint64_t executions = 0, worst_case = 0;
  CaseResult worst;  // the case with the largest finite error / bound
  double worst_ratio = -1;
  std::string first_failure;  // message of the first finding

  void add(const Target& target, ErrorStats& stats, CaseResult&& r, std::uint64_t number) {
    ++executions;
    ++stats.counts.runs;
    stats.counts.drift += r.drift;
    stats.counts.failed += r.fault != FaultClass::none;
    if (r.fault != FaultClass::none) ++keys[bucket_key(target.name, r.fault, r.place.kernel)];
    if (!(r.verdict.max_ratio > worst_ratio)) return;
    worst_ratio = r.verdict.max_ratio;
    worst_case = number;
    worst = std::move(r);
  }
};

// The random cases number first .. first + count of a seed. They do not depend on how a sweep is split.
struct RandomCases {
  std::uint64_t first = 0, count = 0, seed = 0;
};
Sweep sweep(Serving& s, const Target& target, const RandomCases& cases, const ToleranceRow* row) {
  Sweep out;
  Scratch scratch;
  RunSettings settings;
  settings.extra_run_one_in = 0;
  settings.scratch = &scratch;
  settings.row = row;
  for (std::uint64_t i = cases.first; i < cases.first + cases.count; ++i) {
    s.executions = i - cases.first + 1;
    const Bytes bytes = random_case(hash_combine(cases.seed, i));
    ErrorStats& stats = out.records.at(target.schema(), decode(target.schema(), bytes));
    settings.stats = &stats;
    CaseResult r = s.run(target, bytes, settings);
    scratch.take_back(r);
    out.add(target, stats, std::move(r), i + 1);
  }
  return out;
}

Sweep run_files(Serving& s, const std::vector<std::string>& paths) {
  Sweep done;
  for (const std::string& path : paths) {
    const LoadedCase loaded = load_case(s.target, path).value();
    ++s.executions;
    const TestCase c = decode(s.target.schema(), loaded.bytes);
    std::vector<CallInput> inputs;
    std::string error;
    if (loaded.finding) inputs = inputs_of(s.target, c, *loaded.finding, error);
    ErrorStats& record = done.records.at(s.target.schema(), c);
    RunSettings settings;
    settings.extra_run_one_in = 0;
    settings.stats = &record;
    if (loaded.finding && error.empty()) settings.inputs = &inputs;
    done.add(s.target, record, s.run(s.target, loaded.bytes, settings), s.executions);
  }
  return done;
}

std::variant<StatsSummary, WholeStats> stats(Serving& s, const StatsRequest& q) {
  if (!q.paths && !(q.cases && q.seed)) throw std::runtime_error("expected the fields `cases` and `seed`, or `paths`");
  const Sweep done = q.paths ? run_files(s, *q.paths)
                             : sweep(s, s.with_dtype(q.dtype), {q.first.value_or(0), *q.cases, *q.seed}, nullptr);
  if (q.whole.value_or(false)) return WholeStats{done.executions, done.keys, labelled(done.records)};
  return StatsSummary{done.executions, done.keys, summarised(done.records)};
}

CalibratedRow message_of(const ToleranceRow& row) {
  return {row.name,
          row.ftz ? "allowed" : "never",
          std::string(store_name(row.store)),
          row.c,
          row.c0,
          row.lam,
          row.kap,
          row.table_version};
}

// The case with the largest ratio, and its element where that lies beyond the bound.
WorstCase worst_of(const Target& target, const Sweep& done) {
  const Schema& schema = target.schema();
  const CaseResult& r = done.worst;
  WorstCase out{done.worst_case,
                done.worst_ratio,
                summary(schema, r.test_case),
                to_text(schema, r.test_case),
                r.bytes,
                r.fault != FaultClass::none,
                {}};
  if (const WrongElement& w = r.verdict.worst; w.tensor >= 0)
    out.element = {schema.tensors[static_cast<std::size_t>(w.tensor)].name, w.at, w.got, w.reference, w.lo, w.hi};
  return out;
}

CalibrationResult calibrate(Serving& s, const CalibrateRequest& q) {
  const Target target = s.with_dtype(q.dtype);
  ToleranceRow row = tolerance_row(target.schema().op, target.schema().dtypes[0].out, target.spec.dialects());
  const Evidence* evidence = tolerance_evidence(row.name);
  row.c0 = q.c0.value_or(row.c0);
  row.lam = q.lam.value_or(row.lam);
  row.kap = q.kap.value_or(row.kap);
  const Sweep done = sweep(s, target, {q.first.value_or(0), q.cases, q.seed}, &row);
  CalibrationResult out{
      {done.executions, done.keys, labelled(done.records)}, message_of(row), s.backend.name(), {}, {}};
  if (evidence) out.evidence = *evidence;
  if (done.worst_ratio >= 0) out.worst = worst_of(target, done);
  return out;
}

constexpr NamedCommand kCommands[] = {command<stats>(), command<calibrate>()};

}  // namespace

std::span<const NamedCommand> error_commands() { return kCommands; }

}  // namespace warpfuzz
