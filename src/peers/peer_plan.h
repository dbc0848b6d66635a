// What each rival oracle runs: shapes, inputs, trials, per op. Shapes are stand-ins where the originals are beyond what the CPU
// executor runs in a moment; each keeps what decides whether a bug shows (docs/measured/illusion.md prints this table).
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "peers/peers.h"
#include "schema/test_case.h"

namespace warpfuzz {

// How a tensor's contents are drawn.
struct PeerDraw {
  enum class Kind : std::uint8_t { absent, uniform, normal, constant, listed } kind = Kind::absent;
  double low = 0, high = 0;             // uniform: [low, high); constant: low
  std::span<const double> values = {};  // listed: value i of trial k is values[k * n + i], over and over
};

using PeerShape = std::array<std::uint32_t, 4>;  // by the names of PeerFamily
struct PeerPlan {
  std::string_view oracle;
  std::string_view original, kept;    // the shapes there; what the stand-ins keep of them, "" where they are the same
  std::span<const PeerShape> shapes;  // one trial or more each
  PeerDraw input, gamma, beta;        // gamma and beta: only where the op has such tensors
  int trials = 1;                     // per shape
  int runs = 1;                       // of the kernel per trial, each compared
};

// How the paper draws the dims of a case: one value of each axis, in this order, and the shape that they make.
struct PaperAxis {
  std::string_view name;
  std::span<const std::uint32_t> values;
};
struct PaperSampling {
  std::string_view algorithm;  // of the target (TargetSpec::algorithm), "" for any
  std::span<const PaperAxis> axes;
  PeerShape (*shape)(std::span<const std::uint32_t> drawn);
};
std::string axes_text(const PaperSampling& s);  // "B{1,2,8} S{1,7,128} H{1,3,256,1025}"

struct PeerFamily {
  std::string_view name;                   // "elementwise"
  std::span<const std::string_view> dims;  // of the schema, in the order of a PeerShape
  std::span<const PeerPlan> plans;         // one an oracle
  std::span<const PaperSampling> paper;    // the first for targets whose algorithm has none of its own
  const PeerPlan* plan_of(std::string_view oracle) const;
  const PaperSampling& sampling(std::string_view algorithm) const;
};
// Of the registry (ops/ops.def), in its order.
std::span<const PeerFamily* const> peer_families();
const PeerFamily* peer_family(std::string_view op);  // null where no oracle has a plan for the op

// Null for the paper's oracle, whose cases are drawn (paper_case), and where there is no plan.
const PeerPlan* peer_plan(std::string_view oracle, std::string_view op);

// One trial: a case of the target's schema (first dtype, contiguous, one call, first scalar values, no flags) and the contents of its tensors,
// rounded to their dtypes.
struct PeerTrial {
  TestCase test_case;
  std::vector<std::vector<float>> values;  // per tensor of the schema; empty for outputs and absent ones
  bool narrowed = false;                   // the target does not take the plan's shape: the nearest that it takes
};

inline constexpr int kPaperCases = 30;
// The trials of an oracle for a target: its schema, the op's own one (null: the target's; a dim is brought into the target's
// range only where the target is narrower than the op), and its algorithm, for which the paper may have other dims: "flash" of
// attention. Empty where there is no plan.
std::vector<PeerTrial> peer_trials(std::string_view oracle, const Schema& target, const Schema* op,
                                   std::string_view algorithm, std::uint64_t seed);
std::size_t peer_trial_count(std::string_view oracle, std::string_view op);
// Kernel runs per trial.
int peer_runs(std::string_view oracle, std::string_view op);

// One case as the paper draws it: dims from its table for the op (for another op from its boundary values 1, 3, 7, 256, 1025), contents
// uniform in [-10, 10), any of the target's dtypes.
PeerTrial paper_case(const Schema& target, const Schema* op, std::string_view algorithm, std::uint64_t seed);

}  // namespace warpfuzz
