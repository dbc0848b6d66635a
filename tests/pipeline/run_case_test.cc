// The pipeline's rules: the order of the runs, what names a fault, and the two tiers of the bound.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "fake_target.h"
#include "numeric/round.h"
#include "pipeline/reference.h"

namespace warpfuzz::test {
namespace {

RunSettings every_check() {
  RunSettings s;
  s.every_check = true;
  return s;
}
RunSettings base_only() {
  RunSettings s;
  s.extra_run_one_in = 0;
  return s;
}

TEST(RunCase, ARightKernelPassesEveryRun) {
  const Target t = identity_target(0, 0);
  FakeBackend backend([](const auto& x, const FakeRun&) { return x; });
  const CaseResult r = run_case(t, backend, make_case(t, 9, Fill::normal, 1), every_check());
  EXPECT_EQ(r.fault, FaultClass::none);
  EXPECT_EQ(r.inputs.size(), 2u);
  EXPECT_EQ(r.outputs.size(), 2u);
  EXPECT_TRUE(r.extra_run);
  EXPECT_EQ(backend.runs, 2);
  EXPECT_EQ(r.verdict.total, 9u);
}

TEST(RunCase, AWrongValueIsFoundInTheBaseRunAndLaterRunsAreSkipped) {
  const Target t = identity_target(0, 0);
  FakeBackend backend([](auto x, const FakeRun&) {
    x.back() += 1;
    return x;
  });
  const CaseResult r = run_case(t, backend, make_case(t, 9, Fill::small_int, 1), every_check());
  EXPECT_EQ(r.fault, FaultClass::value);
  EXPECT_EQ(r.step, Step::base);
  EXPECT_EQ(r.verdict.wrong, 1u);
  EXPECT_EQ(r.verdict.worst.element, 8u);
  EXPECT_EQ(backend.runs, 1);
}

TEST(RunCase, OnlyTheSecondCallWrong) {
  const Target t = identity_target(0, 0);
  FakeBackend backend([](auto x, const FakeRun& run) {
    if (run.call == 1) x[0] += 1;
    return x;
  });
  EXPECT_EQ(run_case(t, backend, make_case(t, 3, Fill::normal, 0), every_check()).fault, FaultClass::none);
  const CaseResult r = run_case(t, backend, make_case(t, 3, Fill::normal, 1), every_check());
  EXPECT_EQ(r.fault, FaultClass::value);
  EXPECT_EQ(r.step, Step::second_call);
  EXPECT_EQ(r.failing_call, 1);
}

TEST(RunCase, WrongOnlyInAnotherOrderIsARace) {
  const Target t = identity_target(0, 0);
  FakeBackend backend([](auto x, const FakeRun& run) {
    if (run.schedule.threads != Order::ascending) x[0] += 1;
    return x;
  });
  const TestCase c = make_case(t, 3, Fill::normal);
  EXPECT_EQ(run_case(t, backend, c, base_only()).fault, FaultClass::none);
  const CaseResult r = run_case(t, backend, c, every_check());
  EXPECT_EQ(r.fault, FaultClass::race);
  EXPECT_EQ(r.step, Step::other_order);
}

TEST(RunCase, BitsThatDifferBetweenOrdersAreARaceUnlessFloatAtomicsRan) {
  const Target t = identity_target(1e-3, 1e-3);
  FakeBackend backend([](auto x, const FakeRun& run) {
    if (run.schedule.threads != Order::ascending) x[0] = std::nextafter(x[0], 100.0f);
    return x;
  });
  const TestCase c = make_case(t, 3, Fill::normal);
  EXPECT_EQ(run_case(t, backend, c, every_check()).fault, FaultClass::race);
  backend.status = [](const RunInput&) {
    ExecStatus s;
    s.float_atomics = true;
    return s;
  };
  EXPECT_EQ(run_case(t, backend, c, every_check()).fault, FaultClass::none);
}

TEST(RunCase, DependingOnUninitialisedMemoryIsNondeterministicNotARace) {
  const Target t = identity_target(0, 0);
  FakeBackend backend([](auto x, const FakeRun& run) {
    if (run.poison_variant == 1) x[0] += 1;
    return x;
  });
  EXPECT_EQ(run_case(t, backend, make_case(t, 3, Fill::normal), every_check()).fault, FaultClass::nondeterministic);
}

TEST(RunCase, NaNsCountAsOneValueWhenBitsAreCompared) {
  Target t = identity_target(0, 0);
  t.spec.reference([](const RefContext& c, std::vector<Reference>& refs) {
    refs[1].resize(c.in[0].size());
    for (auto& f : refs[1].flags) f = kNanRequired;
  });
  FakeBackend backend([](auto x, const FakeRun& run) {
    for (float& v : x) {
      const std::uint32_t bits = run.schedule.threads == Order::ascending ? 0x7fc00000u : 0x7fc00001u;
      std::memcpy(&v, &bits, sizeof v);
    }
    return x;
  });
  EXPECT_EQ(run_case(t, backend, make_case(t, 3, Fill::normal), every_check()).fault, FaultClass::none);
}

TEST(RunCase, AnExecutorFaultCarriesItsPlace) {
  const Target t = identity_target(0, 0);
  FakeBackend backend([](const auto& x, const FakeRun&) { return x; });
  backend.status = [](const RunInput&) {
    ExecStatus s;
    s.fault = FaultClass::divergence;
    s.place.kernel = "k";
    s.message = "two barriers";
    return s;
  };
  const CaseResult r = run_case(t, backend, make_case(t, 3, Fill::normal), every_check());
  EXPECT_EQ(r.fault, FaultClass::divergence);
  EXPECT_EQ(r.place.kernel, "k");
  EXPECT_EQ(r.message, "two barriers");
  EXPECT_TRUE(r.outputs.empty());
}

// Between the two bounds: an error that the arrangement of the values makes is drift, one that stays is a finding.
TEST(RunCase, SuspectsAreJudgedByPermutations) {
  const Target t = identity_target(0.01, 1);
  const TestCase c = make_case(t, 16, Fill::normal);
  FakeBackend stays([](auto x, const FakeRun&) {
    x[3] += 0.1f;
    return x;
  });
  const CaseResult confirmed = run_case(t, stays, c, base_only());
  EXPECT_EQ(confirmed.fault, FaultClass::value);
  EXPECT_GE(stays.runs, 1 + kPermutationQuorum);

  const float first = [&] {
    std::vector<float> v;
    fill_values(t.schema(), c, 0, 0, v);
    return v[0];
  }();
  FakeBackend arrangement([first](auto x, const FakeRun&) {
    if (x[0] == first) x[0] += 0.1f;
    return x;
  });
  const CaseResult drift = run_case(t, arrangement, c, base_only());
  EXPECT_EQ(drift.fault, FaultClass::none);
  EXPECT_TRUE(drift.drift);
}

TEST(RunCase, BeyondTheRigorousBoundNeedsNoPermutations) {
  const Target t = identity_target(0.01, 1);
  FakeBackend backend([](auto x, const FakeRun&) {
    x[3] += 2;
    return x;
  });
  EXPECT_EQ(run_case(t, backend, make_case(t, 16, Fill::normal), base_only()).fault, FaultClass::value);
  EXPECT_EQ(backend.runs, 1);
}

TEST(RunCase, TheShareOfExtraRunsDependsOnTheCaseAlone) {
  const Target t = identity_target(0, 0);
  FakeBackend backend([](const auto& x, const FakeRun&) { return x; });
  RunSettings settings;
  settings.extra_run_one_in = 4;
  int extra = 0;
  for (std::uint32_t seed = 0; seed < 400; seed++) {
    TestCase c = make_case(t, 5, Fill::normal);
    c.tensors[0].seed = seed;
    const bool first = run_case(t, backend, c, settings).extra_run, again = run_case(t, backend, c, settings).extra_run;
    EXPECT_EQ(first, again);
    extra += first;
  }
  EXPECT_GT(extra, 60);
  EXPECT_LT(extra, 150);
}

TEST(RunCase, StoredInputsReplaceTheFills) {
  const Target t = identity_target(0, 0);
  const std::vector<CallInput> stored{{{{5, 6, 7}, {}}}};
  std::vector<float> seen;
  FakeBackend backend([&](const auto& x, const FakeRun&) {
    seen = x;
    return x;
  });
  RunSettings settings = base_only();
  settings.inputs = &stored;
  run_case(t, backend, make_case(t, 3, Fill::normal), settings);
  EXPECT_EQ(seen, (std::vector<float>{5, 6, 7}));
}

TEST(Tiles, BlockAxesThreadsAndSharedExtents) {
  ExecStatus s;
  s.launches.push_back({"k", {1, 1, 1}, {16, 8, 1}, 0, 0});
  s.shared_extents = {33, 16};
  EXPECT_EQ(tiles_of(s), (std::vector<std::uint32_t>{8, 16, 33, 128}));
}

TEST(RunCase, ErrorsAreRecordedWhereAskedOfTheFirstCallAlone) {
  const Target t = identity_target(1, 2);
  FakeBackend backend([](auto x, const FakeRun& run) {
    x[0] += run.call ? 0.5f : 0.25f;
    return x;
  });
  RunSettings settings = every_check();
  ErrorStats stats;
  settings.stats = &stats;
  const TestCase c = make_case(t, 9, Fill::small_int, 1);
  const CaseResult with = run_case(t, backend, c, settings), without = run_case(t, backend, c, every_check());
  EXPECT_EQ(with.fault, FaultClass::none);
  EXPECT_EQ(with.verdict.max_ratio, without.verdict.max_ratio);
  EXPECT_EQ(stats.counts.elements, 9u) << "neither the second call nor the other order";
  EXPECT_DOUBLE_EQ(stats.absolute.max(), 0.25);
  EXPECT_DOUBLE_EQ(stats.ratios.max(), 0.25);
}

TEST(RunCase, AnotherRowOfTheTableJudges) {
  const Target t = identity_target(1, 1);
  FakeBackend backend([](auto x, const FakeRun&) {
    x[0] += 3;
    return x;
  });
  const TestCase c = make_case(t, 9, Fill::small_int);
  EXPECT_EQ(run_case(t, backend, c, base_only()).fault, FaultClass::value);
  ToleranceRow wide = row_of(t, c);
  wide.c = 4;
  RunSettings settings = base_only();
  settings.row = &wide;
  const CaseResult r = run_case(t, backend, c, settings);
  EXPECT_EQ(r.fault, FaultClass::none);
  EXPECT_DOUBLE_EQ(r.verdict.max_ratio, 0.75);
}

}  // namespace
}  // namespace warpfuzz::test
