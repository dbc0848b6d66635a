// Evidence: made once, in the pass that judged; a finding is a projection of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "fake_target.h"
#include "pipeline/build_finding.h"
#include "pipeline/reference.h"

namespace warpfuzz::test {
namespace {

using testing::ElementsAre;
using testing::Pair;

RunSettings keeping(Keep keep, bool every_check = false) {
  RunSettings s;
  s.keep = keep;
  s.every_check = every_check;
  if (!every_check) s.extra_run_one_in = 0;
  return s;
}

FakeKernel right() {
  return [](const auto& x, const FakeRun&) { return x; };
}
// Adds `error` to the first element of the runs for which `where` is true.
FakeKernel wrong(float error, std::function<bool(const FakeRun&)> where = [](const FakeRun&) { return true; }) {
  return [=](auto x, const FakeRun& run) {
    if (where(run)) x[0] += error;
    return x;
  };
}

// identity_target that says what its bound consists of.
Target explaining_target(int& calls) {
  Target t = identity_target(1, 2);
  t.spec.reference([once = t.spec.op().reference](const RefContext& c, std::vector<Reference>& refs) {
    once(c, refs);
    if (c.explain && c.explain->wants(1, 0, refs[1].r.size())) c.explain->set({{"a store", 0.25}, {"a sum", 0.75}});
  });
  return counted(t, calls);
}

TEST(Evidence, APassingCaseOfACampaignAsksTheReferenceOnceAndKeepsNothing) {
  int calls = 0;
  const Target t = counted(identity_target(0, 0), calls);
  FakeBackend backend(right());
  for (const bool every_check : {false, true}) {
    calls = 0;
    const CaseResult r = run_case(t, backend, make_case(t, 9, Fill::normal), keeping(Keep::findings, every_check));
    EXPECT_EQ(r.fault, FaultClass::none);
    EXPECT_EQ(calls, 1);
    EXPECT_FALSE(r.evidence);
  }
}

TEST(Evidence, AReplayAsksTheReferenceOfAPassingCaseTwice) {
  int calls = 0;
  const Target t = counted(identity_target(0, 0), calls);
  FakeBackend backend(right());
  RunSettings settings = keeping(Keep::findings, true);
  settings.repeat_reference = true;
  run_case(t, backend, make_case(t, 9, Fill::normal), settings);
  EXPECT_EQ(calls, 2) << "the one that judges, and the one that shows that it repeats itself";
}

TEST(Evidence, AFindingNeedsTheReferenceThatJudgesAndTheOneThatRepeatsItAndExplains) {
  for (const Keep keep : {Keep::findings, Keep::everything}) {
    int calls = 0;
    const Target t = explaining_target(calls);
    FakeBackend backend(wrong(8));
    const CaseResult r = run_case(t, backend, make_case(t, 9, Fill::small_int), keeping(keep, true));
    ASSERT_EQ(r.fault, FaultClass::value);
    EXPECT_EQ(calls, 2);
    ASSERT_TRUE(r.evidence);
    EXPECT_EQ(r.evidence->references[0][1].r.size(), 9u) << "the one that judged";
    EXPECT_THAT(r.evidence->allowance.parts, ElementsAre(Pair("a sum", 0.75), Pair("a store", 0.25)));
    EXPECT_EQ(r.evidence->errors.counts.over, 1u);

    const int runs = backend.runs;
    const Finding f = build_finding(t, backend, r);
    EXPECT_EQ(calls, 2) << "a finding is a projection";
    EXPECT_EQ(backend.runs, runs);
    EXPECT_EQ(f.allowance, "a sum 75 %, a store 25 %");
    EXPECT_EQ(f.errors.counts.runs, 1u);
    EXPECT_EQ(f.errors.counts.failed, 1u);
    EXPECT_EQ(f.errors.counts.elements, 9u);
    EXPECT_DOUBLE_EQ(f.errors.ratios.max, 8);
  }
}

TEST(Evidence, AFindingWithoutEvidenceIsAMistakeOfTheCaller) {
  const Target t = identity_target(0, 0);
  FakeBackend backend(wrong(1));
  const CaseResult r = run_case(t, backend, make_case(t, 3, Fill::normal), keeping(Keep::nothing));
  ASSERT_EQ(r.fault, FaultClass::value);
  EXPECT_THROW(build_finding(t, backend, r), std::logic_error);
}

// A fault found behind a call whose outputs are there all the same, as that of a changed input.
class FaultBehindCalls : public FakeBackend {
 public:
  using FakeBackend::FakeBackend;
  RunOutput run(const RunInput& input, const Launcher& l) override {
    RunOutput out = FakeBackend::run(input, l);
    out.status.fault = FaultClass::input_changed;
    return out;
  }
};

struct Scenario {
  const char* name;
  FakeKernel kernel;
  FaultClass fault;
  Step step;
  double over;  // elements out of the bound
};

// A campaign measures the errors of a failing run behind its judgement, a served run in it: both say the same.
TEST(Evidence, TheRecordIsThatOfTheRunThatFailedHoweverItWasMade) {
  const auto second = [](const FakeRun& run) { return run.call == 1; };
  const auto other = [](const FakeRun& run) { return run.schedule.threads != Order::ascending; };
  const Target t = identity_target(1, 1);
  for (const Scenario& s : {Scenario{"base", wrong(8), FaultClass::value, Step::base, 1},
                            Scenario{"second call", wrong(8, second), FaultClass::value, Step::second_call, 1},
                            Scenario{"other order", wrong(8, other), FaultClass::race, Step::other_order, 1},
                            Scenario{"its bits", wrong(0.5, other), FaultClass::race, Step::other_order, 0}}) {
    FakeBackend backend(s.kernel);
    const TestCase c = make_case(t, 9, Fill::small_int, 1);
    const CaseResult behind = run_case(t, backend, c, keeping(Keep::findings, true)),
                     within = run_case(t, backend, c, keeping(Keep::everything, true));
    EXPECT_EQ(within.fault, s.fault) << s.name;
    EXPECT_EQ(within.step, s.step) << s.name;
    ASSERT_TRUE(behind.evidence && within.evidence) << s.name;
    EXPECT_EQ(within.evidence->errors.counts.over, s.over) << s.name;
    EXPECT_EQ(within.evidence->errors.counts.elements, 9u) << s.name;
    EXPECT_GT(within.evidence->errors.absolute.max(), 0) << s.name;
    EXPECT_EQ(describe(summarise(behind.evidence->errors)), describe(summarise(within.evidence->errors))) << s.name;
  }
  FaultBehindCalls behind_calls(wrong(0.5));
  const CaseResult r = run_case(t, behind_calls, make_case(t, 9, Fill::small_int), keeping(Keep::findings));
  ASSERT_EQ(r.fault, FaultClass::input_changed);
  EXPECT_DOUBLE_EQ(r.evidence->errors.ratios.max(), 0.5) << "not judged, and measured all the same";
}

TEST(Evidence, AFaultWithoutOutputsLeavesAnEmptyRecord) {
  int calls = 0;
  const Target t = counted(identity_target(0, 0), calls);
  FakeBackend backend(right());
  backend.status = [](const RunInput&) {
    ExecStatus s;
    s.fault = FaultClass::oob_read;
    return s;
  };
  const CaseResult r = run_case(t, backend, make_case(t, 9, Fill::ones), keeping(Keep::everything));
  ASSERT_TRUE(r.evidence);
  EXPECT_EQ(r.evidence->errors.counts.runs, 1u);
  EXPECT_EQ(r.evidence->errors.counts.failed, 1u);
  EXPECT_EQ(r.evidence->errors.counts.elements, 0u);
  EXPECT_TRUE(r.evidence->references[0].empty());
  EXPECT_EQ(calls, 0);
}

TEST(Evidence, BetweenTheTwoBoundsTheTightOneIsWhatAFindingRestsOn) {
  const Target t = identity_target(0.01, 1);
  const TestCase c = make_case(t, 16, Fill::normal);
  for (const auto& [error, tight] : {std::pair(0.1f, true), {2.0f, false}}) {
    FakeBackend backend(wrong(error));
    const CaseResult r = run_case(t, backend, c, keeping(Keep::findings));
    ASSERT_EQ(r.fault, FaultClass::value);
    EXPECT_EQ(r.evidence->tight, tight) << error;
  }
}

TEST(Evidence, AnElementLeftUnwrittenIsKnownByThePoisonOfItsOwnRun) {
  EXPECT_EQ(poison_variant_of(Step::base), poison_variant_of(Step::second_call));
  EXPECT_EQ(poison_variant_of(Step::base), poison_variant_of(Step::checked));
  EXPECT_NE(poison_variant_of(Step::base), poison_variant_of(Step::other_order));
  const Target t = identity_target(0, 0);
  for (const Step step : {Step::base, Step::other_order}) {
    FakeBackend backend([step](auto x, const FakeRun& run) {
      const bool other = run.schedule.threads != Order::ascending;
      const std::uint64_t bits = poison_bits(DType::f32, PoisonKind::output, run.poison_variant);
      if (other == (step == Step::other_order)) std::memcpy(&x[0], &bits, sizeof x[0]);
      return x;
    });
    const CaseResult r = run_case(t, backend, make_case(t, 3, Fill::normal), keeping(Keep::findings, true));
    EXPECT_EQ(r.step, step);
    EXPECT_EQ(r.verdict.kind, ErrorKind::unwritten);
    EXPECT_EQ(r.evidence->errors.counts.over, 1u);
  }
}

TEST(Evidence, ReferencesAloneMeasureNothing) {
  int calls = 0;
  const Target t = counted(identity_target(1, 1), calls);
  FakeBackend backend(wrong(0.5));
  Scratch scratch;
  RunSettings settings = keeping(Keep::references);
  settings.scratch = &scratch;
  for (int turn = 1; turn <= 2; ++turn) {
    CaseResult r = run_case(t, backend, make_case(t, 9, Fill::small_int), settings);
    EXPECT_EQ(calls, turn);
    EXPECT_EQ(r.evidence->references[0][1].r.size(), 9u);
    EXPECT_EQ(r.evidence->errors.counts.elements, 0u);
    scratch.take_back(r);
    EXPECT_EQ(scratch.references[0][1].r.size(), 9u) << "its memory serves the next case";
  }
}

TEST(Evidence, AReferenceThatDoesNotRepeatItselfMakesNoFinding) {
  Target t = identity_target(0, 0);
  int calls = 0;
  t.spec.reference([&calls, once = t.spec.op().reference](const RefContext& c, std::vector<Reference>& refs) {
    once(c, refs);
    refs[1].r[2] += ++calls;
  });
  FakeBackend backend(right());
  EXPECT_EXIT(run_case(t, backend, make_case(t, 3, Fill::normal), keeping(Keep::findings)), testing::ExitedWithCode(83),
              "gave two values for one case: y\\[2\\]");
}

}  // namespace
}  // namespace warpfuzz::test
