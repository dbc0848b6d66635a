// References of ops that map each element by itself. An op says what is required of the result for one x, and what its
// allowance consists of; the loop is here.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "ops/op.h"

namespace warpfuzz {

// Of one output element. E is the same in both tiers: nothing is summed.
struct Required {
  double r = 0, e = 0;
  int flags = 0;
  Reason reason = Reason::none;
};
using Parts = std::vector<std::pair<std::string, double>>;

// The result at an x that is NaN: NaN, or 0 where max and min may ignore it (fmaxf does).
inline Required of_nan() { return {.flags = kNanRequired}; }
inline Required of_nan_in_max(const Dialects& d) {
  return {.flags = d.nan_propagate ? kNanRequired : kNanOk | kZeroOk};
}

// element(x) gives a Required; element.parts(x) the allowance at an ordinary x.
template <class Element>
void reference_of_elements(const RefContext& c, std::vector<Reference>& refs, const Element& element) {
  const int x = c.schema.tensor_index("x"), y = c.schema.tensor_index("y");
  const std::vector<float>& in = c.in[x];
  Reference& ref = refs[y];
  ref.r.resize(in.size()), ref.e.resize(in.size()), ref.e_rig.resize(in.size());  // each is written below
  ref.flags.resize(in.size()), ref.reason.resize(in.size());
  double *r = ref.r.data(), *e = ref.e.data(), *e_rig = ref.e_rig.data();
  std::uint8_t* flags = ref.flags.data();
  Reason* reason = ref.reason.data();
  for (std::size_t i = 0, n = in.size(); i < n; ++i) {
    const Required q = element(in[i]);
    r[i] = q.r;
    e[i] = e_rig[i] = q.e;
    flags[i] = static_cast<std::uint8_t>(q.flags);
    reason[i] = q.reason;
  }
  if (c.explain && c.explain->wants(y, 0, in.size()) && ref.flags[c.explain->element] == 0)
    c.explain->set(element.parts(in[c.explain->element]));
}

}  // namespace warpfuzz
