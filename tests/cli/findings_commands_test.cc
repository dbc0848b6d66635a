// list, show, replay, keep: what they print, what they return, what they leave on disk.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/exit_codes.h"
#include "cli_fixture.h"

namespace warpfuzz::testing_cli {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Findings : public CliTest {};

TEST_F(Findings, ListShowsKeptAndNewOnes) {
  save("crashes/value/a.wfz", fake("value", FaultClass::value, 2, 5));
  save("crashes/new/oob/b.wfz", fake("oob", FaultClass::oob_read, 1, 3));
  const Output o = run("list");
  EXPECT_EQ(o.code, kExitOk) << o.err;
  EXPECT_THAT(o.out, HasSubstr("oob/oob-read/fake_kernel  oob-read  -         fp32          3  new"));
  EXPECT_THAT(o.out, HasSubstr("value/value               value     ordinary  fp32         10  kept"));
  EXPECT_THAT(o.out, HasSubstr("crashes/new/oob/b.wfz"));

  const json j = run("list --json").json();
  ASSERT_EQ(j["findings"].size(), 2u);
  EXPECT_EQ(j["findings"][0]["key"], "oob/oob-read/fake_kernel");
  EXPECT_EQ(j["findings"][0]["state"], "new");
  EXPECT_EQ(j["findings"][1]["elements"], 10);
  EXPECT_EQ(j["findings"][1]["attributes"]["kind"], "gross");
  EXPECT_GT(j["findings"][1]["age_seconds"], 0);

  EXPECT_EQ(run("list --json --target value").json()["findings"].size(), 1u);
  EXPECT_EQ(run("list --json --where kind=gross --where fault=oob").json()["findings"].size(), 1u);
  EXPECT_EQ(run("list --json --where kind=precision").json()["findings"].size(), 0u);
  EXPECT_EQ(j["findings"][1]["variant"], "ordinary");
  EXPECT_EQ(run("list --json --where variant=ordinary").json()["findings"].size(), 1u);
  EXPECT_EQ(run("list --json --where variant=special").json()["findings"].size(), 0u);
  EXPECT_EQ(run("list --where kind").code, kExitUsage);
  EXPECT_EQ(run("list --where =gross").code, kExitUsage);
}

TEST_F(Findings, ListSaysKeptOnlyOfWhatTheTestsReplay) {
  for (const char* file : {"out/a.wfz", "b.wfz", "crashes/c.wfz", "crashes/new/d.wfz", "crashes/new/value/old/e.wfz",
                           "crashes/other/f.wfz", "new/value/g.wfz"})
    save(file, fake("value", FaultClass::value, 2, 5));
  save("crashes/value/kept.wfz", fake("value", FaultClass::value, 2, 5));
  save("crashes/new/value/new.wfz", fake("value", FaultClass::value, 2, 5));
  for (const char* from : {"list . --json", "list crashes out new b --json"}) {
    if (!exists("b")) std::filesystem::create_directory(in("b"));
    std::map<std::string, int> states;
    const json listed = run(from).json();
    for (const json& f : listed["findings"]) ++states[f["state"].get<std::string>()];
    EXPECT_EQ(states["kept"], 1) << from;
    EXPECT_EQ(states["new"], 1) << from;
  }
  EXPECT_EQ(run("list crashes/value --json").json()["findings"][0]["state"], "kept");
  EXPECT_EQ(run("list out --json").json()["findings"][0]["state"], "stray");
}

TEST_F(Findings, ListNamesTheAttributesThatThereAre) {
  Finding f = fake("value", FaultClass::value, 2, 5);
  f.attributes["flavour"] = "of a later version";
  save("crashes/value/a.wfz", f);
  const Output o = run("list --where knd=gross");
  EXPECT_EQ(o.code, kExitUsage);
  EXPECT_EQ(
      o.err,
      "warpfuzz: --where: expected one of dialects, dtype, exact, fault, flavour, history, kernel, key, kind, leaked, location, op, ratio, row, run, "
      "severity, shape, target, unshrunk, unspecified, variant before '=', got 'knd'\n");
  EXPECT_EQ(run("list --json --where flavour=later").json()["findings"].size(), 1u);
  EXPECT_EQ(run("list --json --where ratio=2").json()["findings"].size(), 0u);  // known, though no finding here has one
}

TEST_F(Findings, ListWithoutAnyAndWithDamagedOnes) {
  EXPECT_EQ(run("list").out, "no findings\n");
  EXPECT_EQ(run("list elsewhere").code, kExitBadFile);
  save("crashes/value/good.wfz", fake("value", FaultClass::value, 1, 3));
  save_bytes("crashes/value/cut.wfz", {0x28, 0xb5, 0x2f, 0xfd, 0x24});
  const Output o = run("list");
  EXPECT_EQ(o.code, kExitBadFile);
  EXPECT_THAT(o.out, HasSubstr("good.wfz"));
  EXPECT_THAT(o.err, HasSubstr("cut.wfz"));
  const json j = run("list --json").json();
  EXPECT_EQ(j["findings"].size(), 2u);
}

TEST_F(Findings, ListTargets) {
  for (const char* broken : {"garbage", "old", "refuses", "silent", "babble"})
    std::remove(in(std::string("bin/fuzz_") + broken).c_str());
  const Output o = run("list --targets");
  EXPECT_EQ(o.code, kExitOk) << o.err;
  EXPECT_THAT(o.out, HasSubstr("clean    fake  fp32, fp16  fast      cols at most 64"));
  const json j = run("list --targets --json").json();
  EXPECT_EQ(j["targets"].size(), 17u);
}

TEST_F(Findings, ListTargetsNamesBrokenOnesAndGoesOn) {
  const Output o = run("list --targets");
  EXPECT_NE(o.code, kExitOk);
  EXPECT_THAT(o.out, HasSubstr("clean"));
  EXPECT_THAT(o.err, HasSubstr("fuzz_refuses"));
  EXPECT_THAT(o.err, HasSubstr("softmax has no dim of that name"));
  EXPECT_THAT(o.err, HasSubstr("fuzz_old' speaks protocol 0"));
  EXPECT_THAT(o.err, HasSubstr("expected a hello, got 'hello?[31m'"));
}

TEST_F(Findings, ShowNeedsNoTarget) {
  save("x.wfz", fake("gone", FaultClass::value, 1, 3));
  const Output o = run("show x.wfz");
  EXPECT_EQ(o.code, kExitOk) << o.err;
  EXPECT_THAT(o.out, HasSubstr("==WARPFUZZ== ERROR: value: gone fp32 rows=1 cols=3"));
  EXPECT_THAT(o.out, HasSubstr("x (in) fp32 [1,3]: 0 0 0"));
  EXPECT_THAT(o.out, HasSubstr("fuzz_gone x.wfz"));
  const json j = run("show --json x.wfz").json();
  EXPECT_EQ(j["key"], "gone/value");
  EXPECT_EQ(j["bytes"], "010103");
  EXPECT_EQ(j["finding"]["in"][0]["data"], "000000000000000000000000");
}

TEST_F(Findings, ShowAsksTheTargetForOtherCases) {
  save_bytes("corpus/value/abc", {1, 2, 3, 0, 0});
  const Output o = run("show corpus/value/abc");
  EXPECT_EQ(o.code, kExitOk) << o.err;
  EXPECT_THAT(o.out, HasSubstr("fake fp32 rows=2 cols=3\n\nop: fake\nrows: 2\ncols: 3\n"));
  EXPECT_THAT(o.out, HasSubstr("bin/fuzz_value corpus/value/abc"));
  EXPECT_EQ(run("show --json --target fuzz_clean corpus/value/abc").json()["target"], "clean");
  const std::string text = "op: fake\nrows: 4\n";
  save_bytes("t.case", Bytes(text.begin(), text.end()));
  EXPECT_EQ(run("show --json --target value t.case").json()["bytes"], "010401");
  const Output missing = run("show t.case --target nothing");
  EXPECT_EQ(missing.code, kExitNoTarget);
  EXPECT_THAT(missing.err, AllOf(HasSubstr("no target 'nothing'"), HasSubstr("clean")));
}

TEST_F(Findings, ReplayReproduces) {
  save("v.wfz", fake("value", FaultClass::value, 1, 3));
  save("o.wfz", fake("oob", FaultClass::oob_read, 1, 3));
  const Output o = run("replay v.wfz o.wfz");
  EXPECT_EQ(o.code, kExitOk) << o.err;
  EXPECT_THAT(o.out, HasSubstr("recorded  value/value\n  now       value/value (fake fp32 rows=1 cols=3)\n"));
  EXPECT_THAT(
      o.out,
      HasSubstr("inputs bit-identical (taken from the file); 1 of 3 outputs differ; recorded with another compiler"));
  EXPECT_THAT(
      o.out,
      HasSubstr("recorded  oob/oob-read/fake_kernel\n  now       oob/oob-read/fake_kernel (one element behind x)\n"));
  EXPECT_THAT(o.out, Not(HasSubstr("DIFFERS")));
  const json j = run("replay --json v.wfz o.wfz").json();
  EXPECT_EQ(j["replayed"][0]["reproduced"], true);
  EXPECT_EQ(j["replayed"][0]["answer"]["different_outputs"], 1);
  EXPECT_EQ(j["replayed"][1]["died"], true);
}

TEST_F(Findings, ReplayThatDiffers) {
  save("fixed.wfz", fake("clean", FaultClass::value, 1, 3));
  save("other.wfz", fake("value", FaultClass::special, 1, 3));
  const Output o = run("replay fixed.wfz");
  EXPECT_EQ(o.code, kExitReplayDiffers);
  EXPECT_THAT(o.out, HasSubstr("recorded  clean/value\n  now       pass"));
  EXPECT_THAT(o.out, HasSubstr("DIFFERS from the recorded one"));
  EXPECT_EQ(run("replay other.wfz").code, kExitReplayDiffers);
  EXPECT_EQ(run("replay other.wfz none.wfz").code, kExitBadFile);
}

TEST_F(Findings, ReplayOfRawAndTextCases) {
  save_bytes("corpus/value/bad", {1, 1, 3});
  save_bytes("corpus/value/good", {1, 1, 2});
  EXPECT_EQ(run("replay corpus/value/good").code, kExitOk);
  const Output o = run("replay corpus/value/bad");
  EXPECT_EQ(o.code, kExitFinding);
  EXPECT_THAT(o.out, HasSubstr("SUMMARY: WarpFuzz: value/value"));
  const std::string pass = "op: fake\ncols: 3\n", fails = pass + "expect: value\n";
  save_bytes("seeds/value/p.case", Bytes(pass.begin(), pass.end()));
  save_bytes("seeds/value/f.case", Bytes(fails.begin(), fails.end()));
  EXPECT_EQ(run("replay seeds/value/p.case").code, kExitReplayDiffers);
  EXPECT_EQ(run("replay seeds/value/f.case").code, kExitOk);
  EXPECT_EQ(run("replay seeds/value/p.case --target clean").code, kExitOk);
  EXPECT_EQ(run("replay seeds/value/f.case --target oob").code, kExitReplayDiffers);
}

TEST_F(Findings, ReplayOfTargetsThatMisbehave) {
  save_bytes("c", {1, 1, 3});
  const Output crash = run("replay c --target abort");
  EXPECT_EQ(crash.code, kExitNoTarget);
  EXPECT_THAT(crash.err, HasSubstr("killed by signal 6"));
  const Output hang = run("--timeout 0.3 replay c --target hang");
  EXPECT_EQ(hang.code, kExitNoTarget);
  EXPECT_THAT(hang.err, HasSubstr("did not answer 'replay' within 0.3 s"));
  const Output chatty = run("replay c --target chatty");
  EXPECT_EQ(chatty.code, kExitFinding) << chatty.err;
  EXPECT_EQ(run("replay c --target refuses").code, kExitTargetError);
  EXPECT_EQ(run("replay c --target silent").code, kExitNoTarget);
}

TEST_F(Findings, KeepMovesAfterReplaying) {
  save("crashes/new/value/value-1.wfz", fake("value", FaultClass::value, 1, 3));
  const Output o = run("keep crashes/new/value/value-1.wfz --as first");
  EXPECT_EQ(o.code, kExitOk) << o.err;
  EXPECT_TRUE(exists("crashes/value/first.wfz"));
  EXPECT_FALSE(exists("crashes/new/value/value-1.wfz"));

  save("crashes/new/value/value-2.wfz", fake("value", FaultClass::value, 1, 4));
  const Output again = run("keep crashes/new/value/value-2.wfz");
  EXPECT_EQ(again.code, kExitDuplicate);
  EXPECT_THAT(again.err, HasSubstr("crashes/value/first.wfz' has the key value/value already"));
  EXPECT_TRUE(exists("crashes/new/value/value-2.wfz"));
  // Another variant of the key is another finding.
  Finding special = fake("value", FaultClass::value, 1, 5);
  special.variant = "special";
  save("crashes/new/value/value-special-3.wfz", special);
  const Output other = run("keep crashes/new/value/value-special-3.wfz");
  EXPECT_EQ(other.code, kExitOk) << other.err;
  EXPECT_TRUE(exists("crashes/value/value-special-3.wfz"));

  const json j = run("keep --json --force crashes/new/value/value-2.wfz").json();
  EXPECT_EQ(j["key"], "value/value");
  EXPECT_TRUE(exists("crashes/value/value-2.wfz"));
  EXPECT_EQ(run("keep crashes/value/value-2.wfz").code, kExitDuplicate);
}

TEST_F(Findings, KeepRefusesWhatDoesNotReplayOrCannotBeWritten) {
  save("crashes/new/clean/x.wfz", fake("clean", FaultClass::value, 1, 3));
  EXPECT_EQ(run("keep crashes/new/clean/x.wfz").code, kExitReplayDiffers);
  EXPECT_TRUE(exists("crashes/new/clean/x.wfz"));
  EXPECT_FALSE(exists("crashes/clean"));
  save("crashes/new/value/x.wfz", fake("value", FaultClass::value, 1, 3));
  save_bytes("crashes/value", {1});  // a file in place of the folder
  const Output o = run("keep crashes/new/value/x.wfz");
  EXPECT_EQ(o.code, kExitCannotWrite);
  EXPECT_THAT(o.err, HasSubstr("a file stands where a folder is needed"));
  EXPECT_TRUE(exists("crashes/new/value/x.wfz"));
  EXPECT_EQ(run("keep crashes/new/value/x.wfz --as ../y").code, kExitUsage);
  save_bytes("raw", {1});
  EXPECT_EQ(run("keep raw").code, kExitBadFile);
}

}  // namespace
}  // namespace warpfuzz::testing_cli
