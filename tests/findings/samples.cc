// Findings with realistic contents.
#include "samples.h"

#include <limits>

#include "numeric/hash.h"
#include "numeric/round.h"

namespace warpfuzz::samples {

TensorSnapshot tensor(int index, std::string name, std::string role, DType dtype, std::vector<std::uint32_t> shape,
                      const std::vector<double>& values) {
  TensorSnapshot t;
  t.tensor = index;
  t.name = std::move(name);
  t.role = std::move(role);
  t.dtype = dtype;
  t.shape = std::move(shape);
  t.data.resize(values.size() * dtype_size(dtype));
  for (std::size_t i = 0; i < values.size(); ++i)
    store_element(dtype, t.data.data() + i * dtype_size(dtype), values[i]);
  t.hash = hash_bytes(t.data.data(), t.data.size());
  return t;
}

namespace {

void add_origin(Finding& f) {
  f.backend = "cpu";
  f.table_version = 1;
  f.compiler = "clang 22.1.8 -O2 -fsanitize=address";
  f.device = "x86-64";
  f.created = "2026-03-01T12:34:56Z";
  f.executions = 17;
  f.seed = 1234567890;
}

}  // namespace

Finding softmax_value() {
  Finding f;
  f.target = "softmax_tail_mask";
  f.op = "softmax";
  f.fault = FaultClass::value;
  add_origin(f);
  f.bytes = {1, 1, 0, 0, 0, 0, 2};
  f.bytes.resize(44);
  f.text = "op: softmax\ndtype: fp16\nrows: 1\ncols: 3\nx: ones\n";
  f.summary = "softmax fp16 rows=1 cols=3 x=ones";
  Verdict& v = f.verdict;
  v.fault = FaultClass::value;
  v.total = v.wrong = v.beyond_tight = 3;
  v.max_ratio = 292;
  v.worst = {.tensor = 1,
             .element = 2,
             .at = {0, 2},
             .got = f16_value(f16_bits(0.25)),
             .reference = 1.0 / 3,
             .lo = f16_value(f16_bits(0.3333)),
             .hi = f16_value(f16_bits(0.3335)),
             .ratio = 292,
             .ulps = 341};
  v.kind = ErrorKind::const_ratio;
  v.const_ratio = 0.75;
  v.location = ErrorPlace::all;
  v.shape_class = {"1", "<B"};
  f.attributes = attributes_of(
      f.fault, v, {.dtype = "fp16", .dialects = "none", .table_row = "softmax.fp16", .dims = {"rows", "cols"}});
  f.allowance = "exp 62 %, accumulation 30 %, division 8 %";
  f.inputs = {tensor(0, "x", "in", DType::f16, {1, 3}, {1, 1, 1})};
  f.outputs = {tensor(1, "y", "out", DType::f16, {1, 3}, {0.25, 0.25, 0.25})};
  return f;
}

Finding matmul_value() {
  Finding f;
  f.target = "matmul_overwrite";
  f.op = "matmul";
  f.fault = FaultClass::value;
  add_origin(f);
  f.bytes.resize(128, 0);
  f.bytes[0] = 1;
  f.bytes[8] = 11;
  f.text = "op: matmul\ndtype: fp32\nM: 1\nN: 1\nK: 33\na: normal seed=7\nb: normal seed=9\n";
  f.summary = "matmul fp32 M=1 N=1 K=33 a=normal b=normal";
  Verdict& v = f.verdict;
  v.fault = FaultClass::value;
  v.total = v.wrong = v.beyond_tight = 1;
  v.max_ratio = 81234.5;
  v.worst = {.tensor = 2,
             .element = 0,
             .at = {0, 0},
             .got = 0.43125,
             .reference = -3.1712345678901,
             .lo = -3.171236,
             .hi = -3.171233,
             .ratio = 81234.5,
             .ulps = 15123456};
  v.kind = ErrorKind::gross;
  v.location = ErrorPlace::single;
  v.shape_class = {"1", "1"};
  f.attributes =
      attributes_of(f.fault, v, {.dtype = "fp32", .dialects = "none", .table_row = "matmul.fp32", .dims = {"M", "N"}});
  f.allowance = "accumulation 100 %";
  std::vector<double> a, b;
  Rng rng(7);
  for (int i = 0; i < 33; ++i) {
    a.push_back((static_cast<double>(rng.below(1u << 20)) - (1 << 19)) / (1 << 18));
    b.push_back((static_cast<double>(rng.below(1u << 20)) - (1 << 19)) / (1 << 18));
  }
  f.inputs = {tensor(0, "a", "in", DType::f32, {1, 33}, a), tensor(1, "b", "in", DType::f32, {33, 1}, b)};
  f.outputs = {tensor(2, "c", "out", DType::f32, {1, 1}, {0.43125})};
  return f;
}

Finding out_of_bounds() {
  Finding f;
  f.target = "layernorm_vec4";
  f.op = "layernorm";
  f.fault = FaultClass::oob_write;
  add_origin(f);
  f.bytes = {1, 0, 0, 0, 0, 0, 2};
  f.text = "op: layernorm\ndtype: fp32\nrows: 1\ncols: 3\n";
  f.summary = "layernorm fp32 rows=1 cols=3 x=ones";
  f.message = "write of 16 bytes, 0 bytes behind the 12 bytes of 'y'";
  f.place.kernel = "layernorm_vec4_kernel";
  f.place.thread[0] = 5;
  f.place.file = "layernorm_vec4.cu";
  f.place.line = 31;
  f.attributes =
      attributes_of(f.fault, {}, {.dtype = "fp32", .dialects = "none", .table_row = "layernorm.fp32", .dims = {}});
  f.inputs = {tensor(0, "x", "in", DType::f32, {1, 3}, {1, 1, 1})};
  return f;
}

Finding everything() {
  Finding f = softmax_value();
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  f.fault = FaultClass::race;
  f.place = {"softmax_kernel", {1, 2, 3}, {4, 5, 6}, "kernels/softmax.cu", 77};
  f.message = "thread order 3 differs, \"quoted\"";
  f.text = "one\n\ttwo\n";
  f.seed = ~0ull;
  f.executions = 1ull << 63;
  Verdict& v = f.verdict;
  v.fault = FaultClass::special;
  v.suspect = true;
  v.total = 231;
  v.wrong = 33;
  v.unspecified = {0, 1, 2, 3, 4};
  v.nan_expected = 5, v.nan_got = 6, v.inf_expected = 7, v.inf_got = 8, v.zero = 9, v.subnormal = 10;
  v.max_ratio = inf;
  v.worst = {.tensor = 1,
             .element = 1,
             .at = {0, 1},
             .got = nan,
             .reference = -inf,
             .lo = -inf,
             .hi = -0.0,
             .ratio = inf,
             .ulps = -(std::int64_t{1} << 62),
             .got_bits_are_poison = true};
  v.location = ErrorPlace::last_row;
  f.attributes["run"] = "other order";
  f.outputs[0].call = 1;
  // NaNs with payloads of their own: the bits of fp16 0x7e5a and 0xfc01.
  f.outputs[0].data = {std::byte{0x5a}, std::byte{0x7e}, std::byte{0x01},
                       std::byte{0xfc}, std::byte{0},    std::byte{0x80}};
  f.outputs[0].hash = hash_bytes(f.outputs[0].data.data(), 6);
  f.inputs.push_back(tensor(2, "mask", "in", DType::u8, {0, 4}, {}));
  f.inputs.push_back(tensor(3, "index", "in", DType::i64, {2}, {-1, 1 << 30}));
  return f;
}

}  // namespace warpfuzz::samples
