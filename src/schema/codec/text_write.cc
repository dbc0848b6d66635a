// The readable form of a case: one "key: value" a line, what is at its default left out.
#include "schema/codec/codec.h"
#include "schema/codec/text_form.h"
#include "schema/codec/wire.h"
#include "schema/fill/fill.h"

namespace warpfuzz {
namespace {

std::string recipe_text(const TensorSpec& spec, Fill fill, const TensorRecipe& r) {
  std::string out;
  const auto word = [&](const std::string& w) { out += (out.empty() ? "" : " ") + w; };
  const bool filled = spec.role == Role::in || spec.role == Role::inout;
  if (filled) word(fill_name(fill));
  else if (spec.optional) word("present");
  if (const int e = amp_exponent(r.amp); e != 0) word("amp=2^" + std::to_string(e));
  if (r.param != 0) word("param=" + std::to_string(r.param));
  if (r.rate != 0) word("rate=" + std::to_string(rate_of(r.rate)));
  if (r.seed != 0) word("seed=" + std::to_string(r.seed));
  if (r.layout != Layout::contiguous) word(std::string("layout=") + layout_name(r.layout));
  return out;
}

std::string override_place(const Schema& s, const Override& o) {
  const TensorSpec& t = s.tensors[o.tensor];
  const std::size_t shown = t.shape.size() > 4 ? 4 : t.shape.size();
  std::string out = t.name + "[";
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += ",";
    if ((o.flags & wire::kWholeRow) && i + 1 == shown) out += "*";
    else if (o.flags >> i & 1) out += std::to_string(-1 - static_cast<int>(o.at[i]));
    else out += std::to_string(o.at[i]);
  }
  return out + "]";
}

std::string hex(const std::vector<std::uint8_t>& bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (std::uint8_t b : bytes) {
    out += digits[b >> 4];
    out += digits[b & 15];
  }
  return out;
}

}  // namespace

std::string to_text(const Schema& s, const TestCase& given, std::string_view expect) {
  TestCase c = given;
  repair(s, c);
  std::string out = "op: " + s.op + "\n";
  const auto line = [&](const std::string& key, const std::string& value) { out += key + ": " + value + "\n"; };
  if (!expect.empty() && expect != "pass") line("expect", std::string(expect));
  line("dtype", s.dtypes[c.dtype].name);
  for (std::size_t i = 0; i < s.dims.size(); ++i)
    if (!s.dims[i].derive)
      line(s.dims[i].name, std::to_string(c.dims[i]) + (c.from[i] ? " from " + std::to_string(c.from[i]) : ""));
  for (std::size_t i = 0; i < s.scalars.size(); ++i)
    if (c.scalars[i] != 0) line(s.scalars[i].name, text::number(c.scalar(s, static_cast<int>(i))));
  for (std::size_t i = 0; i < s.flags.size(); ++i)
    if (c.flag(static_cast<int>(i))) line(s.flags[i].name, "true");
  if (c.calls != 0) line("calls", std::to_string(c.calls + 1));
  if (c.order != 0) line("order", std::to_string(c.order));
  for (std::size_t t = 0; t < s.tensors.size(); ++t) {
    const TensorRecipe& r = c.tensors[t];
    if (!r.present || (!s.tensors[t].optional && r == TensorRecipe{})) continue;
    line(s.tensors[t].name, recipe_text(s.tensors[t], fill_of(s, static_cast<int>(t), r.fill), r));
  }
  for (const Override& o : c.overrides) out += override_place(s, o) + " = " + text::override_value(o) + "\n";
  if (!c.tail.empty()) line("tail", hex(c.tail));
  return out;
}

std::string summary(const Schema& s, const TestCase& c) {
  std::string out = s.op + " " + s.dtypes[c.dtype].name;
  for (std::size_t i = 0; i < s.dims.size(); ++i)
    if (!s.dims[i].derive) out += " " + s.dims[i].name + "=" + std::to_string(c.dims[i]);
  for (std::size_t i = 0; i < s.scalars.size(); ++i)
    if (c.scalars[i] != 0) out += " " + s.scalars[i].name + "=" + text::number(c.scalar(s, static_cast<int>(i)));
  for (std::size_t i = 0; i < s.flags.size(); ++i)
    if (c.flag(static_cast<int>(i))) out += " " + s.flags[i].name;
  for (std::size_t t = 0; t < s.tensors.size(); ++t) {
    const TensorSpec& spec = s.tensors[t];
    const TensorRecipe& r = c.tensors[t];
    if (!r.present) continue;
    if (spec.role == Role::in || spec.role == Role::inout) {
      out += " " + spec.name + "=" + fill_name(fill_of(s, static_cast<int>(t), r.fill));
      if (const int e = amp_exponent(r.amp); e != 0) out += "*2^" + std::to_string(e);
      if (r.rate != 0) out += "+specials";
    } else if (spec.optional) {
      out += " " + spec.name;
    }
    if (r.layout != Layout::contiguous) out += " " + spec.name + ":" + layout_name(r.layout);
  }
  for (std::size_t i = 0; i < s.dims.size(); ++i)
    if (c.from[i] != 0) out += " " + s.dims[i].name + " from " + std::to_string(c.from[i]);
  if (c.calls != 0) out += " calls=2";
  if (c.overrides.size() == 1)
    out += " " + override_place(s, c.overrides[0]) + "=" + text::override_value(c.overrides[0]);
  else if (!c.overrides.empty()) out += " +" + std::to_string(c.overrides.size()) + " overrides";
  return out;
}

}  // namespace warpfuzz
