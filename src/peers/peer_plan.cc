// The plans by op and by family, from the list of ops.
#include "peers/peer_plan.h"

#include <algorithm>

#include "peers/plans/plans.h"

namespace warpfuzz {
namespace {

struct OpFamily {
  std::string_view op;
  const PeerFamily* family;
};
const std::vector<OpFamily>& op_families() {
  static const std::vector<OpFamily> all = {
#define WARPFUZZ_OP(NAME, FAMILY, ...) {#NAME, &plans::FAMILY()},
#include "ops/ops.def"
#undef WARPFUZZ_OP
  };
  return all;
}

}  // namespace

std::span<const PeerFamily* const> peer_families() {
  static const std::vector<const PeerFamily*> families = [] {
    std::vector<const PeerFamily*> list;
    for (const OpFamily& o : op_families())
      if (std::find(list.begin(), list.end(), o.family) == list.end()) list.push_back(o.family);
    return list;
  }();
  return families;
}

const PeerFamily* peer_family(std::string_view op) {
  for (const OpFamily& o : op_families())
    if (o.op == op) return o.family;
  return nullptr;
}

const PeerPlan* PeerFamily::plan_of(std::string_view oracle) const {
  const auto at = std::find_if(plans.begin(), plans.end(), [&](const PeerPlan& p) { return p.oracle == oracle; });
  return at == plans.end() ? nullptr : &*at;
}

const PeerPlan* peer_plan(std::string_view oracle, std::string_view op) {
  const PeerFamily* family = peer_family(op);
  if (oracle == "geak-runner") oracle = "geak";  // one set of tests, two tolerances
  return family ? family->plan_of(oracle) : nullptr;
}

const PaperSampling& PeerFamily::sampling(std::string_view algorithm) const {
  const auto at =
      std::find_if(paper.begin(), paper.end(), [&](const PaperSampling& p) { return p.algorithm == algorithm; });
  return at == paper.end() ? paper.front() : *at;
}

}  // namespace warpfuzz
