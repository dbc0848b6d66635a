// The JSON form of error records: round trips, and one line for whatever is wrong.
#include "findings/error_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/fields/json_reader.h"
#include "base/fields/json_writer.h"
#include "findings/finding.h"
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

TEST(ErrorFields, ARecordKeepsItsFigures) {
  const ErrorRecord r = summarise(sample());
  const json j = json::parse(to_message(r).dump());
  EXPECT_EQ(j["unspecified"]["overflow"], 7);
  EXPECT_EQ(j["ulp"]["max"], 49);
  EXPECT_FALSE(j.contains("failed")) << "counts of 0 are left out";
  ErrorRecord back;
  ASSERT_EQ(read_message(j, back, "err"), "");
  EXPECT_EQ(to_message(back), to_message(r));
  EXPECT_EQ(back.counts.nan_got, 5u);
  EXPECT_EQ(back.measured, 50u);
  EXPECT_TRUE(std::isinf(back.relative.max));
  EXPECT_NEAR(back.ratios.p99, r.ratios.p99, 1e-5);
}

// A table as it travels: in an object of its own.
struct Table {
  std::vector<Labelled<ErrorStats>> records;
};
template <class V, MaybeConst<Table> T>
void fields(V& v, T& t) {
  v("records", t.records, "");
}

TEST(ErrorFields, AWholeTableCanBeMerged) {
  ErrorTable t, back;
  t.at({"fp32", "normal"}) = sample();
  t.at({"fp16", "iota"}) = sample();
  const json j = json::parse(to_message(Table{labelled(t)}).dump());
  Table read;
  ASSERT_EQ(read_message(j, read), "");
  merge(read.records, back);
  merge(read.records, back);
  ASSERT_EQ(back.records().size(), 2u);
  const ErrorStats& s = back.records().at({"fp32", "normal"});
  EXPECT_EQ(s.counts.runs, 6u);
  EXPECT_EQ(s.ulps.count(), 100u);
  EXPECT_EQ(s.ulps.percentile(50), sample().ulps.percentile(50));
  EXPECT_EQ(s.ratios.max(), sample().ratios.max());
}

TEST(ErrorFields, MistakesAreOneLine) {
  const auto error = [](const json& records) {
    Table t;
    return read_message({{"records", records}}, t);
  };
  ErrorTable t;
  t.at({"fp32", "normal"}) = sample();
  const json good = to_message(Table{labelled(t)})["records"];
  EXPECT_EQ(error(good), "");
  json j = good;
  j[0]["ulp"]["at"][0] = 1u << 20;
  EXPECT_THAT(error(j), testing::HasSubstr("'records[0].ulp': at: "));
  j = good;
  j[0]["ulp"]["n"].erase(0);
  EXPECT_THAT(error(j), testing::HasSubstr("'records[0].ulp': at: "));
  j = good;
  j[0]["ulp"].erase("sum");
  EXPECT_THAT(error(j), testing::HasSubstr("'records[0].ulp.sum': missing"));
  j = good;
  j[0]["over"] = -1;
  EXPECT_THAT(error(j), testing::HasSubstr("'records[0].over'"));
  j = good;
  j[0]["unspecified"] = 3;
  EXPECT_THAT(error(j), testing::HasSubstr("'records[0].unspecified'"));
  EXPECT_THAT(error(7), testing::HasSubstr("expected a list"));
  EXPECT_THAT(error(json::array({7})), testing::HasSubstr("'records[0]': expected an object"));
}

TEST(ErrorFields, AFindingKeepsItAndTheReportShowsOneLine) {
  Finding f = samples::softmax_value();
  EXPECT_THAT(report(f, ""), testing::Not(testing::HasSubstr("  errors ")));
  f.errors = summarise(sample());
  const Result<Finding> r = from_wfz(to_wfz(f));
  ASSERT_TRUE(r) << r.line();
  EXPECT_EQ(to_message(r->errors), to_message(f.errors));
  EXPECT_LT(to_wfz(f).size(), 2048u);
  EXPECT_THAT(report(*r, ""), testing::HasSubstr("\n  errors       absolute p50 "));
}

}  // namespace
}  // namespace warpfuzz
