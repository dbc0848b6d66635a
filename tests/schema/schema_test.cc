// Well-formedness of schemas, dtype combinations, fault names.
#include "schema/schema.h"

#include <gtest/gtest.h>

#include "schema/dims.h"
#include "schema/fault.h"
#include "schemas.h"

namespace warpfuzz {
namespace {

TEST(Schema, LookUps) {
  const Schema s = testing::matmul_schema();
  EXPECT_EQ(s.dim_index("K"), 2);
  EXPECT_EQ(s.dim_index("k"), -1);
  EXPECT_EQ(s.tensor_index("bias"), 2);
  EXPECT_EQ(s.flag_index("transB"), 1);
  EXPECT_EQ(s.scalar_index("eps"), -1);
}

TEST(Schema, DTypeCombinations) {
  EXPECT_EQ(same_dtype(DType::f32).name, "fp32");
  const DTypeCombo m = mixed_dtype(DType::f16, DType::f32);
  EXPECT_EQ(m.name, "fp16->fp32");
  EXPECT_EQ(m.in, DType::f16);
  EXPECT_EQ(m.out, DType::f32);
  EXPECT_EQ(mixed_dtype(DType::bf16, DType::bf16).name, "bf16");
}

TEST(Schema, ValidateNamesTheFault) {
  const auto broken = [](auto change) {
    Schema s = testing::rows_schema();
    change(s);
    return s.validate();
  };
  EXPECT_EQ(broken([](Schema&) {}), "");
  EXPECT_EQ(broken([](Schema& s) { s.op.clear(); }), "schema: op has no name");
  EXPECT_EQ(broken([](Schema& s) { s.dtypes.clear(); }), "schema 'rows': expected 1..255 dtypes, got 0");
  EXPECT_EQ(broken([](Schema& s) { s.tensors.clear(); }), "schema 'rows': no tensor; a case needs at least one");
  EXPECT_EQ(broken([](Schema& s) { s.dims[0].max = 40000; }),
            "schema 'rows': dim 'rows': max is 40000; expected 1..32768");
  EXPECT_EQ(broken([](Schema& s) { s.dims[0] = {.name = "rows", .max = 7, .min = 5, .multiple_of = 4}; }),
            "schema 'rows': dim 'rows': no value between 5 and 7 is a multiple of 4; widen the range");
  EXPECT_EQ(broken([](Schema& s) { s.dims[0].name = "x"; }), "schema 'rows': the name 'x' is used twice");
  EXPECT_EQ(broken([](Schema& s) { s.dims[0].name = "dtype"; }),
            "schema 'rows': 'dtype' cannot be a name; use letters, digits, '_' and '.', no reserved word");
  EXPECT_EQ(broken([](Schema& s) { s.tensors[0].shape = {0, 2}; }),
            "schema 'rows': tensor 'x': shape names dim 2 of 2; use the index of a dim or minus a constant");
  EXPECT_EQ(broken([](Schema& s) { s.tensors[0].type = TensorType::index32; }),
            "schema 'rows': tensor 'x': an index tensor needs index_dim, the dim that its values are below");
  EXPECT_EQ(broken([](Schema& s) { s.tensors[1].layouts.stride0 = true; }),
            "schema 'rows': tensor 'y': stride 0 is for input tensors only");
  EXPECT_EQ(broken([](Schema& s) { s.scalars[0].values.clear(); }),
            "schema 'rows': scalar 'scale': expected 1..256 values, got 0");
  EXPECT_EQ(
      broken([](Schema& s) { s.max_elements = 1; }),
      "schema 'rows': dims do not settle within the caps and constraints (rows=1 cols=1); check the constraints' repair, "
      "max_elements and max_work");
  EXPECT_NE(broken([](Schema& s) {
              s.constraints = {{"never", [](Dims& d) { d[0] = d[0] == 1 ? 2 : 1; }, [](const Dims&) { return false; }}};
            }),
            "");
}

TEST(Dims, TheOthersMakeRoom) {
  Schema s = testing::rows_schema();
  s.dims[1].max = 16384;
  s.max_elements = 2 * 16384 * 8;
  Dims dims{1000, 16000}, halved = dims;
  make_room(s, dims, 1);
  EXPECT_EQ(dims[1], 16000u);
  EXPECT_EQ(dims[0], 7u);  // 1000 halved until it fits
  ASSERT_TRUE(fit_dims(s, halved));
  EXPECT_LT(halved[1], 16000u) << "what fit_dims does alone";
  EXPECT_EQ(largest_that_fits(s, 1), 16384u);
  s.max_elements = 2 * 10000;
  EXPECT_EQ(largest_that_fits(s, 1), 10000u);
  s.dims[1].multiple_of = 64;
  EXPECT_EQ(largest_that_fits(s, 1), 9984u);
  make_room(s, dims = {3, 16384}, 1);  // it can't: as small as the others get
  EXPECT_EQ(dims, (Dims{1, 16384}));
}

TEST(Fault, NamesRoundTrip) {
  for (int i = 0; i <= static_cast<int>(FaultClass::unsupported); ++i) {
    const auto f = static_cast<FaultClass>(i);
    EXPECT_EQ(fault_from_name(fault_name(f)), f);
  }
  EXPECT_EQ(fault_name(FaultClass::assertion), "assert");
  EXPECT_EQ(fault_name(FaultClass::input_changed), "input-changed");
  EXPECT_EQ(fault_name(FaultClass::oob_read), "oob-read");
  EXPECT_EQ(fault_from_name("timeout"), std::nullopt);
}

TEST(Fault, Places) {
  Place p;
  EXPECT_EQ(describe(p), "outside of a kernel");
  p.kernel = "softmax_kernel";
  p.thread[0] = 5;
  EXPECT_EQ(describe(p), "kernel softmax_kernel, block (0,0,0), thread (5,0,0)");
  p.file = "softmax.cu";
  p.line = 31;
  EXPECT_EQ(describe(p), "kernel softmax_kernel, block (0,0,0), thread (5,0,0), softmax.cu:31");
}

}  // namespace
}  // namespace warpfuzz
