// One op on given inputs, without a kernel or an executor: what the tests of references and of the oracle start from.
#pragma once
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ops/spec.h"
#include "schema/codec/codec.h"
#include "schema/fill/fill.h"

namespace warpfuzz::test {

using Values = std::vector<float>;

struct Problem {
  TargetSpec spec;
  TestCase test_case;
  std::vector<Values> in;
  ToleranceRow row;

  // Dims by name; every input is ones, optional inputs are absent, scalars are the first of their list.
  Problem(TargetSpec s, std::map<std::string, std::uint32_t> dims, DType in_type = f32, DType out_type = f32);
  // A decoded case with its fills' values.
  Problem(TargetSpec s, const TestCase& c);

  const Schema& schema() const { return spec.schema(); }
  DType in_type() const { return schema().dtypes[test_case.dtype].in; }
  DType out_type() const { return schema().dtypes[test_case.dtype].out; }
  int tensor(std::string_view name) const { return schema().tensor_index(name); }
  int output() const;  // the only output
  std::uint32_t dim(std::string_view name) const { return test_case.dims[schema().dim_index(name)]; }
  const Values& operator[](std::string_view name) const { return in[tensor(name)]; }

  Problem& set(std::string_view tensor_name, Values values);  // rounded to the tensor's dtype
  Problem& fill(std::string_view tensor_name, Fill f, std::uint32_t seed = 1, int amp = 0, std::uint8_t param = 0);
  Problem& scalar(std::string_view name, double value);  // must be in the schema's list

  std::vector<Reference> references(Explanation* explain = nullptr) const;
  Reference reference() const { return references()[output()]; }  // of the only output
};

// A spec with all dtypes of 32 and 16 bits, in = out, and fp16->fp32, bf16->fp32.
TargetSpec all_dtypes(TargetSpec s);

}  // namespace warpfuzz::test
