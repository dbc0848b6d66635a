// Variants of failing cases: which are shown by ordinary values, and that shrinking keeps it.
#include <gtest/gtest.h>

#include <cmath>

#include "fake_target.h"
#include "findings/variant.h"
#include "pipeline/shrink.h"
#include "pipeline/variant_probe.h"
#include "schema/codec/wire.h"
#include "schema/fill/fill.h"

namespace warpfuzz::test {
namespace {

const Target kTarget = identity_target(0, 0);

TestCase with_override(std::uint16_t value) {
  TestCase c = decode(kTarget.schema(), {});
  c.dims[0] = 5;
  c.overrides.push_back({});
  c.overrides[0].value = value;
  return c;
}
constexpr std::uint16_t special(int index) { return static_cast<std::uint16_t>(wire::kSpecial | index); }
constexpr int kMinSubnormal = 2;

bool is_subnormal(float x) { return x != 0 && std::fabs(x) < 0x1p-126f; }

// A kernel that adds 1 wherever `wrong` says so.
FakeBackend wrong_where(bool (*wrong)(float)) {
  return FakeBackend([wrong](const std::vector<float>& x, const FakeRun&) {
    std::vector<float> y = x;
    for (float& v : y)
      if (wrong(v)) v += 1;
    return y;
  });
}

std::string variant_in(FakeBackend& backend, const TestCase& c) {
  RunSettings settings;
  settings.extra_run_one_in = 0;
  const CaseResult r = run_case(kTarget, backend, c, settings);
  EXPECT_EQ(r.fault, FaultClass::value);
  return find_variant(kTarget, backend, r);
}

TEST(Variant, OrdinaryInputsAreOrdinaryWithoutARun) {
  FakeBackend backend = wrong_where([](float) { return true; });
  EXPECT_EQ(variant_in(backend, with_override(0x3c00)), kOrdinary);
  EXPECT_EQ(backend.runs, 1);
}

TEST(Variant, SpecialValuesThatDoNotMatterLeaveItOrdinary) {
  FakeBackend backend = wrong_where([](float) { return true; });
  EXPECT_EQ(variant_in(backend, with_override(special(kMinSubnormal))), kOrdinary);
}

TEST(Variant, ItTakesASpecialValue) {
  FakeBackend backend = wrong_where(is_subnormal);
  EXPECT_EQ(variant_in(backend, with_override(special(kMinSubnormal))), kSpecial);
}

TEST(Variant, SmallNumbersThatShowItTooMakeItOrdinary) {
  FakeBackend backend = wrong_where([](float x) { return x != 0 && std::fabs(x) < 0.01f; });
  EXPECT_EQ(variant_in(backend, with_override(special(kMinSubnormal))), kOrdinary);
}

TEST(Variant, NoneForOtherClasses) {
  FakeBackend backend = wrong_where(is_subnormal);
  CaseResult r;
  r.fault = FaultClass::oob_read;
  EXPECT_EQ(find_variant(kTarget, backend, r), "");
  EXPECT_EQ(backend.runs, 0);
}

// Two bugs: shrinking the case that shows one must not end at the other.
TEST(Variant, ShrinkingKeepsIt) {
  const auto two_bugs = [](float x) { return is_subnormal(x) || (x > 4 && x < 8); };
  for (const bool special_one : {true, false}) {
    FakeBackend backend = wrong_where(two_bugs);
    TestCase c = with_override(special_one ? special(kMinSubnormal) : 0x4600 /* 6 */);
    c.dims[0] = 40;
    if (!special_one) {
      c.overrides.push_back(c.overrides[0]);
      c.overrides[1].at[0] = 7;
      c.overrides[1].value = special(7);  // -max, which is right
    }
    RunSettings settings;
    settings.extra_run_one_in = 0;
    const CaseResult start = run_case(kTarget, backend, c, settings);
    ASSERT_EQ(start.fault, FaultClass::value);
    const Shrunk s = shrink(kTarget, backend, start, 10, {});
    EXPECT_TRUE(s.complete);
    EXPECT_EQ(s.best.inputs[0].values[0].size(), 1u);
    EXPECT_EQ(find_variant(kTarget, backend, s.best), special_one ? kSpecial : kOrdinary);
    EXPECT_EQ(has_ordinary_inputs(kTarget, s.best), !special_one);
  }
}

}  // namespace
}  // namespace warpfuzz::test
