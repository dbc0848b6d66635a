// The table that is compiled in, the choice of a row, and the line that each malformed table gives.
#include "oracle/tolerance_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/spec.h"
#include "oracle/judge.h"

namespace warpfuzz {
namespace {

using testing::HasSubstr;

const std::string kGood = R"(table_version = 7
[default.fp32]
c = 1
c0 = 4
lam = 1
kap = 4
ftz = "allowed"
store = "rn"
[default.fp16]
c = 1
c0 = 4
lam = 1
kap = 4
ftz = "allowed"
store = "rn"
[default.bf16]
c = 1
c0 = 4
lam = 1
kap = 4
ftz = "allowed"
store = "rn"
[matmul.fp16]
c = 1.5
c0 = 2
lam = 0.5
kap = 2
ftz = "never"
store = "rz"
evidence = {runs = 60000, max_ratio = 0.62, control = "matmul_ilp", twin = "matmul_twin", twin_failed = 0.75, seed = 20260, date = "2026-01-31", table_version = 7}
[matmul.fp16.tc]
c = 2
c0 = 4
lam = 1
kap = 4
ftz = "allowed"
store = "rn"
)";
std::string edited(const std::string& from, const std::string& to) {
  std::string s = kGood;
  const auto at = s.rfind(from);
  EXPECT_NE(at, std::string::npos);
  return s.replace(at, from.size(), to);
}

TEST(ToleranceTable, ReadsRowsAndDialectRows) {
  const ToleranceTable t = parse_tolerance_table(kGood, "t.toml");
  ASSERT_EQ(t.error, "");
  EXPECT_EQ(t.version, 7);
  EXPECT_EQ(t.rows.size(), 5u);
  const ToleranceRow& r = t.rows.at("matmul.fp16");
  EXPECT_EQ(r.name, "matmul.fp16");
  EXPECT_EQ(r.table_version, 7);
  EXPECT_EQ(r.c, 1.5);
  EXPECT_EQ(r.lam, 0.5);
  EXPECT_FALSE(r.ftz);
  EXPECT_EQ(r.store, Store::toward_zero);
  EXPECT_EQ(t.rows.at("matmul.fp16.tc").c, 2);
}

TEST(ToleranceTable, ReadsEvidence) {
  const ToleranceTable t = parse_tolerance_table(kGood, "t.toml");
  ASSERT_EQ(t.evidence.size(), 1u);
  const Evidence& e = t.evidence.at("matmul.fp16");
  EXPECT_EQ(e.runs, 60000u);
  EXPECT_EQ(e.max_ratio, 0.62);
  EXPECT_EQ(e.p99, 0) << "absent";
  EXPECT_EQ(e.control, "matmul_ilp");
  EXPECT_EQ(e.twin, "matmul_twin");
  EXPECT_EQ(e.twin_failed, 0.75);
  EXPECT_EQ(e.seed, 20260u);
  EXPECT_EQ(e.date, "2026-01-31");
  EXPECT_EQ(e.table_version, 7);
}

TEST(ToleranceTable, MistakesAreOneLine) {
  const auto expect = [](const std::string& text, const char* message) {
    const ToleranceTable t = parse_tolerance_table(text, "t.toml");
    EXPECT_THAT(t.error, HasSubstr(message));
    EXPECT_THAT(t.error, testing::StartsWith("t.toml: "));
    EXPECT_EQ(t.error.find('\n'), std::string::npos);
  };
  expect(edited("kap = 2\n", ""), "[matmul.fp16]: key 'kap' is missing; expected c, c0, lam, kap, ftz, store");
  expect(edited("kap = 2\n", "kap = -1\n"), "[matmul.fp16]: key 'kap': expected a number from 0 to 1e6");
  expect(edited("kap = 2\n", "kap = \"2\"\n"), "key 'kap': expected a number");
  expect(edited("c = 1.5", "c = 0.5"), "key 'c': expected a number from 1");
  expect(edited("c = 1.5", "c = nan"), "key 'c': expected a number from 1");
  expect(edited("ftz = \"never\"", "ftz = false"), "key 'ftz': expected one of allowed, never");
  expect(edited("store = \"rz\"", "store = \"up\""), "key 'store': expected one of rn, rz, rd, ru; got 'up'");
  expect(edited("kap = 2\n", "kap = 2\nkup = 2\n"), "key 'kup' is unknown");
  expect(edited("[matmul.fp16.tc]", "[matmul.fp16.tensor]"),
         "[matmul.fp16.tensor]: expected 'evidence' or a dialect of fast");
  expect(edited("[default.bf16]", "[default.fp8]"), "[default.fp8]: expected a floating dtype");
  expect(edited("runs = 60000", "ran = 60000"), "[matmul.fp16.evidence]: key 'ran' is unknown");
  expect(edited("runs = 60000", "runs = -1"), "[matmul.fp16.evidence]: key 'runs': expected a whole number");
  expect(edited("runs = 60000", "runs = 0.5"), "[matmul.fp16.evidence]: key 'runs': expected a whole number");
  expect(edited("max_ratio = 0.62", "max_ratio = nan"), "key 'max_ratio': expected a number of at least 0");
  expect(edited("twin = \"matmul_twin\"", "twin = 3"), "[matmul.fp16.evidence]: key 'twin': expected text");
  expect(edited("table_version = 7\n[default", "table_version = 0\n[default"),
         "table_version: expected a whole number");
  expect(edited("table_version = 7\n[default", "[default"), "expected table_version = N");
  expect(edited("[default.bf16]", "[other.bf16]"), "[default.bf16]: expected this row");
  expect(edited("c = 1.5", "c = "), "line ");
  expect(edited("c = 1.5", "c = 1.5\nc = 2"), "line ");
  expect("", "expected table_version");
}

TEST(ToleranceTable, TheOneCompiledInHasARowForEveryOpAndDtype) {
  const ToleranceTable t = parse_tolerance_table(tolerance_table_text(), "tolerances.toml");
  ASSERT_EQ(t.error, "");
  EXPECT_EQ(t.version, tolerance_table_version());
  for (const Op& op : ops::all())
    for (const DType d : {f32, f16, bf16}) {
      const ToleranceRow& row = tolerance_row(op.schema.op, d, {});
      EXPECT_EQ(row.name, op.schema.op + "." + std::string(dtype_name(d)));
      EXPECT_GE(row.c, 1);
      EXPECT_EQ(row.c0, 4);
      EXPECT_EQ(row.lam, 1);
      EXPECT_EQ(row.kap, 4);
      EXPECT_TRUE(row.ftz);
    }
}
// A row must keep a trusted kernel in, and its lower-precision twin out.
TEST(ToleranceTable, EveryRowOfAnOpHasEvidence) {
  for (const Op& op : ops::all())
    for (const DType d : {f32, f16, bf16}) {
      const ToleranceRow& row = tolerance_row(op.schema.op, d, {});
      const Evidence* e = tolerance_evidence(row.name);
      ASSERT_TRUE(e) << row.name << ": scripts/calibrate-all writes it";
      EXPECT_GT(e->runs, 0u) << row.name;
      EXPECT_LE(e->max_ratio, row.c) << row.name;
      EXPECT_EQ(e->table_version, row.table_version) << row.name;
      EXPECT_NE(e->control, "") << row.name;
      // Without a twin: an output of one rounding, or of none, is what a kernel of lower precision computes too.
      if (e->twin.empty())
        EXPECT_LE(e->max_ratio, 0.5) << row.name << ": an error of its own could be told from a twin's";
      else EXPECT_GE(e->twin_failed, 0.05) << row.name << ": the row does not tell " << e->twin;
    }
  EXPECT_FALSE(tolerance_evidence("default.fp32"));
}
TEST(ToleranceTable, UnknownOpsAndDtypesFallBack) {
  EXPECT_EQ(tolerance_row("scale", f16, {}).name, "default.fp16");
  EXPECT_EQ(tolerance_row("scale", DType::f64, {}).name, "default.fp32");
  EXPECT_EQ(tolerance_row("argmax", DType::i32, {}).name, "default.fp32");
  Dialects d;
  d.tc = true;
  EXPECT_EQ(tolerance_row("matmul", f16, d).name, "matmul.fp16") << "a dialect without a row of its own";
}

}  // namespace
}  // namespace warpfuzz
