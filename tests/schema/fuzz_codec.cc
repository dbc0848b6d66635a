// libFuzzer target: the laws of the case encoding (docs/encoding.md) on arbitrary bytes, for schemas that together use
// everything a schema can say. The text form is tried too, on what decoding gives and on the raw input.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "schema/codec/codec.h"
#include "schema/fill/fill.h"

namespace {

using namespace warpfuzz;

Schema rows() {
  Schema s;
  s.op = "rows";
  s.dtypes = {same_dtype(DType::f32), same_dtype(DType::f16), same_dtype(DType::bf16)};
  s.dims = {{.name = "rows", .max = 256}, {.name = "cols", .max = 4096, .multiple_of = 4}};
  s.tensors = {
      {.name = "x", .role = Role::in, .shape = {0, 1}, .layouts = {.offset = true, .padded = true, .stride0 = true}},
      {.name = "y", .role = Role::out, .shape = {0, 1}, .type = TensorType::out}};
  s.max_elements = 1 << 16;
  return s;
}

Schema product() {
  Schema s;
  s.op = "product";
  s.dtypes = {same_dtype(DType::f16), mixed_dtype(DType::f16, DType::f32)};
  s.dims = {{.name = "M", .max = 300}, {.name = "N", .max = 300}, {.name = "K", .max = 300, .min = 0}};
  s.tensors = {{.name = "a", .role = Role::in, .shape = {0, 2}},
               {.name = "b", .role = Role::in, .shape = {2, 1}},
               {.name = "bias", .role = Role::in, .shape = {1}, .type = TensorType::fp32, .optional = true},
               {.name = "c", .role = Role::inout, .shape = {0, 1}, .type = TensorType::out}};
  s.scalars = {{"alpha", {1, 0.5, 0, -1}}, {"beta", {0, 1}}};
  s.flags = {{"transA"}, {"transB"}, {"relu"}};
  s.work = [](const Dims& d) { return std::uint64_t{d[0]} * d[1] * d[2]; };
  s.max_work = 1 << 18;
  return s;
}

// Index tensors, a derived dim, a constraint, a constant extent, a workspace; no second call.
Schema lookup() {
  Schema s;
  s.op = "lookup";
  s.dtypes = {same_dtype(DType::f32)};
  s.dims = {{.name = "rows", .max = 1000},
            {.name = "heads", .max = 16},
            {.name = "width", .max = 512},
            {.name = "head_width", .max = 512}};
  s.dims[3].derive = [](const Dims& d) { return d[2] / d[1]; };
  s.constraints = {{"width % heads == 0",
                    [](Dims& d) {
                      if (d[2] % d[1]) d[2] = d[2] > d[1] ? d[2] - d[2] % d[1] : d[1];
                    },
                    [](const Dims& d) { return d[2] % d[1] == 0; }}};
  s.tensors = {{.name = "table", .role = Role::in, .shape = {0, 2}},
               {.name = "at", .role = Role::in, .shape = {1, -3}, .type = TensorType::index32, .index_dim = 0},
               {.name = "far", .role = Role::in, .shape = {1}, .type = TensorType::index64, .index_dim = 0},
               {.name = "scratch", .role = Role::workspace, .shape = {3}, .type = TensorType::fp32},
               {.name = "y", .role = Role::out, .shape = {1, 3}, .type = TensorType::out}};
  s.max_elements = 1 << 15;
  s.second_call = false;
  return s;
}

// Every slot of the encoding in use.
Schema full() {
  Schema s;
  s.op = "full";
  s.dtypes = {same_dtype(DType::bf16), same_dtype(DType::f32)};
  for (int i = 0; i < kMaxDims; ++i)
    s.dims.push_back({.name = "d" + std::to_string(i), .max = 9, .min = i == 7 ? 0u : 1u});
  for (int i = 0; i < kMaxTensors; ++i) {
    s.tensors.push_back({.name = "t" + std::to_string(i),
                         .role = i == 7 ? Role::out : Role::in,
                         .shape = {i, (i + 1) % 8, (i + 2) % 8},
                         .type = i == 7 ? TensorType::out : TensorType::in,
                         .optional = i % 2 == 0 && i != 0});
  }
  for (int i = 0; i < kMaxScalars; ++i)
    s.scalars.push_back({"s" + std::to_string(i), {0, 1, 1e-5, static_cast<double>(i)}});
  for (int i = 0; i < kMaxFlags; ++i) s.flags.push_back({"f" + std::to_string(i)});
  return s;
}

void require(bool holds, const Schema& s, const char* law, const std::string& detail = {}) {
  if (holds) return;
  std::fprintf(stderr, "fuzz_codec: schema %s: law broken: %s %s\n", s.op.c_str(), law, detail.c_str());
  std::abort();
}

void check_bounds(const Schema& s, const TestCase& c) {
  std::uint64_t elements = 0;
  for (std::size_t t = 0; t < s.tensors.size(); ++t) elements += tensor_layout(s, c, static_cast<int>(t)).elements;
  require(elements <= s.max_elements, s, "the decoded case keeps the cap on elements");
  if (s.work) require(s.work(c.dims) <= s.max_work, s, "the decoded case keeps the cap on work");
  for (std::size_t i = 0; i < s.dims.size(); ++i) {
    const DimSpec& d = s.dims[i];
    require(d.derive || (c.dims[i] >= d.min && c.dims[i] <= d.max), s, "dims lie in their range", d.name);
    require(d.derive || c.dims[i] % d.multiple_of == 0, s, "dims keep their multiple", d.name);
  }
  for (const Constraint& k : s.constraints) require(k.holds(c.dims), s, "constraints hold", k.text);
  require(c.dtype < s.dtypes.size(), s, "the dtype is one of the schema");
  for (std::size_t i = 0; i < s.scalars.size(); ++i)
    require(c.scalars[i] < s.scalars[i].values.size(), s, "scalars are indices");
  require(c.overrides.size() <= 64, s, "at most 64 overrides");
}

void check_text(const Schema& s, const TestCase& c, std::span<const std::uint8_t> bytes) {
  const std::string text = to_text(s, c, "value");
  const ParsedCase parsed = parse_text(s, text);
  require(parsed.error.empty(), s, "the text form of a case parses:", parsed.error);
  require(parsed.test_case == c && parsed.expect == "value", s, "the text form keeps the case:", text);
  const std::string line = summary(s, c);
  require(!line.empty() && line.find('\n') == std::string::npos, s, "a summary is one line");

  // Anything may be given as text: a case or one line about what is wrong.
  const ParsedCase wild = parse_text(s, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  require(wild.error.find('\n') == std::string::npos, s, "an error is one line:", wild.error);
}

void check(const Schema& s, std::span<const std::uint8_t> bytes, bool with_text) {
  const TestCase c = decode(s, bytes);
  const Bytes once = encode(s, c);
  require(decode(s, once) == c, s, "decode(encode(decode(x))) == decode(x)");
  require(encode(s, decode(s, once)) == once, s, "encode(decode(.)) is idempotent");
  require(once.empty() || once.back() != 0, s, "trailing zeros are trimmed");

  Bytes longer(bytes.begin(), bytes.end());
  longer.resize(longer.size() + 1 + longer.size() % 29, 0);
  require(decode(s, longer) == c, s, "decode(x + zeros) == decode(x)");

  TestCase repaired = c;
  repair(s, repaired);
  require(repaired == c, s, "repair is idempotent");
  check_bounds(s, c);
  if (with_text) check_text(s, c, bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<Schema> schemas = {rows(), product(), lookup(), full()};
  static const bool well_formed = [] {
    for (const Schema& s : schemas) require(s.validate().empty(), s, "the schema is well formed:", s.validate());
    return true;
  }();
  // The slower text form is tried on one of the schemas, chosen by the input.
  std::size_t sum = size;
  for (std::size_t i = 0; i < size; ++i) sum += data[i];
  for (std::size_t i = 0; well_formed && i < schemas.size(); ++i)
    check(schemas[i], {data, size}, sum % schemas.size() == i);
  return 0;
}
