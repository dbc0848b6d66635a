// The JSON form of error records: round trips, and one line for whatever is wrong.
#include "findings/error_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ops/op.h"
#include "samples.h"

namespace warpfuzz {
namespace {

using nlohmann::json;

ErrorStats sample() {
  ErrorStats s;
  s.counts.runs = 3, s.counts.drift = 1, s.counts.elements = 100, s.counts.over = 2, s.counts.nan_got = 5;
  s.counts.unspecified[static_cast<std::size_t>(Reason::overflow)] = 7;
  for (int i = 0; i < 50; ++i) {
    s.absolute.add(i * 1e-7), s.relative.add(i * 1e-5), s.ulps.add(i), s.ratios.add(i / 60.0);
  }
  s.relative.add(INFINITY);
  return s;
}

TEST(ErrorJson, ARecordKeepsItsFigures) {
  const ErrorRecord r = summarise(sample());
  const json j = json::parse(to_json(r).dump());
  EXPECT_EQ(j["unspecified"]["overflow"], 7);
  EXPECT_EQ(j["ulp"]["max"], 49);
  EXPECT_FALSE(j.contains("failed")) << "counts of 0 are left out";
  ErrorRecord back;
  ASSERT_EQ(from_json(j, "err", back), "");
  EXPECT_EQ(to_json(back), to_json(r));
  EXPECT_EQ(back.counts.nan_got, 5u);
  EXPECT_EQ(back.measured, 50u);
  EXPECT_TRUE(std::isinf(back.relative.max));
  EXPECT_NEAR(back.ratios.p99, r.ratios.p99, 1e-5);
}

TEST(ErrorJson, AWholeTableCanBeMerged) {
  ErrorTable t, back;
  t.at({"fp32", "normal"}) = sample();
  t.at({"fp16", "iota"}) = sample();
  const json j = json::parse(to_json(t, true).dump());
  ASSERT_EQ(from_json(j, back), "");
  ASSERT_EQ(from_json(j, back), "");
  ASSERT_EQ(back.records().size(), 2u);
  const ErrorStats& s = back.records().at({"fp32", "normal"});
  EXPECT_EQ(s.counts.runs, 6u);
  EXPECT_EQ(s.ulps.count(), 100u);
  EXPECT_EQ(s.ulps.percentile(50), sample().ulps.percentile(50));
  EXPECT_EQ(s.ratios.max(), sample().ratios.max());
}

TEST(ErrorJson, MistakesAreOneLine) {
  const auto error = [](json j) {
    ErrorTable t;
    return from_json(j, t);
  };
  ErrorTable t;
  t.at({"fp32", "normal"}) = sample();
  const json good = to_json(t, true);
  EXPECT_EQ(error(good), "");
  json j = good;
  j[0]["ulp"]["at"][0] = 1 << 20;
  EXPECT_THAT(error(j), testing::HasSubstr("records.ulp.at"));
  j = good;
  j[0]["ulp"]["n"].erase(0);
  EXPECT_THAT(error(j), testing::HasSubstr("records.ulp.at"));
  j = good;
  j[0]["over"] = -1;
  EXPECT_THAT(error(j), testing::HasSubstr("records.over"));
  j = good;
  j[0]["unspecified"] = 3;
  EXPECT_THAT(error(j), testing::HasSubstr("records.unspecified"));
  EXPECT_THAT(error(7), testing::HasSubstr("expected a list"));
  EXPECT_THAT(error(json::array({7})), testing::HasSubstr("list of objects"));
}

TEST(ErrorJson, AFindingKeepsItAndTheReportShowsOneLine) {
  Finding f = samples::softmax_value();
  EXPECT_THAT(report(f, ""), testing::Not(testing::HasSubstr("  errors ")));
  f.errors = summarise(sample());
  const ReadResult r = from_wfz(to_wfz(f));
  ASSERT_TRUE(r.finding) << r.error;
  EXPECT_EQ(to_json(r.finding->errors), to_json(f.errors));
  EXPECT_LT(to_wfz(f).size(), 2048u);
  EXPECT_THAT(report(*r.finding, ""), testing::HasSubstr("\n  errors       absolute p50 "));
}

}  // namespace
}  // namespace warpfuzz
