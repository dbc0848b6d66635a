// Schemas for the tests of this layer.
#include "schemas.h"

namespace warpfuzz::testing {

Schema rows_schema() {
  Schema s;
  s.op = "rows";
  s.dtypes = {same_dtype(DType::f32), same_dtype(DType::f16), same_dtype(DType::bf16),
              mixed_dtype(DType::f16, DType::f32)};
  s.dims = {{.name = "rows", .max = 1024}, {.name = "cols", .max = 4096}};
  s.tensors = {
      {.name = "x", .shape = {0, 1}, .layouts = {true, true, true}},
      {.name = "y", .role = Role::out, .shape = {0, 1}, .type = TensorType::out, .layouts = {false, true, false}}};
  s.scalars = {{"scale", {1.0, 0.5, 1e-5, 3.25}}, {"block", {256, 128, 32, 256}}};
  s.flags = {{"log"}};
  s.max_elements = 1u << 18;
  return s;
}

Schema matmul_schema() {
  Schema s;
  s.op = "matmul";
  s.dtypes = {same_dtype(DType::f32), same_dtype(DType::f16), same_dtype(DType::bf16)};
  s.dims = {{.name = "M", .max = 1025}, {.name = "N", .max = 1025}, {.name = "K", .max = 2048}};
  s.tensors = {{.name = "a", .shape = {0, 2}},
               {.name = "b", .shape = {2, 1}},
               {.name = "bias", .shape = {1}, .type = TensorType::fp32, .optional = true},
               {.name = "c", .role = Role::out, .shape = {0, 1}, .type = TensorType::out}};
  s.flags = {{"transA"}, {"transB"}};
  s.max_work = 1u << 20;
  s.work = [](const Dims& d) { return std::uint64_t{d[0]} * d[1] * d[2]; };
  return s;
}

Schema heads_schema() {
  Schema s;
  s.op = "heads";
  s.dtypes = {same_dtype(DType::f16), mixed_dtype(DType::bf16, DType::f32)};
  s.dims = {{.name = "B", .max = 8}, {.name = "H", .max = 16}, {.name = "L", .max = 512}, {.name = "D", .max = 256}};
  s.tensors = {{.name = "q", .shape = {0, 1, 2, 3}, .layouts = {true, true, false}},
               {.name = "mask", .shape = {2, 2}, .type = TensorType::fp32, .optional = true},
               {.name = "scratch", .role = Role::workspace, .shape = {0, 1, 2}, .type = TensorType::fp32},
               {.name = "o", .role = Role::out, .shape = {0, 1, 2, 3}, .type = TensorType::out},
               {.name = "lse", .role = Role::out, .shape = {0, 1, 2}, .type = TensorType::fp32, .optional = true}};
  s.flags = {{"causal"}};
  s.constraints = {{"D is a multiple of H",
                    [](Dims& d) {
                      if (d[1] > d[3]) d[1] = d[3];
                      d[3] -= d[3] % d[1];
                    },
                    [](const Dims& d) { return d[3] % d[1] == 0; }}};
  s.max_elements = 1u << 16;
  s.second_call = false;
  return s;
}

Schema window_schema() {
  Schema s;
  s.op = "window";
  s.dtypes = {same_dtype(DType::f32), same_dtype(DType::f64)};
  s.dims = {{.name = "N", .max = 64, .min = 0},
            {.name = "W", .max = 1024, .min = 4, .multiple_of = 4},
            {.name = "k", .max = 7, .min = 1},
            {.name = "out", .max = 1024, .derive = [](const Dims& d) { return d[1] >= d[2] ? d[1] - d[2] + 1 : 1; }}};
  s.tensors = {{.name = "x", .role = Role::inout, .shape = {0, 1}},
               {.name = "w", .shape = {2, -3}},
               {.name = "s", .shape = {}},
               {.name = "y", .role = Role::out, .shape = {0, 3}, .type = TensorType::out}};
  s.scalars = {{"pad", {0, 1, 2}}};
  return s;
}

Schema gather_schema() {
  Schema s;
  s.op = "gather";
  s.dtypes = {same_dtype(DType::f32), same_dtype(DType::bf16)};
  s.dims = {{.name = "vocab", .max = 1000}, {.name = "n", .max = 300, .min = 0}, {.name = "d", .max = 128}};
  s.tensors = {{.name = "table", .shape = {0, 2}, .layouts = {true, false, true}},
               {.name = "idx", .shape = {1}, .type = TensorType::index32, .index_dim = 0},
               {.name = "wild", .shape = {1}, .type = TensorType::index64, .index_dim = 2, .out_of_range = true},
               {.name = "y", .role = Role::out, .shape = {1, 2}, .type = TensorType::out}};
  return s;
}

Schema gate_schema(std::uint32_t max, int dims) {
  Schema s;
  s.op = "gate";
  s.dtypes = {same_dtype(DType::f32)};
  TensorSpec x{.name = "x"};
  for (int i = 0; i < dims; ++i) {
    s.dims.push_back({.name = std::string(1, static_cast<char>('a' + i)), .max = max});
    x.shape.push_back(i);
  }
  TensorSpec y = x;
  y.name = "y";
  y.role = Role::out;
  s.tensors = {x, y};
  return s;
}

std::vector<Schema> all_schemas() {
  return {rows_schema(), matmul_schema(), heads_schema(), window_schema(), gather_schema(), gate_schema(256, 2)};
}

Bytes random_bytes(Rng& rng) {
  Bytes b(rng.below(901));
  const bool sparse = rng.chance(1, 4);
  for (auto& x : b) x = sparse && !rng.chance(1, 8) ? 0 : static_cast<std::uint8_t>(rng.next() >> 40);
  if (rng.chance(1, 8)) b.resize(b.size() + rng.below(600), 0);
  return b;
}

}  // namespace warpfuzz::testing
