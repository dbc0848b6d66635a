// From a plan to cases: dims brought into a target's range, contents drawn, the paper's own sampling.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "numeric/hash.h"
#include "numeric/round.h"
#include "peers/peer_plan.h"
#include "schema/dims.h"
#include "schema/fill/fill.h"

namespace warpfuzz {
namespace {

using Values = std::vector<std::uint32_t>;

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

std::uint32_t pick(Rng& rng, const Values& v) { return v[rng.below(static_cast<std::uint32_t>(v.size()))]; }

constexpr std::uint32_t kMostRows = 128,
                        kMostElements = 32768;  // rows and elements are independent: fewer of them lose nothing
const Values kBatch{1, 2, 8}, kSequence{1, 7, 128}, kHidden{1, 3, 256, 1025}, kNormHidden{2, 3, 256, 1025};
const Values kM{1, 2, 7, 64, 128}, kK{1, 3, 16, 64, 127, 256}, kN{1, 2, 15, 64};
const Values kQueries{1, 2, 8}, kKeys{1, 3, 16, 256}, kFlashKeys{1, 3, 16, 64, 128, 256}, kHead{8, 16, 64};
const Values kBoundary{1, 3, 7, 256, 1025};

std::vector<std::uint32_t> paper_extents(const PeerFamily& f, bool flash, Rng& rng) {
  if (f.name == "matmul") {
    const std::uint32_t m = pick(rng, kM), k = pick(rng, kK), n = pick(rng, kN);
    return {m, n, k};
  }
  if (f.name == "attention") {
    const std::uint32_t m = pick(rng, kQueries), n = pick(rng, flash ? kFlashKeys : kKeys), d = pick(rng, kHead);
    return {1, m, n, d};
  }
  const std::uint32_t rows = pick(rng, kBatch) * pick(rng, kSequence);
  const bool norm = f.name.ends_with("norm");
  const std::uint32_t hidden = pick(rng, norm ? kNormHidden : kHidden);
  if (f.name == "elementwise") return {std::min(rows * hidden, kMostElements)};
  return {std::min(rows, kMostRows), hidden};
}

std::string list_text(std::string_view name, const Values& v) {
  std::string s(name);
  for (std::size_t i = 0; i < v.size(); ++i) s += (i ? "," : "{") + std::to_string(v[i]);
  return s + "}";
}

}  // namespace

PeerTrial paper_case(const Schema& target, const Schema* op, bool flash, std::uint64_t seed) {
  Rng rng(hash_combine(seed, 0x70617065));
  const Draws draws{{PeerDraw::Kind::uniform, -10, 10}, {}, {}};
  const auto dtype = static_cast<std::uint8_t>(rng.below(static_cast<std::uint32_t>(target.dtypes.size())));
  if (const PeerFamily* f = peer_family(target.op))
    return make_trial(target, op, f->dims, paper_extents(*f, flash, rng), draws, 0, seed, dtype);
  std::vector<std::string_view> names;
  std::vector<std::uint32_t> extents;
  for (const DimSpec& d : target.dims) names.push_back(d.name), extents.push_back(pick(rng, kBoundary));
  return make_trial(target, nullptr, names, extents, draws, 0, seed, dtype);
}

std::string paper_dims_text(std::string_view family, bool flash) {
  const auto join = [](std::initializer_list<std::string> parts) {
    std::string s;
    for (const std::string& p : parts) s += (s.empty() ? "" : " ") + p;
    return s;
  };
  if (family == "matmul") return join({list_text("M", kM), list_text("K", kK), list_text("N", kN)});
  if (family == "attention")
    return join({list_text("M", kQueries), list_text("N", flash ? kFlashKeys : kKeys), list_text("D", kHead)});
  return join({list_text("B", kBatch), list_text("S", kSequence),
               list_text("H", family.ends_with("norm") ? kNormHidden : kHidden)});
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

std::vector<PeerTrial> peer_trials(std::string_view oracle, const Schema& target, const Schema* op, bool flash,
                                   std::uint64_t seed) {
  std::vector<PeerTrial> trials;
  if (oracle == "illusion-paper") {
    for (std::size_t i = 0; i < peer_trial_count(oracle, target.op); ++i)
      trials.push_back(paper_case(target, op, flash, hash_combine(seed, i)));
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
