// The declared dialects as one readable line, by the names that targets use.
#include "numeric/tolerance.h"

namespace warpfuzz {

std::string describe(const Dialects& d) {
  std::string out;
  const auto add = [&](bool declared, const char* name) {
    if (!declared) return;
    if (!out.empty()) out += ' ';
    out += name;
  };
  if (!d.form.empty()) out = "form=" + d.form;
  add(!d.via.empty(), ("via=" + d.via).c_str());
  add(d.fast, "fast");
  add(d.tanh_approx, "tanh.approx");
  add(d.tanh_approx_portable, "tanh.approx=portable");
  add(d.tc, "tc");
  add(d.tf32 && !d.tf32_truncated, "tf32");
  add(d.tf32_truncated, "tf32=truncated");
  add(d.rpr, "rpr");
  add(d.p_cast, "p_cast");
  add(d.s_cast, "s_cast");
  add(d.naive_variance, "var=naive");
  add(d.compensated, "compensated");
  add(d.cast_before_weight, "cast_before_weight");
  add(d.acc16, "acc16");
  add(d.no_ftz, "ftz=never");
  add(d.strict_barriers, "barriers=strict");
  add(d.deterministic, "deterministic");
  add(d.nan_propagate, "nan=propagate");
  add(d.strict_zero, "strict_zero");
  add(d.mask_select, "mask=select");
  return out.empty() ? "none" : out;
}

}  // namespace warpfuzz
