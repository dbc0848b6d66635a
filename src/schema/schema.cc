// Look-ups, dtype combinations and the well-formedness check of a schema.
#include "schema/schema.h"

#include <cmath>
#include <set>

#include "numeric/hash.h"
#include "schema/dims.h"

namespace warpfuzz {
namespace {

template <class T>
int index_of(const std::vector<T>& v, std::string_view name) {
  for (std::size_t i = 0; i < v.size(); ++i)
    if (v[i].name == name) return static_cast<int>(i);
  return -1;
}

// Names become keys of the text form: letters, digits, '_' and '.', and none that the form itself uses.
bool usable_name(const std::string& name) {
  static const std::set<std::string, std::less<>> reserved{"op", "expect", "dtype", "calls", "order", "tail"};
  if (name.empty() || reserved.contains(name)) return false;
  for (char ch : name)
    if (!((ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_' || ch == '.'))
      return false;
  return true;
}

std::string check_dim(const DimSpec& d) {
  if (d.derive) return "";
  const std::string at = "dim '" + d.name + "': ";
  if (d.multiple_of == 0) return at + "multiple_of is 0; expected at least 1";
  if (d.max == 0 || d.max > kMaxDimValue)
    return at + "max is " + std::to_string(d.max) + "; expected 1.." + std::to_string(kMaxDimValue);
  if (smallest_dim(d) > d.max)
    return at + "no value between " + std::to_string(d.min) + " and " + std::to_string(d.max) + " is a multiple of " +
           std::to_string(d.multiple_of) + "; widen the range";
  return "";
}

std::string check_tensor(const Schema& s, const TensorSpec& t) {
  const std::string at = "tensor '" + t.name + "': ";
  if (t.shape.size() > kMaxDims) return at + "more than 8 dims";
  for (int e : t.shape)
    if (e >= static_cast<int>(s.dims.size()))
      return at + "shape names dim " + std::to_string(e) + " of " + std::to_string(s.dims.size()) +
             "; use the index of a dim or minus a constant";
  const bool index = t.type == TensorType::index32 || t.type == TensorType::index64;
  if (index && t.role != Role::out && t.role != Role::workspace &&
      (t.index_dim < 0 || t.index_dim >= static_cast<int>(s.dims.size())))
    return at + "an index tensor needs index_dim, the dim that its values are below";
  if (t.layouts.stride0 && t.role != Role::in) return at + "stride 0 is for input tensors only";
  return "";
}

// A repair that does not settle, or caps below the smallest case, would make decoding depend on luck: try dims of all sizes.
std::string check_repair(const Schema& s) {
  for (std::uint64_t trial = 0; trial < 64; ++trial) {
    Rng rng(trial);
    Dims dims{};
    for (std::size_t i = 0; i < s.dims.size(); ++i)
      dims[i] = trial == 0 ? 0 : trial == 1 ? s.dims[i].max : 1 + rng.below(1u << rng.below(16));
    if (!fit_dims(s, dims)) {
      std::string text = "dims do not settle within the caps and constraints (";
      for (std::size_t i = 0; i < s.dims.size(); ++i)
        text += (i ? " " : "") + s.dims[i].name + "=" + std::to_string(dims[i]);
      return text + "); check the constraints' repair, max_elements and max_work";
    }
  }
  return "";
}

}  // namespace

DTypeCombo same_dtype(DType t) { return {std::string(dtype_name(t)), t, t}; }
DTypeCombo mixed_dtype(DType in, DType out) {
  if (in == out) return same_dtype(in);
  return {std::string(dtype_name(in)) + "->" + std::string(dtype_name(out)), in, out};
}

int Schema::dim_index(std::string_view name) const { return index_of(dims, name); }
int Schema::tensor_index(std::string_view name) const { return index_of(tensors, name); }
int Schema::scalar_index(std::string_view name) const { return index_of(scalars, name); }
int Schema::flag_index(std::string_view name) const { return index_of(flags, name); }

std::string Schema::validate() const {
  const std::string prefix = "schema '" + op + "': ";
  if (op.empty()) return "schema: op has no name";
  if (dtypes.empty() || dtypes.size() > 255)
    return prefix + "expected 1..255 dtypes, got " + std::to_string(dtypes.size());
  if (dims.size() > kMaxDims || scalars.size() > kMaxScalars || flags.size() > kMaxFlags ||
      tensors.size() > kMaxTensors)
    return prefix + "at most 8 dims, 8 scalars, 8 flags and 8 tensors, got " + std::to_string(dims.size()) + ", " +
           std::to_string(scalars.size()) + ", " + std::to_string(flags.size()) + " and " +
           std::to_string(tensors.size());
  if (tensors.empty()) return prefix + "no tensor; a case needs at least one";
  std::set<std::string> names;
  const auto check_name = [&](const std::string& name) -> std::string {
    if (!usable_name(name))
      return prefix + "'" + name + "' cannot be a name; use letters, digits, '_' and '.', no reserved word";
    if (!names.insert(name).second) return prefix + "the name '" + name + "' is used twice";
    return "";
  };
  for (const DimSpec& d : dims) {
    if (std::string e = check_name(d.name); !e.empty()) return e;
    if (std::string e = check_dim(d); !e.empty()) return prefix + e;
  }
  for (const TensorSpec& t : tensors) {
    if (std::string e = check_name(t.name); !e.empty()) return e;
    if (std::string e = check_tensor(*this, t); !e.empty()) return prefix + e;
  }
  for (const ScalarSpec& v : scalars) {
    if (std::string e = check_name(v.name); !e.empty()) return e;
    if (v.values.empty() || v.values.size() > 256)
      return prefix + "scalar '" + v.name + "': expected 1..256 values, got " + std::to_string(v.values.size());
    for (double x : v.values)
      if (!std::isfinite(x)) return prefix + "scalar '" + v.name + "': values must be finite";
  }
  for (const FlagSpec& f : flags)
    if (std::string e = check_name(f.name); !e.empty()) return e;
  if (std::string e = check_repair(*this); !e.empty()) return prefix + e;
  return "";
}

}  // namespace warpfuzz
