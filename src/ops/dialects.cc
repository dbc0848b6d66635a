// The names by which targets declare how their kernel computes. describe() (numeric/tolerance.h) prints the same ones.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ops/spec.h"

namespace warpfuzz {
namespace {

struct Named {
  std::string_view name;
  bool Dialects::* flag;
};
constexpr Named kNames[] = {
    {"fast", &Dialects::fast},
    {"tanh.approx", &Dialects::tanh_approx},
    {"tanh.approx=portable", &Dialects::tanh_approx_portable},
    {"tc", &Dialects::tc},
    {"tf32", &Dialects::tf32},
    {"tf32=truncated", &Dialects::tf32_truncated},
    {"rpr", &Dialects::rpr},
    {"p_cast", &Dialects::p_cast},
    {"s_cast", &Dialects::s_cast},
    {"var=naive", &Dialects::naive_variance},
    {"compensated", &Dialects::compensated},
    {"cast_before_weight", &Dialects::cast_before_weight},
    {"acc=16", &Dialects::acc16},
    {"acc16", &Dialects::acc16},
    {"ftz=never", &Dialects::no_ftz},
    {"barriers=strict", &Dialects::strict_barriers},
    {"deterministic", &Dialects::deterministic},
    {"nan=propagate", &Dialects::nan_propagate},
    {"strict_zero", &Dialects::strict_zero},
    {"mask=select", &Dialects::mask_select},
};

}  // namespace

const std::vector<std::string>& dialect_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> v;
    for (const Named& n : kNames) v.emplace_back(n.name);
    v.emplace_back("form=...");
    v.emplace_back("via=...");
    return v;
  }();
  return names;
}

std::vector<std::string> declared_dialects(const Dialects& d) {
  std::vector<std::string> names;
  for (const Named& n : kNames)
    if (d.*n.flag) names.emplace_back(n.name);
  if (!d.form.empty()) names.push_back("form=" + d.form);
  if (!d.via.empty()) names.push_back("via=" + d.via);
  return names;
}

std::string declare_dialect(Dialects& d, std::string_view name) {
  if (name.substr(0, 5) == "form=" && name.size() > 5) {
    d.form = name.substr(5);
    return {};
  }
  if (name.substr(0, 4) == "via=" && name.size() > 4) {
    d.via = name.substr(4);
    return {};
  }
  for (const Named& n : kNames)
    if (n.name == name) {
      d.*n.flag = true;
      return {};
    }
  return fmt::format("dialect: expected one of {}; got '{}'", fmt::join(dialect_names(), ", "), name);
}

}  // namespace warpfuzz
