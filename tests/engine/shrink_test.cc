// Shrinking keeps the fault class, ends, and reaches the simplest failing case even where failure is not monotone.
#include "engine/shrink.h"

#include <gtest/gtest.h>

#include "fake_target.h"
#include "schema/mutate.h"

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
  FakeBackend b([](auto x, const FakeRun&) { if (x.size() & (x.size() - 1)) x[0] += 1; return x; });
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
  FakeBackend b([](auto x, const FakeRun&) { if (x.size() >= 20) x[0] += 1; return x; });
  b.status = [](const RunInput& in) {
    ExecStatus s;
    if (in.calls[0].values[0].size() < 20) s.fault = FaultClass::assertion;
    return s;
  };
  const Shrunk s = shrink(t, b, failing(t, b, 50), 10, {});
  EXPECT_EQ(s.best.fault, FaultClass::value);
  EXPECT_EQ(s.best.test_case.dims[0], 20u);
}

TEST(Shrink, StopsByTheClock) {
  const Target t = identity_target(0, 0);
  FakeBackend b([](auto x, const FakeRun&) { x[0] += 1; return x; });
  const Shrunk s = shrink(t, b, failing(t, b, 50), 0, {});
  EXPECT_FALSE(s.complete);
  EXPECT_EQ(s.attempts, 0);
}

}  // namespace
}  // namespace warpfuzz::test
