#include "problem.h"

#include <stdexcept>

#include "numeric/round.h"

namespace warpfuzz::test {
namespace {

std::uint8_t dtype_index(const Schema& s, DType in, DType out) {
  for (std::size_t i = 0; i < s.dtypes.size(); ++i)
    if (s.dtypes[i].in == in && s.dtypes[i].out == out) return static_cast<std::uint8_t>(i);
  throw std::invalid_argument("the spec lacks this dtype");
}
bool is_input(const TensorSpec& t) { return t.role == Role::in || t.role == Role::inout; }

}  // namespace

Problem::Problem(TargetSpec s, std::map<std::string, std::uint32_t> dims, DType in_type, DType out_type)
    : spec(std::move(s)) {
  if (const std::string error = spec.validate(); !error.empty()) throw std::invalid_argument(error);
  test_case.dtype = dtype_index(schema(), in_type, out_type);
  for (const auto& [name, value] : dims) test_case.dims[schema().dim_index(name)] = value;
  in.resize(schema().tensors.size());
  for (std::size_t t = 0; t < in.size(); ++t) {
    const TensorSpec& tensor = schema().tensors[t];
    test_case.tensors[t].present = !tensor.optional;
    if (is_input(tensor) && !tensor.optional) fill_values(schema(), test_case, static_cast<int>(t), 0, in[t]);
  }
}

Problem::Problem(TargetSpec s, const TestCase& c) : spec(std::move(s)), test_case(c) {
  if (const std::string error = spec.validate(); !error.empty()) throw std::invalid_argument(error);
  in.resize(schema().tensors.size());
  for (std::size_t t = 0; t < in.size(); ++t)
    if (is_input(schema().tensors[t]) && c.tensors[t].present) fill_values(schema(), c, static_cast<int>(t), 0, in[t]);
}

int Problem::output() const {
  for (std::size_t t = 0; t < schema().tensors.size(); ++t)
    if (schema().tensors[t].role == Role::out) return static_cast<int>(t);
  throw std::logic_error("no output");
}

Problem& Problem::set(std::string_view name, Values values) {
  const int t = tensor(name);
  test_case.tensors[t].present = true;
  const TensorLayout layout = tensor_layout(schema(), test_case, t);
  if (values.size() != layout.elements) throw std::invalid_argument(std::string(name) + ": wrong number of values");
  for (float& v : values) v = static_cast<float>(round_to(layout.dtype, v));
  in[t] = std::move(values);
  return *this;
}
Problem& Problem::fill(std::string_view name, Fill f, std::uint32_t seed, int amp, std::uint8_t param) {
  const int t = tensor(name);
  TensorRecipe& r = test_case.tensors[t];
  r.present = true;
  r.fill = fill_byte(f), r.seed = seed, r.amp = amp_byte(amp), r.param = param;
  fill_values(schema(), test_case, t, 0, in[t]);
  return *this;
}
Problem& Problem::scalar(std::string_view name, double value) {
  const int i = schema().scalar_index(name);
  const auto& values = schema().scalars[i].values;
  for (std::size_t k = 0; k < values.size(); ++k)
    if (values[k] == value) {
      test_case.scalars[i] = static_cast<std::uint8_t>(k);
      return *this;
    }
  throw std::invalid_argument("the schema lacks this scalar value");
}

std::vector<Reference> Problem::references(Explanation* explain) const {
  std::vector<Reference> refs(schema().tensors.size());
  const RefContext context{schema(), test_case, in, row, spec.dialects(), in_type(), out_type(), explain};
  spec.op().reference(context, refs);
  return refs;
}

TargetSpec all_dtypes(TargetSpec s) {
  s.dtypes({f32, f16, bf16}).mixed({mixed_dtype(f16, f32), mixed_dtype(bf16, f32)});
  return s;
}

}  // namespace warpfuzz::test
