// Commands about one case.
#include <fmt/format.h>

#include "pipeline/build_finding.h"
#include "pipeline/load_case.h"
#include "pipeline/shrink.h"
#include "pipeline/tensors/case_tensors.h"
#include "pipeline/tensors/recorded_case.h"
#include "schema/mutate/mutate.h"
#include "service/commands.h"

namespace warpfuzz {
namespace {

Description describe_target(Serving& serving, const DescribeRequest&) {
  const Target& target = serving.target;
  const Schema& s = target.schema();
  Description d;
  d.target = target.name;
  d.op = s.op;
  d.backend = serving.backend.name();
  d.compiler = serving.backend.compiler();
  d.table_version = tolerance_table_version();
  d.narrowings = target.spec.narrowings();
  d.dialects = describe(target.spec.dialects());
  for (const DTypeCombo& x : s.dtypes) d.dtypes.push_back(x.name);
  for (const DimSpec& x : s.dims) d.dims.push_back({x.name, x.min, x.max, x.multiple_of, bool(x.derive)});
  for (const TensorSpec& x : s.tensors) d.tensors.push_back({x.name, x.role, x.optional});
  for (const ScalarSpec& x : s.scalars) d.scalars.push_back({x.name, x.values});
  for (const FlagSpec& x : s.flags) d.flags.push_back(x.name);
  return d;
}

Encoded encode_text(Serving& s, const EncodeRequest& q) {
  const ParsedCase p = parse_text(s.target.schema(), q.text);
  if (!p.error.empty()) throw std::runtime_error(p.error);
  return {encode(s.target.schema(), p.test_case), p.expect};
}

Decoded decode_bytes(Serving& s, const DecodeRequest& q) {
  const Schema& schema = s.target.schema();
  const TestCase c = decode(schema, q.bytes);
  return {encode(schema, c), to_text(schema, c), summary(schema, c)};
}

ReplayResult replay(Serving& s, const ReplayRequest& q) {
  const LoadedCase loaded = load_case(s.target, q.path).value();
  std::string error;
  std::vector<CallInput> inputs;
  if (loaded.finding) inputs = inputs_of(s.target, decode(s.target.schema(), loaded.bytes), *loaded.finding, error);
  const bool stored = loaded.finding && error.empty();
  RunSettings settings = Serving::every_check(stored ? &inputs : nullptr);
  settings.repeat_reference = true;
  const CaseResult r = s.run(s.target, loaded.bytes, settings);
  ReplayResult out{result_of(s, r, q.save), r.bytes, loaded.expect, {}, {}};
  if (!loaded.finding) return out;
  const Comparison c = compare_replay(s.target, r, *loaded.finding);
  Recorded& recorded = out.recorded.emplace();
  recorded.key = bucket_key(*loaded.finding);
  recorded.same_key = out.result.key == recorded.key;
  recorded.inputs_identical = c.inputs_identical;
  recorded.different_outputs = c.different_outputs;
  recorded.total_outputs = c.total_outputs;
  recorded.same_compiler =
      loaded.finding->compiler == s.backend.compiler() && loaded.finding->backend == s.backend.name();
  recorded.same_binary = recorded.same_compiler;  // its older name, for readers that know no other
  recorded.from_tensors = stored;
  if (!error.empty()) out.note = error;
  return out;
}

Bytes case_of(const Serving& s, const ShrinkRequest& q) {
  if (q.bytes) return *q.bytes;
  if (!q.path) throw std::runtime_error("expected the field `bytes` or `path`");
  const LoadedCase loaded = load_case(s.target, *q.path).value();
  return loaded.bytes;
}

ShrinkResult shrink_case(Serving& s, const ShrinkRequest& q) {
  const Bytes bytes = case_of(s, q);
  const CaseResult start = s.run(bytes, nullptr);
  if (start.fault == FaultClass::none) throw std::runtime_error("nothing to shrink: the case has no finding");
  const Shrunk shrunk = shrink(s.target, s.backend, start, q.seconds.value_or(5), {});
  const CaseResult& best = shrunk.best;
  return {result_of(s, best, q.save), best.bytes, to_text(s.target.schema(), best.test_case, fault_name(best.fault)),
          static_cast<std::uint64_t>(shrunk.attempts), shrunk.complete};
}

Candidates candidates(Serving& s, const CandidatesRequest& q) {
  const TestCase c = decode(s.target.schema(), q.bytes);
  Candidates out;
  const std::uint64_t now = complexity(s.target.schema(), c);
  const Spot wrong{q.tensor.value_or(-1), q.at.value_or(std::vector<std::uint32_t>())};
  if (wrong.tensor >= static_cast<int>(s.target.schema().tensors.size()))
    throw std::runtime_error(
        fmt::format("tensor: expected one of {}, got {}", s.target.schema().tensors.size(), wrong.tensor));
  for (const TestCase& candidate : shrink_candidates(s.target.schema(), c, wrong))
    if (complexity(s.target.schema(), candidate) < now) out.candidates.push_back(encode(s.target.schema(), candidate));
  return out;
}

RunResult run_bytes(Serving& s, const RunRequest& q) { return result_of(s, s.run(q.bytes, nullptr), q.save); }

constexpr NamedCommand kCommands[] = {command<describe_target>(), command<encode_text>(), command<decode_bytes>(),
                                      command<run_bytes>(),       command<replay>(),      command<shrink_case>(),
                                      command<candidates>()};

}  // namespace

std::span<const NamedCommand> case_commands() { return kCommands; }

}  // namespace warpfuzz
