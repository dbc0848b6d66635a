// `warpfuzz illusion` on real binaries: a correct kernel and a planted bug, judged by every check.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/exit_codes.h"
#include "command.h"
#include "target_files.h"

namespace targets_test {
namespace {

std::string command() { return std::string(WARPFUZZ_TEST_BIN) + "/warpfuzz"; }

TEST(Illusion, WhatKernelBenchCertifiesAndACampaignFinds) {
  const CommandResult run =
      run_command({command(), "illusion", "softmax_naive", "softmax_padded", "--dtype", "fp32", "--seed", "1", "--runs",
                   "60", "--adversarial", "10", "--jobs", "2", "--json"});
  ASSERT_EQ(run.exit_code, warpfuzz::kExitOk) << run.all();
  const nlohmann::json j = nlohmann::json::parse(run.output);
  std::map<std::string, std::string> control, bug;
  for (const auto& r : j["rows"]) (r["kernel"] == "softmax_naive" ? control : bug)[r["oracle"]] = r["verdict"];
  EXPECT_EQ(control.size(), 11u);
  EXPECT_EQ(bug.size(), 11u);
  for (const char* oracle : {"kernelbench", "geak", "backendbench", "assert_close", "illusion-paper", "warpfuzz"})
    EXPECT_EQ(control[oracle], "pass") << oracle;
  EXPECT_EQ(bug["kernelbench"], "pass") << "its row is a multiple of 128 and its outputs are small";
  EXPECT_EQ(bug["assert_close"], "pass") << "a row of a power of two";
  for (const char* oracle : {"geak", "backendbench", "illusion-paper", "warpfuzz"})
    EXPECT_EQ(bug[oracle], "fail") << oracle;
  EXPECT_EQ(j["good"], true);
  for (const auto& a : j["adversarial"])
    if (a["oracle"] == "warpfuzz") EXPECT_EQ(a["flagged"], 0);
}

// The build's list of targets says of each kernel what it is: the same as the lists that these tests know.
TEST(Illusion, TheBuildListsControlsAndBugs) {
  const nlohmann::json j = nlohmann::json::parse(read_text(std::string(WARPFUZZ_TEST_BIN) + "/targets.json"));
  std::map<std::string, std::vector<std::string>> lists;
  for (const auto& t : j["targets"]) lists[t["list"]].push_back(t["name"]);
  EXPECT_THAT(lists["controls"], testing::UnorderedElementsAreArray(controls()));
  EXPECT_THAT(lists["planted_bugs"], testing::UnorderedElementsAreArray(planted_bugs()));
  EXPECT_THAT(lists["subtle_bugs"], testing::UnorderedElementsAreArray(subtle_bugs()));
}

}  // namespace
}  // namespace targets_test
