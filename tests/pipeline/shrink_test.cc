// Shrinking keeps the fault class, ends, and reaches the simplest failing case even where failure is not monotone.
#include "pipeline/shrink.h"

#include <gtest/gtest.h>

#include "fake_target.h"
#include "schema/mutate/mutate.h"

namespace warpfuzz::test {
namespace {

CaseResult failing(const Target& t, Backend& b, std::uint32_t n) {
  TestCase c = decode(t.schema(), {});
  c.dims[0] = n;
  c.tensors[0].fill = fill_byte(Fill::normal);
  c.tensors[0].seed = 99;
  repair(t.schema(), c);
  RunSettings settings;
  settings.extra_run_one_in = 0;
  return run_case(t, b, c, settings);
}

TEST(Shrink, ReachesTheSmallestDimThatIsNotAPowerOfTwo) {
  const Target t = identity_target(0, 0);
  FakeBackend b([](auto x, const FakeRun&) {
    if (x.size() & (x.size() - 1)) x[0] += 1;
    return x;
  });
  const CaseResult start = failing(t, b, 57);
  ASSERT_EQ(start.fault, FaultClass::value);
  int steps = 0;
  const Shrunk s = shrink(t, b, start, 10, [&](const CaseResult&) { steps++; });
  EXPECT_TRUE(s.complete);
  EXPECT_EQ(s.best.test_case.dims[0], 3u);
  EXPECT_EQ(s.best.test_case.tensors[0].seed, 0u);
  EXPECT_EQ(steps, s.accepted);
  EXPECT_LT(complexity(t.schema(), s.best.test_case), complexity(t.schema(), start.test_case));
}

TEST(Shrink, KeepsTheFaultClass) {
  const Target t = identity_target(0, 0);
  // Small cases fail in another way; they must not be accepted.
  FakeBackend b([](auto x, const FakeRun&) {
    if (x.size() >= 20) x[0] += 1;
    return x;
  });
  b.status = [](const RunInput& in) {
    ExecStatus s;
    if (in.calls[0].values[0].size() < 20) s.fault = FaultClass::assertion;
    return s;
  };
  const Shrunk s = shrink(t, b, failing(t, b, 50), 10, {});
  EXPECT_EQ(s.best.fault, FaultClass::value);
  EXPECT_EQ(s.best.test_case.dims[0], 20u);
}

// Small cases are wrong as well, by far less: to stop there would make a false alarm of a gross error.
TEST(Shrink, KeepsAnErrorAboutAsLarge) {
  const Target t = identity_target(1e-6, 1e-6);
  FakeBackend b([](auto x, const FakeRun&) {
    x[0] += x.size() >= 20 ? 1e-3f : 2e-6f;
    return x;
  });
  const CaseResult start = failing(t, b, 50);
  ASSERT_GT(start.verdict.worst.ratio, 100);
  const Shrunk s = shrink(t, b, start, 10, {});
  EXPECT_TRUE(s.complete);
  EXPECT_EQ(s.best.test_case.dims[0], 20u);
  EXPECT_GE(s.best.verdict.worst.ratio, 16);
  // A small error may be shrunk to a quarter of itself.
  FakeBackend small([](auto x, const FakeRun&) {
    x[0] += x.size() >= 20 ? 1.2e-5f : x.size() >= 8 ? 4e-6f : 2e-6f;
    return x;
  });
  EXPECT_EQ(shrink(t, small, failing(t, small, 50), 10, {}).best.test_case.dims[0], 8u);
}

// Only what one element in the middle holds is computed wrongly: it becomes the first, with the contents that it had.
TEST(Shrink, OneElementOfManyBecomesTheFirst) {
  const Target t = identity_target(0, 0);
  FakeBackend right([](auto x, const FakeRun&) { return x; });
  const float sought = failing(t, right, 57).inputs[0].values[0][37];
  FakeBackend b([&](auto x, const FakeRun&) {
    for (float& v : x)
      if (v == sought) v += 1;
    return x;
  });
  const CaseResult start = failing(t, b, 57);
  ASSERT_EQ(start.verdict.worst.at, (std::vector<std::uint32_t>{37}));
  const Shrunk s = shrink(t, b, start, 10, {});
  EXPECT_EQ(to_text(t.schema(), s.best.test_case), "op: identity\ndtype: fp32\nn: 1 from 37\nx: normal seed=99\n");
  ASSERT_EQ(s.cases.size(), static_cast<std::size_t>(s.accepted) + 1);
  EXPECT_EQ(s.cases.front(), start.bytes);
  EXPECT_EQ(s.cases.back(), s.best.bytes);
}

TEST(Shrink, StopsByTheClock) {
  const Target t = identity_target(0, 0);
  FakeBackend b([](auto x, const FakeRun&) {
    x[0] += 1;
    return x;
  });
  const Shrunk s = shrink(t, b, failing(t, b, 50), 0, {});
  EXPECT_FALSE(s.complete);
  EXPECT_EQ(s.attempts, 0);
}

}  // namespace
}  // namespace warpfuzz::test
