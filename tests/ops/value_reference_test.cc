// References from plain values: a formula of the target's own, or another kernel.
#include "ops/value_reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "problem.h"

namespace warpfuzz::test {
namespace {

TargetSpec scale(ReferenceFn fn) {
  return TargetSpec::custom("scale").dim("n", 64).input("x", {"n"}).output("y", {"n"}).reference(std::move(fn));
}
const ValueFn kTwice = [](const RefContext& c, std::vector<std::vector<double>>& v) {
  for (const float x : c.in[0]) v[1].push_back(2.0 * x);
};

TEST(ValueReference, BoundFollowsTheModel) {
  Problem p(scale(reference_from_values(kTwice, {3, 0.5})), {{"n", 4}});
  const Reference ref = p.set("x", {1, -4, INFINITY, NAN}).reference();
  EXPECT_EQ(ref.r[1], -8);
  EXPECT_DOUBLE_EQ(ref.e[1], 0x1p-24 * 3 * 8 + 0.5 + 0x1p-125);
  EXPECT_EQ(ref.e_rig[1], ref.e[1]);
  EXPECT_EQ(ref.r[2], INFINITY);
  EXPECT_EQ(ref.e[2], 0);
  EXPECT_EQ(ref.flags[3], kNanRequired);
}
TEST(ValueReference, Copies) {
  Problem p(scale(bit_equal_reference(kTwice)), {{"n", 2}});
  const Reference ref = p.set("x", {-0.0f, NAN}).reference();
  EXPECT_EQ(ref.flags[0], kBitEqual);
  EXPECT_TRUE(std::signbit(ref.r[0]));
  EXPECT_EQ(ref.flags[1], kNanRequired);
}
TEST(ValueReference, AWrongNumberOfValuesIsSaid) {
  Problem p(
      scale(reference_from_values([](const RefContext&, std::vector<std::vector<double>>& v) { v[1] = {1}; }, {1, 0})),
      {{"n", 3}});
  try {
    p.reference();
    FAIL();
  } catch (const std::logic_error& e) {
    EXPECT_STREQ(e.what(), "op scale: its reference gave 1 values of tensor 'y', expected 3");
  }
}
TEST(RefContext, UnknownNamesAreDefectsOfTheOp) {
  Problem p(scale([](const RefContext& c, std::vector<Reference>&) { c.dim("rows"); }), {{"n", 3}});
  EXPECT_THROW(p.reference(), std::logic_error);
  Problem q(scale([](const RefContext& c, std::vector<Reference>&) { c.scalar("eps"); }), {{"n", 3}});
  EXPECT_THROW(q.reference(), std::logic_error);
}

}  // namespace
}  // namespace warpfuzz::test
