// The small parts of an op's descriptor.
#include "ops/op.h"

#include <algorithm>
#include <stdexcept>

namespace warpfuzz {

const char* reason_name(Reason r) {
  switch (r) {
    case Reason::none: return "none";
    case Reason::overflow: return "overflow";
    case Reason::ill_conditioned: return "ill-conditioned";
    case Reason::flush_meets_inf: return "flush meets Inf";
    case Reason::input_rounding: return "input rounding";
    case Reason::infinite_weight: return "infinite weight";
  }
  return "unknown";
}

void Reference::resize(std::size_t n) {
  r.assign(n, 0);
  e.assign(n, 0);
  e_rig.assign(n, 0);
  flags.assign(n, 0);
  reason.assign(n, Reason::none);
}

void Explanation::set(std::vector<std::pair<std::string, double>> p) {
  std::erase_if(p, [](const auto& part) { return part.second == 0; });
  std::sort(p.begin(), p.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  parts = std::move(p);
}

// A reference that asks for a name its schema lacks is a defect of the op, not of a case.
std::uint32_t RefContext::dim(std::string_view name) const {
  const int i = schema.dim_index(name);
  if (i < 0)
    throw std::logic_error("op " + schema.op + ": its reference asks for dim '" + std::string(name) +
                           "', which its schema lacks");
  return test_case.dims[i];
}
double RefContext::scalar(std::string_view name) const {
  const int i = schema.scalar_index(name);
  if (i < 0)
    throw std::logic_error("op " + schema.op + ": its reference asks for scalar '" + std::string(name) +
                           "', which its schema lacks");
  return test_case.scalar(schema, i);
}

}  // namespace warpfuzz
