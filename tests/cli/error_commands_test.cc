// `warpfuzz stats` and `calibrate` against a stand-in for a target.
#include <gmock/gmock.h>

#include "base/exit_codes.h"
#include "cli_fixture.h"

namespace warpfuzz::testing_cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

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

// Whatever takes an element type says which there are, before anything runs.
TEST_F(ErrorCommands, AnElementTypeThatTheTargetLacksIsAUsageError) {
  for (const char* command : {"stats clean", "random clean --cases 1 --seed 1", "profile value", "calibrate clean"}) {
    const Output o = run(std::string(command) + " --dtype fp64");
    EXPECT_EQ(o.code, kExitUsage) << command;
    EXPECT_THAT(o.err, HasSubstr("--dtype: target ")) << command;
    EXPECT_THAT(o.err, HasSubstr("takes one of fp32, fp16, got 'fp64'")) << command;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  }
  for (const char* command :
       {"stats clean", "random clean --cases 1 --seed 1", "profile value", "calibrate clean", "illusion"}) {
    const Output o = run(std::string(command) + " --dtype ''");
    EXPECT_EQ(o.code, kExitUsage) << command;
    EXPECT_THAT(o.err, HasSubstr("--dtype: expected the name of an element type, got ''")) << command;
  }
}
TEST_F(ErrorCommands, MisspeltNamesSayWhichWasMeant) {
  const std::pair<const char*, const char*> lines[] = {
      {"lst", "unknown command 'lst', did you mean 'list'?"},
      {"--timeout 5 reprot --html x", "unknown command 'reprot', did you mean 'report'?"},
      {"--json shw v.wfz", "unknown command 'shw', did you mean 'show'?"},
      {"frobnicate", "unknown command 'frobnicate'; see "},
      {"list --targts", "list has no option '--targts', did you mean '--targets'?"},
      {"export v.wfz --npx=x", "export has no option '--npx', did you mean '--npz'?"},
      {"show --tmeout 3", "show has no option '--tmeout', did you mean '--timeout'?"},
      {"list --quite-another-thing", "list has no option '--quite-another-thing'; see "}};
  for (const auto& [line, expected] : lines) {
    const Output o = run(line);
    EXPECT_EQ(o.code, kExitUsage) << line;
    EXPECT_THAT(o.err, HasSubstr(expected)) << line;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  }
}
TEST_F(ErrorCommands, AValueThatIsNoneOfAListIsAUsageError) {
  for (const auto& [command, expected] :
       {std::pair{"run clean --backend tpu", "cpu,cuda"}, std::pair{"list --where colour=red", "expected one of"}}) {
    const Output o = run(command);
    EXPECT_EQ(o.code, kExitUsage) << command;
    EXPECT_THAT(o.err, HasSubstr(expected)) << command;
  }
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
  EXPECT_THAT(run("stats dies --cases 1200").out, HasSubstr("finding dies/oob-read/fake_kernel: 1 case\n"));
}

TEST_F(ErrorCommands, StatsOfFilesAndFolders) {
  save_bytes("corpus/a", {1, 2, 3});
  save_bytes("corpus/deep/b", {1, 2, 3});
  const std::string text = "op: fake\n";
  save_bytes("c.case", Bytes(text.begin(), text.end()));
  const json j = run("stats clean corpus c.case --json").json();
  EXPECT_EQ(j["executions"], 3);
  EXPECT_FALSE(j.contains("seed"));
  EXPECT_DOUBLE_EQ(j["records"][0]["ratio"]["max"], 0.5);
  EXPECT_EQ(run("stats clean nowhere").code, kExitBadFile);
  EXPECT_EQ(run("stats clean c.case --dtype fp16").code, kExitUsage);
  EXPECT_EQ(run("stats clean --cases 0").code, kExitUsage);
  EXPECT_EQ(run("stats nothing").code, kExitNoTarget);
}

// The fake target's case i has error / bound i / 1000, so the number of cases is what is measured.
TEST_F(ErrorCommands, CalibratePrintsEachDtypeAndWritesEvidence) {
  const Output o = run("calibrate clean --cases 400 --twin low --twin-cases 50 --write e.toml");
  EXPECT_EQ(o.code, kExitOk) << o.err;
  EXPECT_THAT(o.out, HasSubstr("fp32   fake.fp32    400       0      0            0.399"));
  EXPECT_THAT(o.out, HasSubstr("fp16   fake.fp16    400"));
  EXPECT_THAT(o.out, HasSubstr("100.0 %  ok"));
  const Bytes text = read_file(in("e.toml")).value();
  const std::string toml(text.begin(), text.end());
  EXPECT_THAT(toml, testing::StartsWith("# [fake.fp32]\nevidence = {runs = 400, max_ratio = 0.399, p99 = 0."));
  EXPECT_THAT(toml, HasSubstr("\n# [fake.fp16]\nevidence = {"));
  EXPECT_THAT(toml, HasSubstr("control = \"clean\", twin = \"low\", twin_failed = 1, "));
  EXPECT_THAT(toml, HasSubstr("seed = 20260, "));
  EXPECT_THAT(toml, testing::EndsWith("table_version = 3}\n"));
}

TEST_F(ErrorCommands, CalibrateAsksAboutAnErrorBeyondTheBound) {
  const Output o = run("calibrate clean --dtype fp32 --cases 1301 --json");
  EXPECT_EQ(o.code, kExitUncalibrated);
  EXPECT_THAT(o.err, HasSubstr("the largest error/bound, 1.3, is beyond c = 1 of [fake.fp32]"));
  EXPECT_THAT(o.err, HasSubstr("case 7, fake fp32 rows=1 cols=3: y[0,2] = 1.5, reference 1, allowed [0.9, inf]"));
  EXPECT_THAT(o.err, HasSubstr("c = 1.7 in [fake.fp32] would cover it; nothing was changed"));  // 1.25 * 1.3 = 1.625
  EXPECT_DOUBLE_EQ(o.json()["rows"][0]["proposed_c"].get<double>(), 1.7);
}

TEST_F(ErrorCommands, CalibrateCheckComparesWithTheEvidence) {
  EXPECT_EQ(run("calibrate clean --check --cases 370").code, kExitOk) << "0.369 is within 1.25 x 0.3";
  const Output beyond = run("calibrate clean --check --cases 400 --dtype fp16");
  EXPECT_EQ(beyond.code, kExitUncalibrated);
  EXPECT_THAT(
      beyond.err,
      HasSubstr("the largest error/bound, 0.399, is more than 1.25 times that of the evidence of [fake.fp16], 0.3"));
  EXPECT_THAT(run("calibrate value --check --cases 10").err, HasSubstr("[fake.fp32] has no evidence"));
  EXPECT_THAT(run("calibrate old_row --check --cases 10").err,
              HasSubstr("of table version 2, the row of 3: measure again"));
}

TEST_F(ErrorCommands, CalibrateRefusesARowThatDoesNotTellTheTwin) {
  EXPECT_EQ(run("calibrate clean --cases 100 --twin low").code, kExitOk);
  const Output o = run("calibrate clean --cases 100 --twin value");
  EXPECT_EQ(o.code, kExitUncalibrated);
  EXPECT_THAT(o.err, HasSubstr("does not tell clean from its lower-precision twin: value fails 0 of 100 cases"));
}

TEST_F(ErrorCommands, CalibrateTightenUsesOtherConstants) {
  const Output o = run("calibrate clean --tighten --cases 100 --json");
  EXPECT_EQ(o.code, kExitOk) << o.err;
  EXPECT_THAT(o.json()["rows"][0]["evidence_line"], HasSubstr("table_version = 100}"));
  EXPECT_EQ(run("calibrate clean --tighten --check").code, kExitUsage);
  EXPECT_EQ(run("calibrate clean --dtype fp8").code, kExitUsage);
}

}  // namespace
}  // namespace warpfuzz::testing_cli
