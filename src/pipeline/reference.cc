// Running a target's reference, and what is asked of it before its word is taken.
#include "pipeline/reference.h"

#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "findings/format.h"
#include "oracle/judge.h"
#include "schema/fill/fill.h"
#include "schema/target_code.h"

namespace warpfuzz {
namespace {

// Whether the target's reference says something of this tensor, and its layout.
bool judged(const Schema& s, const TestCase& c, std::size_t t, TensorLayout& layout) {
  if (s.tensors[t].role != Role::out && s.tensors[t].role != Role::inout) return false;
  layout = tensor_layout(s, c, static_cast<int>(t));
  return layout.present;
}

// One that forgets to resize an output, or resizes it to something else, has judged nothing.
void check_sizes(const Schema& s, const TestCase& c, const std::vector<Reference>& refs) {
  for (std::size_t t = 0; t < s.tensors.size(); ++t) {
    TensorLayout layout;
    if (!judged(s, c, t, layout)) continue;
    static const Reference kNothing;
    const Reference& ref = t < refs.size() ? refs[t] : kNothing;
    for (const std::size_t n : {ref.r.size(), ref.e.size(), ref.e_rig.size(), ref.flags.size(), ref.reason.size()})
      if (n != layout.elements)
        target_error(fmt::format(
            "the reference of op {} gave {} elements of tensor '{}', expected {} in each of r, e, e_rig, flags and "
            "reason (Reference::resize sets all of them)",
            s.op, n, s.tensors[t].name, layout.elements));
  }
}

// In their bits; all NaNs are one value.
bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

// "1.5, then 1.25", or what else differs of one element; "" where nothing does.
std::string difference(const Reference& a, const Reference& b, std::size_t i) {
  if (!same(a.r[i], b.r[i])) return fmt::format("= {:.17g}, then {:.17g}", a.r[i], b.r[i]);
  if (!same(a.e[i], b.e[i])) return fmt::format("has the bound e = {:.17g}, then {:.17g}", a.e[i], b.e[i]);
  if (!same(a.e_rig[i], b.e_rig[i]))
    return fmt::format("has the bound e_rig = {:.17g}, then {:.17g}", a.e_rig[i], b.e_rig[i]);
  if (a.flags[i] != b.flags[i]) return fmt::format("has the flags {}, then {}", a.flags[i], b.flags[i]);
  return {};
}

}  // namespace

const ToleranceRow& row_of(const Target& target, const TestCase& c) {
  return tolerance_row(target.schema().op, target.schema().dtypes[c.dtype].out, target.spec.dialects());
}

void run_reference(const Target& target, const TestCase& c, const ToleranceRow& row, const CallInput& in,
                   Explanation* explain, std::vector<Reference>& refs) {
  const Schema& s = target.schema();
  const DTypeCombo& combo = s.dtypes[c.dtype];
  RefContext context{s, c, in.values, row, target.spec.dialects(), combo.in, combo.out, explain};
  refs.resize(s.tensors.size());
  in_target_code("the reference of op", s.op.c_str(), [&] { target.spec.op().reference(context, refs); });
  check_sizes(s, c, refs);
}

std::vector<Reference> run_reference(const Target& target, const TestCase& c, const CallInput& in) {
  std::vector<Reference> refs;
  run_reference(target, c, row_of(target, c), in, nullptr, refs);
  return refs;
}

void check_repeats(const Target& target, const TestCase& c, const ToleranceRow& row, const CallInput& in,
                   const std::vector<Reference>& first, Explanation* explain) {
  std::vector<Reference> second;
  run_reference(target, c, row, in, explain, second);
  const Schema& s = target.schema();
  for (std::size_t t = 0; t < s.tensors.size(); ++t) {
    TensorLayout layout;
    if (!judged(s, c, t, layout)) continue;
    for (std::size_t i = 0; i < layout.elements; ++i) {
      const std::string text = difference(first[t], second[t], i);
      if (text.empty()) continue;
      std::vector<std::uint32_t> at(layout.shape.size());
      for (std::size_t axis = at.size(), rest = i; axis-- > 0; rest /= layout.shape[axis])
        at[axis] = static_cast<std::uint32_t>(rest % layout.shape[axis]);
      target_error(fmt::format(
          "the reference of op {} gave two values for one case: {}{} {}; it must be a pure function of its context, "
          "without rand(), a clock or a state of its own",
          s.op, s.tensors[t].name, format_coordinates(at), text));
    }
  }
}

}  // namespace warpfuzz
