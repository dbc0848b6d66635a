// From the result of a case to a finding.
#include "pipeline/build_finding.h"

#include <stdexcept>

#include <fmt/format.h>

#include "findings/format.h"
#include "findings/variant.h"
#include "pipeline/reference.h"
#include "pipeline/tensors/case_tensors.h"
#include "pipeline/tensors/recorded_case.h"

namespace warpfuzz {
namespace {

// "accumulation 62 %, exp 30 %": the parts of the allowance of the worst element.
std::string allowance_text(const Explanation& allowance) {
  double total = 0;
  for (const auto& part : allowance.parts) total += part.second;
  std::string text;
  for (const auto& [name, value] : allowance.parts) {
    if (!(total > 0) || !(value >= 0.005 * total)) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {:.0f} %", name, 100 * value / total);
  }
  return text;
}

std::vector<std::string> dim_names_of_tensor(const Target& target, int tensor) {
  std::vector<std::string> names;
  if (tensor < 0) return names;
  for (int d : target.schema().tensors[static_cast<std::size_t>(tensor)].shape)
    names.push_back(d < 0 ? fmt::format("{}", -d) : target.schema().dims[static_cast<std::size_t>(d)].name);
  return names;
}

// Of a case that passes, or that cannot be run, none is needed.
void add_evidence(const CaseResult& r, Finding& f) {
  if (r.fault == FaultClass::none || (r.fault == FaultClass::unsupported && !r.evidence)) return;
  if (!r.evidence)
    throw std::logic_error(fmt::format(
        "build_finding: a result of class {} without evidence: run_case was not told to keep it", fault_name(r.fault)));
  if (has_variants(r.fault)) f.allowance = allowance_text(r.evidence->allowance);  // an output lies outside
  f.errors = summarise(r.evidence->errors);
}

}  // namespace

Finding build_finding(const Target& target, const Backend& backend, const CaseResult& r) {
  const Schema& s = target.schema();
  const DTypeCombo& combo = s.dtypes[r.test_case.dtype];
  Finding f;
  f.target = target.name;
  f.op = s.op;
  f.backend = backend.name();
  f.fault = r.fault;
  f.place = r.place;
  f.message = r.message;
  f.bytes = r.bytes;
  f.text = to_text(s, r.test_case, fault_name(r.fault));
  f.summary = summary(s, r.test_case);
  f.verdict = r.verdict;
  f.attributes = attributes_of(r.fault, r.verdict,
                               {combo.name, describe(target.spec.dialects()), row_of(target, r.test_case).name,
                                dim_names_of_tensor(target, r.verdict.worst.tensor)});
  f.attributes["run"] = step_name(r.step);
  if (r.status.leaked_bytes)
    f.attributes["leaked"] = fmt::format("{} bytes allocated by the launcher", r.status.leaked_bytes);
  add_evidence(r, f);
  snapshot_tensors(target, r, f);
  f.table_version = tolerance_table_version();
  f.compiler = backend.compiler();
  f.device = backend.device();
  f.created = utc_now("%Y-%m-%dT%H:%M:%SZ");
  return f;
}

Finding build_finding(const Target& target, const Backend& backend, std::span<const std::uint8_t> bytes,
                      const ExecStatus& status) {
  CaseResult r;
  r.test_case = decode(target.schema(), bytes);
  r.bytes = encode(target.schema(), r.test_case);
  r.fault = status.fault;
  r.place = status.place;
  r.message = status.message;
  r.status = status;
  fill_inputs(target.schema(), r.test_case, r.inputs);  // of every call: a replay asks for all of them, whichever died
  r.evidence.emplace().errors.counts.runs = 1;          // that left nothing to measure
  r.evidence->errors.counts.failed = 1;
  return build_finding(target, backend, r);
}

}  // namespace warpfuzz
