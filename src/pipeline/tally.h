// Counts over many executions, without any effect on them.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "ops/op.h"
#include "pipeline/run_case.h"

namespace warpfuzz {

struct Tally {
  std::uint64_t executions = 0, extra_runs = 0, drift = 0, wholly_unspecified = 0, leaking = 0, unsupported = 0;
  std::uint64_t elements = 0, exact = 0, unspecified[kReasonCount] = {};
  double max_ratio = 0;
  Dims largest{};                                       // that was tried, of each dim
  std::map<std::string, std::uint64_t> keys;            // of known findings
  std::map<std::string, std::uint64_t> unsupported_by;  // by construct and place
  void add(const CaseResult& r);
  std::string text() const;  // lines for people
  // The range of each dim and how far the executions reached; a line for each that the target declares and whose upper half none did.
  std::string dims_text(const Target& target) const;
};

// Visits every count by name, so that what one process of a campaign counted can be handed to the next.
template <class T, class Visit>
void for_each_count(T& t, Visit visit) {
  visit("executions", t.executions), visit("extra_runs", t.extra_runs), visit("drift", t.drift);
  visit("wholly_unspecified", t.wholly_unspecified), visit("leaking", t.leaking), visit("unsupported", t.unsupported);
  visit("elements", t.elements), visit("exact", t.exact), visit("unspecified", t.unspecified);
  visit("max_ratio", t.max_ratio), visit("largest", t.largest), visit("keys", t.keys),
      visit("unsupported_by", t.unsupported_by);
}

// "softmax.cu:12: cp.async.bulk (kernel softmax_kernel)": the construct that a case could not be run for.
std::string unsupported_construct(const CaseResult& r);

}  // namespace warpfuzz
