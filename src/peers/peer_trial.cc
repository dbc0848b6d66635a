// From a plan to cases: dims brought into a target's range, contents drawn, the paper's own sampling.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "numeric/hash.h"
#include "numeric/round.h"
#include "peers/peer_plan.h"
#include "schema/dims.h"
#include "schema/fill/fill.h"

namespace warpfuzz {
namespace {

double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }  // [0, 1)

double draw(const PeerDraw& d, std::uint64_t seed, std::size_t trial, std::size_t i, std::size_t n) {
  const std::uint64_t bits = hash_combine(seed, i);
  switch (d.kind) {
    case PeerDraw::Kind::uniform: return d.low + (d.high - d.low) * unit(bits);
    case PeerDraw::Kind::normal: {  // Box-Muller
      const double u = 1 - unit(bits), v = unit(mix64(bits ^ 0x5bd1e995));
      return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
    }
    case PeerDraw::Kind::constant: return d.low;
    case PeerDraw::Kind::listed: return d.values[(trial * n + i) % d.values.size()];
    case PeerDraw::Kind::absent: return 0;
  }
  return 0;
}

struct Draws {
  PeerDraw input, gamma, beta;
  const PeerDraw& of(std::string_view tensor) const {
    return tensor == "gamma" ? gamma : tensor == "beta" ? beta : input;
  }
};

// Where the target says less than the op, its limit is the kernel's and holds; the op's own limits are a budget of time for a
// campaign and do not.
std::uint32_t fit(const DimSpec& target, const DimSpec* op, std::uint32_t value) {
  DimSpec d = target;
  if (op && target.max == op->max) d.max = std::max(d.max, value);
  return clamp_dim(d, std::max(value, d.min));
}

PeerTrial make_trial(const Schema& s, const Schema* op, std::span<const std::string_view> names,
                     std::span<const std::uint32_t> extents, const Draws& draws, std::size_t trial, std::uint64_t seed,
                     std::uint8_t dtype = 0) {
  PeerTrial t;
  t.test_case.dtype = dtype;
  for (std::size_t i = 0; i < s.dims.size(); ++i) {
    const auto at = std::find(names.begin(), names.end(), s.dims[i].name);
    const std::uint32_t wanted = at == names.end() ? 1 : extents[static_cast<std::size_t>(at - names.begin())];
    t.test_case.dims[i] = fit(s.dims[i], op && i < op->dims.size() ? &op->dims[i] : nullptr, wanted);
    t.narrowed |= at != names.end() && t.test_case.dims[i] != wanted;
  }
  for (const Constraint& c : s.constraints) c.repair(t.test_case.dims);
  for (std::size_t i = 0; i < s.dims.size(); ++i)
    if (s.dims[i].derive) t.test_case.dims[i] = s.dims[i].derive(t.test_case.dims);
  t.values.resize(s.tensors.size());
  for (std::size_t k = 0; k < s.tensors.size(); ++k) {
    const TensorSpec& tensor = s.tensors[k];
    const PeerDraw& d = draws.of(tensor.name);
    t.test_case.tensors[k].present = !tensor.optional || d.kind != PeerDraw::Kind::absent;
    if ((tensor.role != Role::in && tensor.role != Role::inout) || !t.test_case.tensors[k].present) continue;
    const PeerDraw used =
        d.kind == PeerDraw::Kind::absent ? PeerDraw{PeerDraw::Kind::constant, 1} : d;  // the kernel needs it
    const DType type = tensor_dtype(s, t.test_case, static_cast<int>(k));
    const std::size_t n = tensor_elements(s, t.test_case.dims, static_cast<int>(k));
    const std::uint64_t tensor_seed = hash_combine(hash_combine(seed, trial), k + 1);
    t.values[k].resize(n);
    for (std::size_t i = 0; i < n; ++i)
      t.values[k][i] = static_cast<float>(round_to(type, draw(used, tensor_seed, trial, i, n)));
  }
  return t;
}

std::uint32_t pick(Rng& rng, std::span<const std::uint32_t> v) {
  return v[rng.below(static_cast<std::uint32_t>(v.size()))];
}
constexpr std::uint32_t kBoundary[] = {1, 3, 7, 256, 1025};

PeerShape paper_shape(const PaperSampling& s, Rng& rng) {
  std::vector<std::uint32_t> drawn;
  for (const PaperAxis& a : s.axes) drawn.push_back(pick(rng, a.values));
  return s.shape(drawn);
}

}  // namespace

PeerTrial paper_case(const Schema& target, const Schema* op, std::string_view algorithm, std::uint64_t seed) {
  Rng rng(hash_combine(seed, 0x70617065));
  const Draws draws{{PeerDraw::Kind::uniform, -10, 10}, {}, {}};
  const auto dtype = static_cast<std::uint8_t>(rng.below(static_cast<std::uint32_t>(target.dtypes.size())));
  if (const PeerFamily* f = peer_family(target.op))
    return make_trial(target, op, f->dims, paper_shape(f->sampling(algorithm), rng), draws, 0, seed, dtype);
  std::vector<std::string_view> names;
  std::vector<std::uint32_t> extents;
  for (const DimSpec& d : target.dims) names.push_back(d.name), extents.push_back(pick(rng, kBoundary));
  return make_trial(target, nullptr, names, extents, draws, 0, seed, dtype);
}

std::string axes_text(const PaperSampling& s) {
  std::vector<std::string> axes;
  for (const PaperAxis& a : s.axes) axes.push_back(fmt::format("{}{{{}}}", a.name, fmt::join(a.values, ",")));
  return fmt::format("{}", fmt::join(axes, " "));
}

std::size_t peer_trial_count(std::string_view oracle, std::string_view op) {
  if (oracle == "illusion-paper") return peer_family(op) ? kPaperCases : 0;
  const PeerPlan* p = peer_plan(oracle, op);
  return p ? p->shapes.size() * static_cast<std::size_t>(p->trials) : 0;
}

int peer_runs(std::string_view oracle, std::string_view op) {
  const PeerPlan* p = peer_plan(oracle, op);
  return p ? p->runs : 1;
}

std::vector<PeerTrial> peer_trials(std::string_view oracle, const Schema& target, const Schema* op,
                                   std::string_view algorithm, std::uint64_t seed) {
  std::vector<PeerTrial> trials;
  if (oracle == "illusion-paper") {
    for (std::size_t i = 0; i < peer_trial_count(oracle, target.op); ++i)
      trials.push_back(paper_case(target, op, algorithm, hash_combine(seed, i)));
    return trials;
  }
  const PeerPlan* p = peer_plan(oracle, target.op);
  if (!p) return trials;
  const PeerFamily& f = *peer_family(target.op);
  for (std::size_t i = 0; i < p->shapes.size(); ++i)
    for (int k = 0; k < p->trials; ++k)
      trials.push_back(make_trial(target, op, f.dims, std::span(p->shapes[i]).first(f.dims.size()),
                                  {p->input, p->gamma, p->beta}, trials.size(), seed));
  return trials;
}

}  // namespace warpfuzz
