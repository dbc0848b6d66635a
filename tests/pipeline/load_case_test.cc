// Files that hold a case, as the engine reads them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "fake_target.h"
#include "pipeline/load_case.h"
#include "pipeline/target.h"
#include "schema/fill/fill.h"

namespace warpfuzz::test {
namespace {

Target with_dtypes(std::initializer_list<DType> dtypes) {
  Target t = identity_target(0, 0);
  t.spec.dtypes(dtypes);
  return t;
}

// A .wfz of this case, as a campaign of target t would write it.
std::string write(const Target& t, const TestCase& c) {
  Finding f;
  f.target = t.name, f.op = t.schema().op, f.fault = FaultClass::value;
  f.bytes = encode(t.schema(), c);
  f.text = to_text(t.schema(), c, "value");
  const std::string path = testing::TempDir() + "load_case_" + std::to_string(getpid()) + ".wfz";
  EXPECT_EQ(write_wfz(path, f), "");
  return path;
}

TEST(LoadCase, AFindingOfACampaignThatHeldADtypeKeepsThatDtype) {
  Target held = with_dtypes({f32, f16, bf16});
  ASSERT_EQ(hold_dtype(held.spec, "bf16"), "");
  TestCase c;
  c.dims[0] = 5;
  const std::string path = write(held, c);
  const Target usual = with_dtypes({f32, f16, bf16});
  const Result<LoadedCase> loaded = load_case(usual, path);
  std::remove(path.c_str());
  ASSERT_EQ(loaded.line(), "");
  const TestCase now = decode(usual.schema(), loaded->bytes);
  EXPECT_EQ(usual.schema().dtypes[now.dtype].name, "bf16");
  EXPECT_EQ(now.dims[0], 5u);
}

TEST(LoadCase, BytesStandInForATextThatTheTargetDoesNotTake) {
  const Target wide = with_dtypes({f32, f16});
  TestCase c;
  c.dtype = 1, c.dims[0] = 7;
  const std::string path = write(wide, c);
  const Target narrow = with_dtypes({f32});
  const Result<LoadedCase> loaded = load_case(narrow, path);
  std::remove(path.c_str());
  ASSERT_EQ(loaded.line(), "");
  EXPECT_EQ(decode(narrow.schema(), loaded->bytes).dims[0], 7u);
}

}  // namespace
}  // namespace warpfuzz::test
