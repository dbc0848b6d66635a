// `warpfuzz stats` against a stand-in for a target.
#include <gmock/gmock.h>

#include "cli_fixture.h"
#include "findings/exit_codes.h"

namespace warpfuzz::testing_cli {
namespace {

using ::testing::HasSubstr;
using nlohmann::json;

using ErrorCommands = CliTest;

TEST_F(ErrorCommands, StatsOfRandomCasesDoNotDependOnTheSplit) {
  const Output one = run("stats clean --cases 1234 --seed 5 --json");
  ASSERT_EQ(one.code, kExitOk) << one.err;
  const json j = one.json();
  EXPECT_EQ(j["executions"], 1234);
  EXPECT_EQ(j["seed"], 5);
  ASSERT_EQ(j["records"].size(), 1u);
  EXPECT_EQ(j["records"][0]["fill"], "all");
  EXPECT_EQ(j["records"][0]["runs"], 1234);
  EXPECT_DOUBLE_EQ(j["records"][0]["ratio"]["max"], 1.233);
  EXPECT_NEAR(j["records"][0]["ratio"]["mean"].get<double>(), 0.6165, 1e-6);
  EXPECT_EQ(run("stats clean --cases 1234 --seed 5 --json --jobs 3").json(), j);
}

TEST_F(ErrorCommands, StatsByFillAsATable) {
  EXPECT_EQ(run("stats clean --cases 10 --by-fill --json").json()["records"].size(), 2u);
  const Output o = run("stats clean --cases 10 --dtype fp16 --by-fill");
  EXPECT_EQ(o.code, kExitOk) << o.err;
  EXPECT_THAT(o.out, HasSubstr("clean: 10 random cases of seed 1"));
  EXPECT_THAT(o.out, HasSubstr("fp16   iota        5"));
  EXPECT_THAT(o.out, HasSubstr("fp16   normal      5"));
  EXPECT_THAT(o.out, HasSubstr("relative max"));
}

TEST_F(ErrorCommands, ACaseThatEndsTheProcessCountsAndTheRestIsRun) {
  const Output o = run("stats dies --cases 1200 --json");
  ASSERT_EQ(o.code, kExitOk) << o.err;
  const json j = o.json();
  EXPECT_EQ(j["executions"], 1200);
  EXPECT_EQ(j["records"][0]["runs"], 1199);
  EXPECT_EQ(j["keys"]["dies/oob-read/fake_kernel"], 1);
  EXPECT_THAT(run("stats dies --cases 1200").out, HasSubstr("finding dies/oob-read/fake_kernel: 1 cases"));
}

TEST_F(ErrorCommands, StatsOfFilesAndFolders) {
  save_bytes("corpus/a", {1, 2, 3});
  save_bytes("corpus/deep/b", {1, 2, 3});
  save_bytes("c.case", {'o'});
  const json j = run("stats clean corpus c.case --json").json();
  EXPECT_EQ(j["executions"], 3);
  EXPECT_FALSE(j.contains("seed"));
  EXPECT_DOUBLE_EQ(j["records"][0]["ratio"]["max"], 0.5);
  EXPECT_EQ(run("stats clean nowhere").code, kExitBadFile);
  EXPECT_EQ(run("stats clean c.case --dtype fp16").code, kExitUsage);
  EXPECT_EQ(run("stats clean --cases 0").code, kExitUsage);
  EXPECT_EQ(run("stats nothing").code, kExitNoTarget);
}

}  // namespace
}  // namespace warpfuzz::testing_cli
