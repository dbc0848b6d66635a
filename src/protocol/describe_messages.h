// `describe`: what a target says about itself.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/fields/form.h"
#include "schema/role_names.h"

namespace warpfuzz {

struct DescribedDim {
  std::string name;
  std::uint32_t min = 1, max = 1, multiple_of = 1;
  bool derived = false;
};
template <class V, MaybeConst<DescribedDim> D>
void fields(V& v, D& d) {
  v("name", d.name, "");
  v("min", d.min, "smallest extent");
  v("max", d.max, "largest extent");
  v("multiple_of", d.multiple_of, "what every extent is a multiple of");
  v("derived", d.derived, "follows from the other dims");
}

struct DescribedTensor {
  std::string name;
  Role role = Role::in;
  bool optional = false;
};
template <class V, MaybeConst<DescribedTensor> T>
void fields(V& v, T& t) {
  v("name", t.name, "");
  v("role", t.role, "");
  v("optional", t.optional, "may be absent");
}

struct DescribedScalar {
  std::string name;
  std::vector<double> values;
};
template <class V, MaybeConst<DescribedScalar> S>
void fields(V& v, S& s) {
  v("name", s.name, "");
  v("values", s.values, "the values that it takes");
}

struct Description {
  std::string target, op, backend, compiler, dialects;
  int table_version = 0;
  std::vector<std::string> narrowings, dtypes;
  std::vector<DescribedDim> dims;
  std::vector<DescribedTensor> tensors;
  std::vector<DescribedScalar> scalars;
  std::vector<std::string> flags;
};
template <class V, MaybeConst<Description> D>
void fields(V& v, D& d) {
  v("target", d.target, "name of the target");
  v("op", d.op, "its operator");
  v("backend", d.backend, "`cpu` or `cuda`");
  v("compiler", d.compiler, "compiler of its kernels");
  v("table_version", d.table_version, "version of the tolerance table");
  v("narrowings", d.narrowings, "what it supports less than the operator, a text each");
  v("dialects", d.dialects, "what it declares about its arithmetic");
  v("dtypes", d.dtypes, "dtype combinations");
  v("dims", d.dims, "");
  v("tensors", d.tensors, "");
  v("scalars", d.scalars, "");
  v("flags", d.flags, "names of the flags");
}

struct DescribeRequest {
  static constexpr const char* kCommand = "describe";
  using Answer = Description;
};
template <class V, MaybeConst<DescribeRequest> Q>
void fields(V& v, Q&) {
  v.constant("cmd", Q::kCommand);
}

}  // namespace warpfuzz
