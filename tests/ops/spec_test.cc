// Narrowing: what it does to the schema, how it reads, and the one line that each mistake gives.
#include "ops/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "schema/codec/codec.h"

namespace warpfuzz {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Spec, BuiltInOpsAreUsable) {
  EXPECT_EQ(ops::softmax().validate(), "");
  EXPECT_EQ(ops::layernorm().validate(), "");
  EXPECT_EQ(ops::rmsnorm().validate(), "");
  EXPECT_EQ(ops::matmul().validate(), "");
  EXPECT_EQ(ops::gelu().dialect("form=tanh").validate(), "");
  for (const Op& op : ops::all()) {
    EXPECT_FALSE(op.summary.empty());
    EXPECT_EQ(op.schema.validate(), "") << op.schema.op;
  }
}

TEST(Spec, AnAlgorithmIsOneThatTheOpHas) {
  EXPECT_EQ(ops::attention().algorithm(), "");
  const TargetSpec flash = ops::attention().algorithm("flash");
  EXPECT_EQ(flash.validate(), "");
  EXPECT_EQ(flash.algorithm(), "flash");
  EXPECT_TRUE(flash.narrowings().empty()) << "it narrows nothing";
  EXPECT_EQ(ops::attention().algorithm("flush").validate(),
            "op attention: algorithm: expected one of this op (flash); got 'flush'");
  EXPECT_EQ(ops::softmax().algorithm("flash").validate(),
            "op softmax: algorithm: expected one of this op (none); got 'flash'");
}

// docs/ops.md against the registry: name, summary and largest dims of each op, in its order.
TEST(Spec, ThePageHasTheTableOfOps) {
  std::ifstream in(WARPFUZZ_OPS_PAGE);
  ASSERT_TRUE(in) << WARPFUZZ_OPS_PAGE;
  std::stringstream page;
  page << in.rdbuf();
  std::string table;
  for (const Op& op : ops::all()) {
    std::string dims;
    for (const DimSpec& d : op.schema.dims) dims += (dims.empty() ? "" : ", ") + d.name + " " + std::to_string(d.max);
    table += "| `ops::" + op.schema.op + "()` | " + op.summary + " | " + dims + " |\n";
  }
  EXPECT_THAT(page.str(), HasSubstr("|---|---|---|\n" + table + "\n")) << table;
}

TEST(Spec, NarrowingsReadLikeConditions) {
  const TargetSpec s = ops::softmax().dtypes({f32, f16}).where("cols", at_most(4096)).where("rows", between(2, 64));
  EXPECT_THAT(s.narrowings(), ElementsAre("dtypes fp32, fp16", "cols <= 4096", "2 <= rows <= 64"));
  EXPECT_EQ(s.schema().dims[1].max, 4096u);
  EXPECT_EQ(s.validate(), "");
}
TEST(Spec, MultiplesMoveBothEnds) {
  const TargetSpec s = ops::layernorm().where("cols", multiple_of(4));
  const DimSpec& cols = s.schema().dims[1];
  EXPECT_EQ(cols.multiple_of, 4u);
  EXPECT_EQ(cols.min, 4u);
  EXPECT_EQ(cols.max, 4096u);
  EXPECT_THAT(s.narrowings(), ElementsAre("cols % 4 == 0"));
  const TargetSpec both = ops::matmul().where("K", at_most(100)).where("K", multiple_of(8)).where("K", multiple_of(12));
  EXPECT_EQ(both.schema().dims[2].multiple_of, 24u);
  EXPECT_EQ(both.schema().dims[2].max, 96u);
}
TEST(Spec, ADeclaredMaximumReplacesTheOpsOwn) {
  const TargetSpec wide = ops::rmsnorm().where("cols", at_most(16384));
  EXPECT_EQ(wide.schema().dims[1].max, 16384u);
  EXPECT_THAT(wide.narrowings(), ElementsAre("cols <= 16384"));
  EXPECT_EQ(wide.validate(), "");
  EXPECT_TRUE(wide.declares_max(1));
  EXPECT_FALSE(wide.declares_max(0));
  const auto cols = [](const TargetSpec& s) { return s.schema().dims[1]; };
  EXPECT_EQ(cols(ops::softmax().where("cols", between(5000, 8192))).min, 5000u);
  EXPECT_EQ(cols(ops::softmax().where("cols", between(5000, 8192))).max, 8192u);
  EXPECT_EQ(cols(ops::softmax().where("cols", exactly(8192))).min, 8192u);
  EXPECT_EQ(cols(ops::softmax().where("cols", multiple_of(1024, 32768))).max, 32768u);
  EXPECT_EQ(cols(ops::softmax().where("cols", at_least(64))).max, 4097u) << "says nothing of the largest";
  const TargetSpec heads = ops::attention().where("D", exactly(256));
  EXPECT_EQ(heads.validate(), "");
  EXPECT_EQ(decode(heads.schema(), {}).dims[3], 256u);
}
TEST(Spec, MoreThanOneDeclaredMaximumNarrow) {
  EXPECT_EQ(ops::softmax().where("cols", at_most(16384)).where("cols", at_most(8192)).schema().dims[1].max, 8192u);
  EXPECT_EQ(ops::softmax().where("cols", at_most(8192)).where("cols", at_most(16384)).schema().dims[1].max, 8192u);
  const TargetSpec own = TargetSpec::custom("copy").dim("n", 100).where("n", at_most(200));
  EXPECT_EQ(own.schema().dims[0].max, 100u);
  EXPECT_TRUE(own.declares_max(0));
}
TEST(Spec, DecodingStaysInside) {
  const TargetSpec s =
      ops::layernorm().dtypes({bf16}).where("cols", multiple_of(4, 64)).where("rows", exactly(3)).require("gamma");
  for (int i = 0; i < 500; ++i) {
    Bytes b(60);
    for (std::size_t k = 0; k < b.size(); ++k) b[k] = static_cast<std::uint8_t>(i * 37 + k * 11 + i / 7);
    const TestCase c = decode(s.schema(), b);
    EXPECT_EQ(c.dims[0], 3u);
    EXPECT_EQ(c.dims[1] % 4, 0u);
    EXPECT_LE(c.dims[1], 64u);
    EXPECT_TRUE(c.tensors[s.schema().tensor_index("gamma")].present);
  }
}
TEST(Spec, MixedDtypesComeBehindTheSameOnes) {
  const TargetSpec s = ops::matmul().dtypes({f16}).mixed({mixed_dtype(f16, f32)});
  ASSERT_EQ(s.schema().dtypes.size(), 2u);
  EXPECT_EQ(s.schema().dtypes[1].name, "fp16->fp32");
  EXPECT_THAT(s.narrowings(), ElementsAre("dtypes fp16, fp16->fp32"));
  const TargetSpec only = ops::matmul().mixed({mixed_dtype(bf16, f32)});
  ASSERT_EQ(only.schema().dtypes.size(), 1u);
}
TEST(Spec, ScalarsLaunchParametersWorkspacesLayouts) {
  const TargetSpec s = ops::rmsnorm()
                           .scalar("eps", {1e-5})
                           .launch_parameter("block", {32, 256})
                           .workspace("partial", TensorType::fp32, {"rows"})
                           .layouts("x", {.offset = true, .padded = true})
                           .single_call()
                           .caps(100, 200);
  EXPECT_EQ(s.validate(), "");
  EXPECT_EQ(s.schema().scalar_index("block"), 1);
  EXPECT_EQ(s.schema().tensors.back().role, Role::workspace);
  EXPECT_TRUE(s.schema().tensors[0].layouts.padded);
  EXPECT_FALSE(s.schema().second_call);
  EXPECT_THAT(s.narrowings(), ElementsAre("eps in {1e-05}", "block in {32, 256}", "x: contiguous, offset, padded",
                                          "one call", "at most 100 elements, work 200"));
}

TEST(Spec, MistakesAreOneLineThatSaysWhatWasExpected) {
  const auto expect = [](const TargetSpec& s, const char* text) {
    EXPECT_THAT(s.validate(), HasSubstr(text));
    EXPECT_EQ(s.validate().find('\n'), std::string::npos);
  };
  expect(ops::softmax().where("columns", at_most(4)),
         "op softmax: where: expected a dim of this op (rows, cols); got 'columns'");
  expect(ops::softmax().where("cols", between(10, 5)), "no value is left");
  expect(ops::softmax().where("rows", at_most(100)).where("rows", multiple_of(101)),
         "no value is left between 101 and 100");
  expect(ops::softmax().where("rows", multiple_of(0)), "a multiple of 0");
  expect(ops::softmax().where("cols", at_most(40000)), "where cols: 40000 is beyond 32768");
  expect(ops::softmax().where("cols", at_least(5000)), "at least 5000 is beyond 4097");
  expect(ops::softmax().scalar("eps", {1}), "expected a scalar of this op (none); got 'eps'");
  expect(ops::layernorm().scalar("eps", {}), "expected at least one value");
  expect(ops::softmax().layouts("z", {}), "expected a tensor of this op (x, y); got 'z'");
  expect(ops::softmax().require("x"), "tensor 'x' is not optional");
  expect(ops::softmax().dtypes({DType::i32}), "expected fp32, fp16 or bf16; got int32");
  expect(ops::softmax().dtypes({}), "at least one dtype");
  expect(ops::softmax().dialect("fats"), "dialect: expected one of fast, tanh.approx, tanh.approx=portable, tc, tf32");
  expect(ops::softmax().dialect("form=erf"), "this op has no forms");
  expect(ops::gelu(), "no default form; declare .dialect(\"form=...\") as one of form=erf, form=tanh, form=either");
  expect(ops::gelu().dialect("form=exp"), "expected one of form=erf, form=tanh, form=either; got 'form=exp'");
  expect(ops::l2norm(), "declare .dialect(\"form=...\") as one of form=max, form=sqrt, form=add");
  expect(ops::tanh().dialect("via=expm1"), "op tanh: dialect: expected one of via=exp; got 'via=expm1'");
  expect(ops::softmax().dialect("via=exp"), "op softmax: dialect 'via=exp': this op has no other formulas");
  expect(ops::softmax().input("z", {"rows"}), "only custom ops");
  expect(ops::softmax().dim("z", 4), "only custom ops");
  expect(ops::softmax().caps(0, 1), "at least one element");
  expect(ops::softmax().workspace("x", TensorType::fp32, {"rows"}), "is there twice");
  expect(ops::rmsnorm().launch_parameter("eps", {1}), "the op has a scalar of that name");
  expect(ops::softmax().constraint({"cols even", nullptr, nullptr}), "expected both a repair and a test");
  expect(ops::softmax().where("a", at_most(1)).where("b", at_most(1)), "got 'a'");  // the first mistake stays
}

TEST(Spec, EveryDialectNameIsKnownDeclaredAndPrinted) {
  for (const std::string& name : dialect_names()) {
    if (name == "form=..." || name == "via=...") continue;
    Dialects d;
    EXPECT_EQ(declare_dialect(d, name), "");
    EXPECT_NE(describe(d), "none") << name;
    EXPECT_FALSE(declared_dialects(d).empty());
    Dialects again;  // what describe() prints can be declared again
    EXPECT_EQ(declare_dialect(again, describe(d)), "");
    EXPECT_EQ(describe(again), describe(d));
  }
  Dialects d;
  EXPECT_EQ(declare_dialect(d, "form=tanh"), "");
  EXPECT_EQ(d.form, "tanh");
  EXPECT_EQ(declare_dialect(d, "via=exp"), "");
  EXPECT_EQ(d.via, "exp");
  EXPECT_EQ(describe(d), "form=tanh via=exp");
  EXPECT_THAT(declared_dialects(d), ElementsAre("form=tanh", "via=exp"));
  EXPECT_NE(declare_dialect(d, "form="), "");
  EXPECT_NE(declare_dialect(d, "via="), "");
  EXPECT_NE(declare_dialect(d, ""), "");
}

TEST(Spec, CustomOps) {
  TargetSpec s = TargetSpec::custom("scale").dim("n", 64).input("x", {"n"}).output("y", {"n"});
  EXPECT_THAT(s.validate(), StartsWith("op scale: has no reference"));
  s.reference([](const RefContext&, std::vector<Reference>&) {});
  EXPECT_EQ(s.validate(), "");
  EXPECT_THAT(TargetSpec::custom("t").dim("n", 4).input("x", {"m"}).validate(),
              HasSubstr("expected dims of this op (n); got 'm'"));
  EXPECT_THAT(TargetSpec::custom("t").dim("n", 4).dim("n", 4).validate(), HasSubstr("there twice"));
  EXPECT_THAT(TargetSpec::custom("t").dim("n", 4, 8).validate(), HasSubstr("max >= min"));
}

}  // namespace
}  // namespace warpfuzz
