// The error record: percentiles out of buckets, what the judge puts in, fill classes, merging.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "probe.h"
#include "schema/fill/fill.h"

namespace warpfuzz::test {
namespace {

TEST(Histogram, PercentilesAreRightToABucket) {
  LogHistogram h;
  EXPECT_EQ(h.percentile(50), 0);
  for (int i = 1; i <= 1000; ++i) h.add(i);
  for (const double p : {1.0, 10.0, 50.0, 90.0, 99.0, 99.9}) {
    EXPECT_GE(h.percentile(p), 10 * p);
    EXPECT_LE(h.percentile(p), 10 * p * (1 + 1.0 / 16) + 1e-9) << p;
  }
  EXPECT_EQ(h.percentile(100), 1000);
  EXPECT_EQ(h.max(), 1000);
  EXPECT_DOUBLE_EQ(h.mean(), 500.5);
  LogHistogram zeros;
  for (int i = 0; i < 99; ++i) zeros.add(0);
  zeros.add(INFINITY);
  EXPECT_EQ(zeros.percentile(99), 0);
  EXPECT_GT(zeros.percentile(100), 1e18);
  zeros.merge(h);
  EXPECT_EQ(zeros.count(), 1100u);
}

TEST(Histogram, BucketsReachFromSubnormalsToTheLargestFloat) {
  for (const double x : {0x1p-149, 0x1p-190, 1e-40, 0.75, 1.0, 1.5, 0x1.fffffep127, 0x1p150}) {
    LogHistogram h;
    h.add(x);
    h.add(4 * x);  // so that the largest value does not cut the bucket's end
    EXPECT_GE(h.percentile(50), x);
    EXPECT_LE(h.percentile(50), x * (1 + 1.0 / 16));
  }
}

TEST(Histogram, MovesBetweenProcesses) {
  LogHistogram h, copy;
  for (const double x : {0.0, 0.0, 1e-30, 3.0, 3.01, 7e20}) h.add(x);
  ASSERT_TRUE(LogHistogram::restore(h.filled(), h.sum(), h.max(), copy));
  EXPECT_EQ(copy.filled(), h.filled());
  EXPECT_EQ(copy.count(), 6u);
  EXPECT_EQ(copy.max(), 7e20);
  EXPECT_EQ(copy.mean(), h.mean());
  EXPECT_EQ(copy.percentile(50), h.percentile(50));
  EXPECT_FALSE(LogHistogram::restore({{1u << 20, 1}}, 0, 0, copy));
}

struct Judged {
  ErrorStats stats;
  Verdict verdict;
};
Judged judged(Probe& p, const std::vector<float>& y) {
  std::vector<std::vector<std::byte>> out(1, stored(p.problem.schema().dtypes[p.problem.test_case.dtype].out, y));
  Judged j;
  JudgeInput in{p.problem.schema(),
                p.problem.test_case,
                p.problem.row,
                p.problem.spec.dialects(),
                p.refs,
                out,
                output_poison,
                {}};
  in.stats = &j.stats;
  j.verdict = judge(in);
  return j;
}

TEST(Statistics, JudgeFillsThem) {
  Probe p(1, 6, f32);
  p.ref().r = {1, 1, 1, 1, 1, 0};
  p.ref().e.assign(6, 0.5);
  p.ref().e_rig.assign(6, 0.5);
  p.ref().flags[3] = kAny, p.ref().reason[3] = Reason::overflow;
  p.ref().flags[4] = kNanRequired;
  const Judged j = judged(p, {1, 1.25f, 3, NAN, NAN, 0.125f});
  const ErrorStats& s = j.stats;
  EXPECT_EQ(s.counts.elements, 6u);
  EXPECT_EQ(s.counts.over, 1u);
  EXPECT_EQ(s.counts.nan_expected, 1u);
  EXPECT_EQ(s.counts.nan_got, 2u);
  EXPECT_EQ(s.counts.unspecified[static_cast<std::size_t>(Reason::overflow)], 1u);
  EXPECT_EQ(s.counts.wholly_unspecified, 0u);
  EXPECT_EQ(s.ratios.count(), 4u) << "specified finite elements only";
  EXPECT_DOUBLE_EQ(s.ratios.max(), 4);
  EXPECT_DOUBLE_EQ(s.absolute.max(), 2);
  EXPECT_DOUBLE_EQ(s.absolute.sum(), 2.375);
  EXPECT_EQ(s.relative.count(), 3u) << "only where the reference is not 0";
  EXPECT_DOUBLE_EQ(s.relative.max(), 2);
  const ErrorRecord r = summarise(s);
  EXPECT_EQ(r.measured, 4u);
  EXPECT_DOUBLE_EQ(r.ratios.max, 4);
  EXPECT_DOUBLE_EQ(r.ratios.mean, (0 + 0.5 + 4 + 0.25) / 4);
  EXPECT_THAT(describe(r), testing::HasSubstr("error/bound p50"));
  EXPECT_THAT(describe(r), testing::EndsWith("1 of 6 over the bound"));
}

TEST(Statistics, UlpOfOneStepIsOne) {
  Probe p(1, 2, f32);
  p.ref().r = {1, 1};
  p.ref().e.assign(2, 1e-3);
  p.ref().e_rig.assign(2, 1e-3);
  const Judged j = judged(p, {std::nextafter(1.0f, 2.0f), 1});
  EXPECT_EQ(j.stats.ulps.max(), 1);
  EXPECT_DOUBLE_EQ(j.stats.absolute.max(), 0x1p-23);
}

TEST(Statistics, AnAcceptedElementNeverShowsMoreThanItsBound) {
  Probe p(1, 1, f32);  // flushed to zero: accepted whatever the bound says
  p.ref().r = {0x1p-127};
  p.ref().e.assign(1, 0x1p-140);
  p.ref().e_rig.assign(1, 0x1p-140);
  const Judged j = judged(p, {0});
  EXPECT_EQ(j.verdict.fault, FaultClass::none);
  EXPECT_LE(j.stats.ratios.max(), 1);
}

TEST(Statistics, RecordingDoesNotChangeTheVerdict) {
  Probe p(1, 4, f16);
  p.ref().e.assign(4, 1e-3);
  p.ref().e_rig.assign(4, 2e-3);
  const std::vector<float> y = {1, 1.001953125f, 1.0048828125f, 2};
  std::vector<std::vector<std::byte>> out(1, stored(f16, y));
  const Judged with = judged(p, y);
  const Verdict without = judge({p.problem.schema(),
                                 p.problem.test_case,
                                 p.problem.row,
                                 p.problem.spec.dialects(),
                                 p.refs,
                                 out,
                                 output_poison,
                                 {}});
  EXPECT_EQ(with.verdict.fault, without.fault);
  EXPECT_EQ(with.verdict.wrong, without.wrong);
  EXPECT_EQ(with.verdict.beyond_tight, without.beyond_tight);
  EXPECT_EQ(with.verdict.max_ratio, without.max_ratio);
  EXPECT_DOUBLE_EQ(with.stats.ratios.max(), without.max_ratio);
}

TEST(FillClass, IsThatOfTheDataTensors) {
  Problem matmul(ops::matmul(), {{"M", 2}, {"N", 2}, {"K", 2}});
  matmul.fill("a", Fill::normal, 1).fill("b", Fill::normal, 2);
  EXPECT_EQ(fill_class(matmul.schema(), matmul.test_case), "normal");
  matmul.fill("b", Fill::iota, 2);
  EXPECT_EQ(fill_class(matmul.schema(), matmul.test_case), "mixed");
  Problem norm(ops::layernorm(), {{"rows", 2}, {"cols", 2}});
  norm.fill("x", Fill::uniform, 1).fill("gamma", Fill::iota, 2);
  EXPECT_EQ(fill_class(norm.schema(), norm.test_case), "uniform") << "weights are not data";
}

TEST(ErrorTable, KeepsDtypesAndFillsApart) {
  ErrorTable t, other;
  t.at({"fp32", "normal"}).ratios.add(0.25);
  t.at({"fp32", "iota"}).ratios.add(0.5);
  other.at({"fp16", "iota"}).ratios.add(0.75);
  other.at({"fp32", "iota"}).ratios.add(1);
  other.at({"fp32", "iota"}).counts.drift = 2;
  t.merge(other);
  EXPECT_EQ(t.records().size(), 3u);
  EXPECT_EQ(t.records().at({"fp32", "iota"}).ratios.count(), 2u);
  const ErrorTable all = t.without_fills();
  ASSERT_EQ(all.records().size(), 2u);
  EXPECT_EQ(all.records().at({"fp32", "all"}).ratios.count(), 3u);
  EXPECT_EQ(all.records().at({"fp32", "all"}).counts.drift, 2u);
  EXPECT_EQ(all.records().at({"fp16", "all"}).ratios.max(), 0.75);
}

}  // namespace
}  // namespace warpfuzz::test
