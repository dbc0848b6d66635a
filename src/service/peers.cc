// Commands that apply other tools' checks to this target: each on its own inputs, all on adversarial ones.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "findings/finding.h"
#include "numeric/hash.h"
#include "numeric/round.h"
#include "peers/peer_plan.h"
#include "schema/mutate/mutate.h"
#include "service/commands.h"

namespace warpfuzz {
namespace {

const Schema* op_schema(const Target& target) {
  static const std::vector<Op> all = ops::all();
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const Op& op) { return op.schema.op == target.schema().op; });
  return at == all.end() ? nullptr : &at->schema;
}

// Outputs of one execution beside what a reference of the same precision would hold.
struct Compared {
  int tensor = 0;
  DType dtype = DType::f32;
  std::vector<std::uint32_t> shape;
  std::vector<double> got, reference;
  std::vector<bool> specified;  // exactly one value (or NaN) is right
};

// Of a result with its references that has outputs.
std::vector<Compared> compare(const Target& target, const CaseResult& r) {
  const Schema& s = target.schema();
  const std::vector<Reference>& refs = r.evidence->references[0];
  std::vector<Compared> all;
  for (std::size_t k = 0; k < s.tensors.size(); k++) {
    if (s.tensors[k].role != Role::out && s.tensors[k].role != Role::inout) continue;
    const TensorLayout layout = tensor_layout(s, r.test_case, static_cast<int>(k));
    if (!layout.present) continue;
    Compared c{static_cast<int>(k), layout.dtype, layout.shape, {}, {}, {}};
    const std::vector<std::byte>& raw = r.outputs[0].tensors[k];
    const Reference& ref = refs[k];
    for (std::size_t i = 0; i < ref.r.size() && (i + 1) * dtype_size(c.dtype) <= raw.size(); i++) {
      const int flags = ref.flags[i];
      c.got.push_back(load_element(c.dtype, &raw[i * dtype_size(c.dtype)]));
      c.reference.push_back(flags & kNanRequired ? std::nan("") : ref.r[i]);
      c.specified.push_back(!(flags & (kAny | kNanOk | kZeroOk | kNonFinite)));
      if (!c.specified.back() && flags & kAny) c.reference.back() = c.got.back();
    }
    all.push_back(std::move(c));
  }
  return all;
}

std::string element_text(const Schema& s, const Compared& c, std::size_t i) {
  std::string at;
  for (std::size_t axis = c.shape.size(), rest = i; axis-- > 0; rest /= c.shape[axis])
    at = std::to_string(rest % c.shape[axis]) + (at.empty() ? "" : ",") + at;
  return fmt::format("{}[{}] = {:.6g}, reference {:.6g}", s.tensors[static_cast<std::size_t>(c.tensor)].name, at,
                     c.got[i], round_to(c.dtype, c.reference[i]));
}

std::string dims_text(const Schema& s, const TestCase& c) {
  std::string text;
  for (std::size_t i = 0; i < s.dims.size(); i++)
    text += fmt::format("{}{}={}", i ? " " : "", s.dims[i].name, c.dims[i]);
  return text;
}

// What the oracle finds wrong with one run; "" where it accepts.
std::string refused(const PeerOracle& oracle, const Target& target, const CaseResult& r) {
  if (r.outputs.empty()) return fmt::format("{}: {}", fault_name(r.fault), r.message);
  for (const Compared& c : compare(target, r)) {
    const auto verdict = peer_compare(oracle, target.schema().op, c.dtype, c.shape, c.got, c.reference);
    if (!verdict || verdict->accepted) continue;
    if (oracle.rule == PeerRule::printed)
      return fmt::format("prints {} for {}", verdict->got_text, verdict->reference_text);
    return fmt::format("{} ({} of {})", element_text(target.schema(), c, verdict->element), verdict->refused,
                       c.got.size());
  }
  return "";
}

const PeerOracle& named_oracle(const std::string& name) {
  if (const PeerOracle* peer = peer_oracle(name)) return *peer;
  std::string known;
  for (const PeerOracle& p : peer_oracles()) known += (known.empty() ? "" : " ") + std::string(p.name);
  throw std::runtime_error(fmt::format("oracle: expected one of {}, got '{}'", known, name));
}

PeerResult peer(Serving& s, const PeerRequest& q) {
  const PeerOracle& oracle = named_oracle(q.oracle);
  const Target target = s.with_dtype(q.dtype);
  const DTypeCombo combo = target.schema().dtypes.front();
  PeerResult out{std::string(oracle.name), combo.name, PeerVerdict::no_rule, 0, {}, ""};
  const auto none = [&](std::string why) {
    out.detail = std::move(why);
    return out;
  };
  if (combo.in != combo.out) return none("its reference has one dtype");
  if (!peer_has_rule(oracle, target.schema().op, combo.out))
    return none(fmt::format("none for this op in {}", combo.name));
  if (!peer_trial_count(oracle.name, target.schema().op))
    return none(fmt::format("no plan for the op {}", target.schema().op));

  RunSettings settings;
  settings.extra_run_one_in = 0;
  settings.keep = Keep::references;
  Scratch scratch;
  settings.scratch = &scratch;
  std::size_t ran = 0, narrowed = 0;
  out.verdict = PeerVerdict::pass;
  for (const PeerTrial& trial :
       peer_trials(oracle.name, target.schema(), op_schema(target), target.spec.algorithm(), q.seed)) {
    const std::vector<CallInput> inputs{CallInput{trial.values}};
    settings.inputs = &inputs;
    narrowed += trial.narrowed;
    ran++;
    for (int run = 0; run < peer_runs(oracle.name, target.schema().op); run++) {
      s.executions = ran;
      CaseResult r = s.run(target, trial.test_case, settings);
      const std::string wrong = refused(oracle, target, r);
      scratch.take_back(r);
      if (wrong.empty()) continue;
      out.verdict = PeerVerdict::fail;
      out.detail = fmt::format("trial {}, {}: {}", ran, dims_text(target.schema(), trial.test_case), wrong);
      break;
    }
    if (out.verdict == PeerVerdict::fail) break;
  }
  out.trials = ran;
  out.narrowed = narrowed;
  return out;
}

// Uniformly random cases of the value mix, with every oracle's tolerance on the elements that have one right value.
Adversarial adversarial(Serving& s, const AdversarialRequest& q) {
  const Target target = s.with_dtype(q.dtype);
  Adversarial out;
  out.cases = q.cases;
  for (const PeerOracle& p : peer_oracles()) out.oracles.push_back({std::string(p.name)});
  RunSettings settings;
  settings.extra_run_one_in = 0;
  settings.keep = Keep::references;
  Scratch scratch;
  settings.scratch = &scratch;
  for (std::uint64_t i = 0; i < q.cases; ++i) {
    s.executions = i + 1;
    CaseResult r = s.run(target, random_case(hash_combine(q.seed, i)), settings);
    if (r.fault != FaultClass::none && !out.ours++)
      out.first = fmt::format("case {}: {}", i + 1, bucket_key(target.name, r.fault, r.place.kernel));
    if (r.outputs.empty()) continue;
    const std::vector<Compared> tensors = compare(target, r);
    scratch.take_back(r);
    bool any = false;
    for (const Compared& c : tensors)
      any |= std::find(c.specified.begin(), c.specified.end(), true) != c.specified.end();
    out.judged += any;
    const DTypeCombo combo = target.schema().dtypes[r.test_case.dtype];
    for (std::size_t p = 0; any && p < out.oracles.size(); ++p) {
      const PeerOracle& oracle = peer_oracles()[p];
      const auto tolerance = peer_tolerance(oracle, target.schema().op, combo.out);
      if (!tolerance || combo.in != combo.out) continue;
      bool flagged = false, finite = false;
      for (const Compared& c : tensors)
        for (std::size_t e = 0; e < c.got.size(); e++) {
          if (!c.specified[e]) continue;
          const double reference = round_to(c.dtype, c.reference[e]);
          if (peer_accepts(oracle, *tolerance, c.got[e], reference)) continue;
          flagged = true;
          finite |= std::isfinite(c.got[e]) && std::isfinite(reference);
        }
      ++out.oracles[p].judged;
      out.oracles[p].flagged += flagged;
      out.oracles[p].flagged_finite += finite;
    }
  }
  return out;
}

constexpr NamedCommand kCommands[] = {command<peer>(), command<adversarial>()};

}  // namespace

std::span<const NamedCommand> peer_commands() { return kCommands; }

CaseResult run_paper_case(Serving& s, const Target& target, std::uint64_t seed, RunSettings settings) {
  const PeerTrial trial = paper_case(target.schema(), op_schema(target), target.spec.algorithm(), seed);
  const std::vector<CallInput> inputs{CallInput{trial.values}};
  settings.inputs = &inputs;
  return s.run(target, trial.test_case, settings);
}

}  // namespace warpfuzz
