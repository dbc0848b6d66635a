// Narrowing an op to what one kernel supports. A mistake is kept as one line for validate(); nothing here throws,
// because targets are built before main has anywhere to report to.
#include "ops/spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "schema/dims.h"

namespace warpfuzz {
namespace {

bool is_element_type(DType t) { return t == DType::f32 || t == DType::f16 || t == DType::bf16; }

std::string names_of(const std::vector<DTypeCombo>& combos) {
  std::vector<std::string_view> names;
  for (const DTypeCombo& c : combos) names.push_back(c.name);
  return fmt::format("dtypes {}", fmt::join(names, ", "));
}
template <class Named>
std::string known(const std::vector<Named>& items) {
  std::vector<std::string_view> names;
  for (const Named& i : items) names.push_back(i.name);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}
std::string range_text(std::string_view dim, const DimRange& r, const DimSpec& before) {
  const bool top = r.max != before.max, bottom = r.min > before.min && r.min > r.multiple_of;
  std::string text = r.min == r.max  ? fmt::format("{} == {}", dim, r.min)
                     : top && bottom ? fmt::format("{} <= {} <= {}", r.min, dim, r.max)
                     : top           ? fmt::format("{} <= {}", dim, r.max)
                     : bottom        ? fmt::format("{} >= {}", dim, r.min)
                                     : std::string();
  if (r.multiple_of > 1) text += fmt::format("{}{} % {} == 0", text.empty() ? "" : ", ", dim, r.multiple_of);
  return text;
}

}  // namespace

TargetSpec& TargetSpec::fail(std::string message) {
  if (error_.empty()) error_ = fmt::format("op {}: {}", op_.schema.op, message);
  return *this;
}
TargetSpec& TargetSpec::note(std::string_view topic, std::string text) {
  if (text.empty()) return *this;
  const auto at = std::find(topics_.begin(), topics_.end(), topic);
  if (at != topics_.end()) {
    narrowings_[at - topics_.begin()] = std::move(text);
  } else {
    topics_.emplace_back(topic);
    narrowings_.push_back(std::move(text));
  }
  return *this;
}

TargetSpec& TargetSpec::dtypes(std::initializer_list<DType> same) {
  op_.schema.dtypes.clear();
  dtypes_set_ = true;
  for (const DType t : same) {
    if (!is_element_type(t)) return fail(fmt::format("dtypes: expected fp32, fp16 or bf16; got {}", dtype_name(t)));
    op_.schema.dtypes.push_back(same_dtype(t));
  }
  return note("dtypes", same.size() ? names_of(op_.schema.dtypes) : "");
}
TargetSpec& TargetSpec::mixed(std::initializer_list<DTypeCombo> combos) {
  if (!dtypes_set_) op_.schema.dtypes.clear();
  dtypes_set_ = true;
  for (const DTypeCombo& c : combos) {
    if (!is_element_type(c.in) || !is_element_type(c.out))
      return fail(fmt::format("mixed: expected fp32, fp16 or bf16 on both sides; got {}->{}", dtype_name(c.in),
                              dtype_name(c.out)));
    op_.schema.dtypes.push_back(c);
  }
  return note("dtypes", names_of(op_.schema.dtypes));
}
TargetSpec& TargetSpec::where(std::string_view dim, DimRange range) {
  const int i = op_.schema.dim_index(dim);
  if (i < 0) return fail(fmt::format("where: expected a dim of this op ({}); got '{}'", known(op_.schema.dims), dim));
  DimSpec& d = op_.schema.dims[i];
  if (range.multiple_of == 0) return fail(fmt::format("where {}: a multiple of 0 does not exist", dim));
  const std::uint32_t step = std::lcm(d.multiple_of, range.multiple_of);
  const std::uint32_t lo = std::max(d.min, range.min);
  // The op's own largest value is for targets that say nothing: the first one that is declared replaces it, more of them narrow it.
  const bool says_max = range.max != DimRange{}.max;
  const std::uint32_t hi = !says_max ? d.max : max_declared_[i] ? std::min(d.max, range.max) : range.max;
  if (hi > kMaxDimValue)
    return fail(fmt::format(
        "where {}: {} is beyond {}, the largest dim that the encoding of a case can say; declare at most that", dim, hi,
        kMaxDimValue));
  if (!says_max && !max_declared_[i] && range.min > d.max)
    return fail(fmt::format(
        "where {}: at least {} is beyond {}, the op's largest for targets that declare none; declare the largest "
        "too, as between({}, ...)",
        dim, range.min, d.max, range.min));
  max_declared_[i] = max_declared_[i] || says_max;
  const std::uint64_t first = (std::uint64_t{lo} + step - 1) / step * step;
  const std::uint32_t last = hi / step * step;
  if (first > last)
    return fail(
        fmt::format("where {}: no value is left between {} and {} that is a multiple of {}", dim, lo, hi, step));
  const DimSpec before = d;
  d.multiple_of = step;
  d.min = static_cast<std::uint32_t>(first);
  d.max = last;
  return note(fmt::format("{} {}", dim, range.multiple_of > 1 ? "multiple" : "range"),
              range_text(dim, {d.min, says_max ? d.max : before.max, range.multiple_of}, before));
}
TargetSpec& TargetSpec::scalar(std::string_view name, std::vector<double> values) {
  const int i = op_.schema.scalar_index(name);
  if (i < 0)
    return fail(fmt::format("scalar: expected a scalar of this op ({}); got '{}'", known(op_.schema.scalars), name));
  if (values.empty()) return fail(fmt::format("scalar {}: expected at least one value", name));
  note(name, fmt::format("{} in {{{}}}", name, fmt::join(values, ", ")));
  op_.schema.scalars[i].values = std::move(values);
  return *this;
}
TargetSpec& TargetSpec::layouts(std::string_view tensor, Layouts supported) {
  const int i = op_.schema.tensor_index(tensor);
  if (i < 0)
    return fail(fmt::format("layouts: expected a tensor of this op ({}); got '{}'", known(op_.schema.tensors), tensor));
  op_.schema.tensors[i].layouts = supported;
  std::vector<std::string_view> names = {"contiguous"};
  if (supported.offset) names.push_back("offset");
  if (supported.padded) names.push_back("padded");
  if (supported.stride0) names.push_back("stride 0");
  return note(fmt::format("layouts {}", tensor), fmt::format("{}: {}", tensor, fmt::join(names, ", ")));
}
TargetSpec& TargetSpec::require(std::string_view tensor) {
  const int i = op_.schema.tensor_index(tensor);
  if (i < 0)
    return fail(fmt::format("require: expected a tensor of this op ({}); got '{}'", known(op_.schema.tensors), tensor));
  if (!op_.schema.tensors[i].optional) return fail(fmt::format("require: tensor '{}' is not optional", tensor));
  op_.schema.tensors[i].optional = false;
  return note(fmt::format("require {}", tensor), fmt::format("{} present", tensor));
}
TargetSpec& TargetSpec::constraint(Constraint c) {
  if (!c.repair || !c.holds) return fail(fmt::format("constraint '{}': expected both a repair and a test", c.text));
  note(fmt::format("constraint {}", c.text), c.text);
  op_.schema.constraints.push_back(std::move(c));
  return *this;
}
TargetSpec& TargetSpec::caps(std::uint64_t max_elements, std::uint64_t max_work) {
  if (max_elements == 0 || max_work == 0) return fail("caps: expected at least one element and one unit of work");
  op_.schema.max_elements = max_elements;
  op_.schema.max_work = max_work;
  return note("caps", fmt::format("at most {} elements, work {}", max_elements, max_work));
}
TargetSpec& TargetSpec::workspace(std::string name, TensorType type, std::vector<std::string> shape) {
  TensorSpec t;
  t.name = std::move(name), t.role = Role::workspace, t.type = type;
  return add_tensor(std::move(t), shape);
}
TargetSpec& TargetSpec::launch_parameter(std::string name, std::vector<double> values) {
  if (op_.schema.scalars.size() == kMaxScalars)
    return fail(fmt::format("launch_parameter '{}': at most {} scalars", name, kMaxScalars));
  if (values.empty()) return fail(fmt::format("launch_parameter '{}': expected at least one value", name));
  if (op_.schema.scalar_index(name) >= 0)
    return fail(fmt::format("launch_parameter '{}': the op has a scalar of that name", name));
  note(name, fmt::format("{} in {{{}}}", name, fmt::join(values, ", ")));
  op_.schema.scalars.push_back({std::move(name), std::move(values)});
  return *this;
}
TargetSpec& TargetSpec::single_call() {
  op_.schema.second_call = false;
  return note("calls", "one call");
}
TargetSpec& TargetSpec::algorithm(std::string_view name) {
  const auto names = op_.algorithms;
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end())
    return fail(fmt::format("algorithm: expected one of this op ({}); got '{}'",
                            names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")), name));
  algorithm_ = *at;
  return *this;
}
TargetSpec& TargetSpec::dialect(std::string_view name) {
  const std::string error = declare_dialect(dialects_, name);
  return error.empty() ? *this : fail(error);
}

TargetSpec TargetSpec::custom(std::string op_name) {
  Op op;
  op.schema.op = std::move(op_name);
  op.schema.dtypes = {same_dtype(DType::f32)};
  op.summary = "an op of this target";
  TargetSpec spec(std::move(op));
  spec.builtin_ = false;
  return spec;
}
TargetSpec& TargetSpec::dim(std::string name, std::uint32_t max, std::uint32_t min) {
  if (builtin_) return fail(fmt::format("dim '{}': only custom ops take new dims", name));
  if (op_.schema.dims.size() == kMaxDims) return fail(fmt::format("dim '{}': at most {} dims", name, kMaxDims));
  if (op_.schema.dim_index(name) >= 0) return fail(fmt::format("dim '{}' is there twice", name));
  if (max < min) return fail(fmt::format("dim '{}': expected max >= min; got {} < {}", name, max, min));
  DimSpec d;
  d.name = std::move(name), d.max = max, d.min = min;
  max_declared_[op_.schema.dims.size()] = true;
  op_.schema.dims.push_back(std::move(d));
  return *this;
}
TargetSpec& TargetSpec::input(std::string name, std::vector<std::string> shape) {
  TensorSpec t;
  t.name = std::move(name);
  return add_tensor(std::move(t), shape);
}
TargetSpec& TargetSpec::output(std::string name, std::vector<std::string> shape) {
  TensorSpec t;
  t.name = std::move(name), t.role = Role::out, t.type = TensorType::out;
  return add_tensor(std::move(t), shape);
}
TargetSpec& TargetSpec::reference(ReferenceFn fn) {
  op_.reference = std::move(fn);
  return *this;
}

TargetSpec& TargetSpec::add_tensor(TensorSpec t, const std::vector<std::string>& shape) {
  if (op_.schema.tensors.size() == kMaxTensors)
    return fail(fmt::format("tensor '{}': at most {} tensors", t.name, kMaxTensors));
  if (op_.schema.tensor_index(t.name) >= 0) return fail(fmt::format("tensor '{}' is there twice", t.name));
  if (builtin_ && t.role != Role::workspace)
    return fail(fmt::format("tensor '{}': only custom ops take new inputs and outputs", t.name));
  for (const std::string& dim : shape) {
    const int i = op_.schema.dim_index(dim);
    if (i < 0)
      return fail(
          fmt::format("tensor '{}': expected dims of this op ({}); got '{}'", t.name, known(op_.schema.dims), dim));
    t.shape.push_back(i);
  }
  op_.schema.tensors.push_back(std::move(t));
  return *this;
}

std::string TargetSpec::validate() const {
  if (!error_.empty()) return error_;
  const auto here = [&](std::string text) { return fmt::format("op {}: {}", op_.schema.op, text); };
  if (op_.schema.dtypes.empty()) return here("expected at least one dtype");
  if (!op_.reference) return here("has no reference; give it one with .reference()");
  const std::vector<std::string>& forms = op_.forms;
  if (std::string forms_text = fmt::format("{}", fmt::join(forms, ", form=")); !forms.empty()) {
    if (dialects_.form.empty())
      return here(fmt::format("has no default form; declare .dialect(\"form=...\") as one of form={}", forms_text));
    if (std::find(forms.begin(), forms.end(), dialects_.form) == forms.end())
      return here(fmt::format("dialect: expected one of form={}; got 'form={}'", forms_text, dialects_.form));
  } else if (!dialects_.form.empty() && builtin_) {
    return here(fmt::format("dialect 'form={}': this op has no forms", dialects_.form));
  }
  const std::vector<std::string>& vias = op_.vias;
  if (builtin_ && !dialects_.via.empty() && std::find(vias.begin(), vias.end(), dialects_.via) == vias.end())
    return here(vias.empty() ? fmt::format("dialect 'via={}': this op has no other formulas", dialects_.via)
                             : fmt::format("dialect: expected one of via={}; got 'via={}'", fmt::join(vias, ", via="),
                                           dialects_.via));
  return op_.schema.validate();
}

}  // namespace warpfuzz
