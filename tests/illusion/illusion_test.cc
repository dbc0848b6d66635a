// illusion: the lists of a build, the rows and counts, the page, and what decides the exit code.
#include <gmock/gmock.h>

#include <algorithm>

#include "base/exit_codes.h"
#include "cli_fixture.h"
#include "peers/peers.h"

namespace warpfuzz::testing_cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class Illusion : public CliTest {
 protected:
  // {"clean", "controls"}, ...
  void list(const std::vector<std::pair<std::string, std::string>>& targets) {
    json entries = json::array();
    for (const auto& [name, list] : targets) entries.push_back({{"name", name}, {"list", list}});
    const std::string text = json{{"targets", entries}}.dump();
    save_bytes("bin/targets.json", Bytes(text.begin(), text.end()));
  }
  static json row(const json& rows, const std::string& kernel, const std::string& dtype, const std::string& oracle) {
    const auto at = std::find_if(rows.begin(), rows.end(), [&](const json& r) {
      return r["kernel"] == kernel && r["dtype"] == dtype && r["oracle"] == oracle;
    });
    return at == rows.end() ? json() : *at;
  }
};

TEST_F(Illusion, OneRowAKernelDtypeAndOracle) {
  list({{"value", "planted_bugs"}, {"clean", "controls"}, {"chatty", "subtle_bugs"}, {"hang", ""}});
  const Output o = run("illusion --seed 3 --runs 50 --jobs 2 --json");
  EXPECT_EQ(o.code, kExitOk) << o.err;
  const json j = o.json();
  EXPECT_EQ(j["rows"].size(), 3 * 2 * (peer_oracles().size() + 1));
  EXPECT_EQ(j["rows"][0]["kernel"], "clean") << "the correct kernels come first";
  EXPECT_EQ(row(j["rows"], "value", "fp32", "kernelbench")["verdict"], "pass");
  const json wrong = row(j["rows"], "value", "fp32", "geak");
  EXPECT_EQ(wrong["verdict"], "fail");
  EXPECT_EQ(wrong["detail"], "trial 1: y[0] = 1, reference 2");
  EXPECT_EQ(row(j["rows"], "clean", "fp16", "robust-kbench")["verdict"], "no rule");
  const json ours = row(j["rows"], "value", "fp16", "warpfuzz");
  EXPECT_EQ(ours["verdict"], "fail");
  EXPECT_EQ(ours["detail"], "value/value at execution 7: value: fake: y[0] = 1");
  EXPECT_EQ(row(j["rows"], "clean", "fp32", "warpfuzz")["detail"], "no finding in 50 executions");
  EXPECT_EQ(j["good"], true);
  for (const json& s : j["summary"]) {
    if (s["oracle"] == "kernelbench") EXPECT_EQ(s["planted_certified"], 1) << s;
    if (s["oracle"] == "kernelbench") EXPECT_EQ(s["subtle_certified"], 1) << s;
    if (s["oracle"] == "tritonbench") EXPECT_EQ(s["controls_rejected"], 1) << s;
    if (s["oracle"] == "robust-kbench") EXPECT_EQ(s["controls"], s["dtype"] == "fp32" ? 1 : 0) << s;
    if (s["oracle"] == "warpfuzz")
      EXPECT_EQ(s["planted_certified"].get<int>() + s["controls_rejected"].get<int>(), 0) << s;
  }
  EXPECT_EQ(j["adversarial"].size(), 4u) << "the paper and ours, two dtypes";
}
TEST_F(Illusion, ThePageIsWholeAndNamesItsCommand) {
  list({{"value", "planted_bugs"}, {"clean", "controls"}});
  const Output o = run("illusion --runs 50 --markdown --dtype fp32");
  EXPECT_EQ(o.code, kExitOk) << o.err;
  EXPECT_THAT(o.out, ::testing::StartsWith("# The correctness illusion, measured\n"));
  EXPECT_THAT(o.out, HasSubstr("    warpfuzz illusion --dtype fp32 --seed 1 --runs 50 --adversarial 100 --markdown\n"));
  EXPECT_THAT(o.out, HasSubstr("| value | **pass** | fail | fail |"));
  EXPECT_THAT(o.out, HasSubstr("| oracle | fp32 |\n|---|---|\n| KernelBench | 1 of 1; -; 0 of 1 |"));
  EXPECT_THAT(o.out, HasSubstr("| clean | fp32 | TritonBench | trial 1: y[0] = 1, reference 2 |"));
  EXPECT_THAT(o.out, HasSubstr("| the paper | 75.0 % (25.0 %) |\n| WarpFuzz | 0.0 % |\n| cases | 40 |"));
  EXPECT_THAT(o.out, HasSubstr("| KernelBench | softmax | 4096x393216 | 4x3072 |"));
  EXPECT_EQ(run("illusion --markdown --json").code, kExitUsage);
}
TEST_F(Illusion, AMissedBugOrAFalseAlarmIsTheExitCode) {
  list({{"clean", "planted_bugs"}});
  const Output missed = run("illusion --runs 50");
  EXPECT_EQ(missed.code, kExitReplayDiffers);
  EXPECT_THAT(missed.out, HasSubstr("wrong: clean fp32: no finding in 50 executions"));
  list({{"value", "controls"}});
  EXPECT_EQ(run("illusion --runs 50 --adversarial 0").code, kExitReplayDiffers);
  list({{"sticky", "controls"}});
  EXPECT_EQ(run("illusion --runs 50").code, kExitReplayDiffers) << "an alarm on random cases";
  EXPECT_EQ(run("illusion --runs 50 --adversarial 0").code, kExitOk);
}
TEST_F(Illusion, ADeathIsWhatTheCheckSeesAndABrokenCampaignIsAnError) {
  list({{"oob", "planted_bugs"}, {"abort", "planted_bugs"}, {"babble", "controls"}});
  const Output o = run("illusion oob --runs 50 --json");
  EXPECT_EQ(o.code, kExitOk) << o.err;
  EXPECT_EQ(row(o.json()["rows"], "oob", "fp32", "geak")["detail"], "the process died of oob/oob-read/fake_kernel");
  EXPECT_EQ(row(o.json()["rows"], "oob", "fp32", "geak-runner")["verdict"], "fail") << "in a new process";
  const Output broken = run("illusion abort --runs 50");
  EXPECT_EQ(broken.code, kExitTargetError);
  EXPECT_THAT(broken.err,
              HasSubstr("fuzz_abort' -seed=1: expected a finding or none, but the campaign ended with exit code 1"));
  EXPECT_EQ(run("illusion babble --runs 50").code, kExitNoTarget);
}
TEST_F(Illusion, WhatCannotBeJudgedIsSaid) {
  EXPECT_EQ(run("illusion").code, kExitNoTarget) << "no list";
  list({{"clean", ""}});
  EXPECT_EQ(run("illusion").code, kExitNoTarget);
  list({{"clean", "controls"}});
  const Output unknown = run("illusion value");
  EXPECT_EQ(unknown.code, kExitUsage);
  EXPECT_THAT(unknown.err, HasSubstr("'value' is neither among the correct kernels nor among the planted bugs"));
  const Output dtype = run("illusion --dtype fp8");
  EXPECT_EQ(dtype.code, kExitUsage);
  EXPECT_THAT(dtype.err, HasSubstr("expected one of fp16, fp32, got 'fp8'"));
  save_bytes("bin/targets.json", Bytes{'{'});
  EXPECT_EQ(run("illusion").code, kExitBadFile);
}

}  // namespace
}  // namespace warpfuzz::testing_cli
