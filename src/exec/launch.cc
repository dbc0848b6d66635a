// What a launcher asks about its case. A question that the schema cannot answer is a mistake in the target's own file.
#include "exec/launch.h"

#include <string>

namespace warpfuzz {
namespace {

template <class List>
std::string names(const List& list) {
  std::string text;
  for (const auto& item : list) text += (text.empty() ? "" : ", ") + item.name;
  return text.empty() ? "none" : text;
}
template <class List>
[[noreturn]] void unknown(const Schema& s, const char* what, std::string_view name, const List& list) {
  target_error(std::string(what) + " '" + std::string(name) + "' is not in the schema of " + s.op +
               ", which has: " + names(list));
}
int tensor_number(const Schema& s, std::string_view name) {
  int k = s.tensor_index(name);
  if (k < 0) unknown(s, "tensor", name, s.tensors);
  return k;
}

}  // namespace

void* Launch::pointer(std::string_view tensor, DType expected, bool writes) const {
  int k = tensor_number(schema_, tensor);
  const TensorSpec& spec = schema_.tensors[static_cast<std::size_t>(k)];
  if (writes && spec.role == Role::in) {
    target_error("tensor '" + spec.name + "' of " + schema_.op +
                 " is an input: read it with in<T>(), or give it the role inout");
  }
  DType actual = tensor_dtype(schema_, case_, k);
  if (actual != expected) {
    target_error("tensor '" + spec.name + "' of " + schema_.op + " is " + std::string(dtype_name(actual)) +
                 " in this case, but the launcher asks for " + std::string(dtype_name(expected)) +
                 " (for_dtype() gives the case's type)");
  }
  return data_[static_cast<std::size_t>(k)];
}

bool Launch::has(std::string_view tensor) const {
  return data_[static_cast<std::size_t>(tensor_number(schema_, tensor))] != nullptr;
}

std::int64_t Launch::stride(std::string_view tensor, int axis) const {
  TensorLayout layout = tensor_layout(schema_, case_, tensor_number(schema_, tensor));
  if (axis < 0 || static_cast<std::size_t>(axis) >= layout.strides.size()) {
    target_error("tensor '" + std::string(tensor) + "' has " + std::to_string(layout.strides.size()) +
                 " axes, the launcher asks for the stride of axis " + std::to_string(axis));
  }
  return layout.strides[static_cast<std::size_t>(axis)];
}

int Launch::dim(std::string_view name) const {
  int i = schema_.dim_index(name);
  if (i < 0) unknown(schema_, "dim", name, schema_.dims);
  return static_cast<int>(case_.dims[static_cast<std::size_t>(i)]);
}

double Launch::scalar(std::string_view name) const {
  int i = schema_.scalar_index(name);
  if (i < 0) unknown(schema_, "scalar", name, schema_.scalars);
  return case_.scalar(schema_, i);
}

bool Launch::flag(std::string_view name) const {
  int i = schema_.flag_index(name);
  if (i < 0) unknown(schema_, "flag", name, schema_.flags);
  return case_.flag(i);
}

DType Launch::in_dtype() const { return schema_.dtypes[case_.dtype].in; }
DType Launch::out_dtype() const { return schema_.dtypes[case_.dtype].out; }

}  // namespace warpfuzz
