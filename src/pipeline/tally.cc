// Counts over a campaign.
#include "pipeline/tally.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/counted.h"
#include "ops/op.h"
#include "schema/dims.h"

namespace warpfuzz {

void Tally::add(const CaseResult& r) {
  executions++;
  if (r.fault == FaultClass::unsupported) {
    unsupported++;
    unsupported_by[unsupported_construct(r)]++;
    return;
  }
  for (std::size_t i = 0; i < largest.size(); ++i) largest[i] = std::max(largest[i], r.test_case.dims[i]);
  extra_runs += r.extra_run;
  drift += r.drift;
  leaking += r.status.leaked_bytes > 0;
  elements += r.verdict.total;
  exact += r.verdict.exact;
  std::size_t unspecified_here = 0;
  for (int i = 0; i < kReasonCount; i++) {
    unspecified[i] += r.verdict.unspecified[static_cast<std::size_t>(i)];
    unspecified_here += r.verdict.unspecified[static_cast<std::size_t>(i)];
  }
  if (r.verdict.total && unspecified_here == r.verdict.total) wholly_unspecified++;
  if (r.fault == FaultClass::none && r.verdict.max_ratio > max_ratio) max_ratio = r.verdict.max_ratio;
}

std::string unsupported_construct(const CaseResult& r) {
  const std::string where = r.place.file.empty() ? "" : fmt::format("{}:{}: ", r.place.file, r.place.line);
  return fmt::format("{}error: warpfuzz: {}{}", where, r.message,
                     r.place.kernel.empty() ? "" : fmt::format(" (kernel {})", r.place.kernel));
}

std::string Tally::text() const {
  std::string out = fmt::format("{}, {} with an extra run, {} drift, worst error/bound {:.3g}",
                                counted(executions, "execution"), extra_runs, drift, max_ratio);
  std::uint64_t all = 0;
  for (std::uint64_t n : unspecified) all += n;
  out += fmt::format("; unspecified {:.2f} % of {} elements",
                     elements ? 100.0 * static_cast<double>(all) / static_cast<double>(elements) : 0.0, elements);
  if (all) {
    std::string parts;
    for (int i = 1; i < kReasonCount; i++)
      if (unspecified[i])
        parts += fmt::format("{}{} {:.2f} %", parts.empty() ? "" : ", ", reason_name(static_cast<Reason>(i)),
                             100.0 * static_cast<double>(unspecified[i]) / static_cast<double>(elements));
    out += fmt::format(" ({})", parts);
  }
  out +=
      fmt::format(", {:.2f} % of cases wholly",
                  executions ? 100.0 * static_cast<double>(wholly_unspecified) / static_cast<double>(executions) : 0.0);
  if (elements)
    out += fmt::format("; {:.2f} % of elements compared bit for bit",
                       100.0 * static_cast<double>(exact) / static_cast<double>(elements));
  if (leaking)
    out += fmt::format("\n  the launcher did not free all it allocated in {} (cudaMalloc without cudaFree)",
                       counted(leaking, "case"));
  if (unsupported) out += fmt::format("\n  {} could not be run", counted(unsupported, "case"));
  for (const auto& [construct, n] : unsupported_by) out += fmt::format("\n    {}: {}", construct, n);
  for (const auto& [key, n] : keys) out += fmt::format("\n  known finding {}: {}", key, n);
  return out;
}

std::string Tally::dims_text(const Target& target) const {
  const Schema& s = target.schema();
  std::string ranges, missed;
  for (std::size_t i = 0; i < s.dims.size(); ++i) {
    const DimSpec& d = s.dims[i];
    ranges += fmt::format("{}{}, largest tried {}", ranges.empty() ? "" : "; ", range_of(d), largest[i]);
    const std::uint32_t lo = smallest_dim(d), hi = largest_dim(d);
    if (d.derive || !target.spec.declares_max(i) || largest[i] > lo + (hi - lo) / 2 || lo == hi) continue;
    missed += fmt::format("\n  {}: declared to {}, largest tried {}", d.name, hi, largest[i]);
    if (const std::uint32_t fits = largest_that_fits(s, i); fits < hi)
      missed += fmt::format("; no case beyond {} is within the caps (.caps({}, {}))", fits, s.max_elements, s.max_work);
  }
  return fmt::format("\n  dims: {}{}", ranges, missed);
}

}  // namespace warpfuzz
