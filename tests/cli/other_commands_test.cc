// shrink, encode, decode, profile, random, version, and usage errors.
#include <gmock/gmock.h>

#include <filesystem>

#include "base/exit_codes.h"
#include "base/shell_text.h"
#include "cli_fixture.h"
#include "client/context.h"

namespace warpfuzz::testing_cli {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Commands : public CliTest {
 protected:
  Finding read(const std::string& name) {
    Result<Finding> r = read_wfz(in(name));
    EXPECT_EQ(r.line(), "");
    return std::move(r).value_or(Finding{});
  }
  std::size_t files(const std::string& name) const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(in(name)), std::filesystem::directory_iterator{}));
  }
};

TEST_F(Commands, ShrinkInTheProcess) {
  save("f/v.wfz", fake("value", FaultClass::value, 9, 40));
  const Output o = run("shrink f/v.wfz");
  EXPECT_EQ(o.code, kExitOk) << o.err;
  EXPECT_THAT(o.out, HasSubstr("before  fake fp32 rows=9 cols=40\n  after   fake fp32 rows=1 cols=3"));
  EXPECT_EQ(read("f/v.wfz").bytes, (Bytes{1, 1, 3}));
  EXPECT_EQ(input_elements(read("f/v.wfz")), 3u);
  EXPECT_EQ(files("f"), 1u);  // no temporary file

  const Output again = run("shrink f/v.wfz");
  EXPECT_EQ(again.code, kExitNotSmaller);
  EXPECT_THAT(again.out, HasSubstr("nothing smaller"));
}

TEST_F(Commands, ShrinkFromOutsideWhatKillsTheProcess) {
  for (const std::string mode : {"oob", "oobsave"}) {
    save("f/" + mode + ".wfz", fake(mode, FaultClass::oob_read, 6, 20));
    std::filesystem::create_directory(in("g"));
    const Output o = run("shrink f/" + mode + ".wfz -o g/" + mode + ".wfz --json");
    EXPECT_EQ(o.code, kExitOk) << o.err;
    EXPECT_THAT(o.err, HasSubstr("attempt 1: fake fp32 rows=3 cols=20"));
    EXPECT_EQ(o.json()["complete"], true);
    EXPECT_EQ(o.json()["from_outside"], true);
    const Finding f = read("g/" + mode + ".wfz");
    EXPECT_EQ(f.bytes, (Bytes{1, 1, 3})) << mode;
    EXPECT_EQ(bucket_key(f), mode + "/oob-read/fake_kernel");
    EXPECT_EQ(f.summary, "fake fp32 rows=1 cols=3");
    EXPECT_EQ(f.inputs.empty(), mode == "oob");
    EXPECT_EQ(read("f/" + mode + ".wfz").bytes, (Bytes{1, 6, 20}));  // -o: the file itself stays
    EXPECT_EQ(run("replay g/" + mode + ".wfz").code, kExitOk);
  }
}

TEST_F(Commands, ShrinkGoesOutsideWhenASimplerCaseDies) {
  save("m.wfz", fake("mixed", FaultClass::value, 1, 5));
  const Output o = run("shrink m.wfz");
  EXPECT_THAT(o.err, HasSubstr("a simpler case dies of mixed/oob-write/fake_kernel"));
  EXPECT_EQ(o.code, kExitNotSmaller) << o.err;  // 4 dies of another class, 2 passes
  save("n.wfz", fake("mixed", FaultClass::value, 1, 6));
  EXPECT_EQ(run("shrink n.wfz").code, kExitOk);
  EXPECT_EQ(read("n.wfz").bytes, (Bytes{1, 1, 3}));
}

TEST_F(Commands, ShrinkAcceptsOnlyWhatFailsInAFreshProcess) {
  save("s.wfz", fake("sticky", FaultClass::oob_read, 1, 3));
  const Output o = run("shrink s.wfz --json");
  EXPECT_EQ(o.code, kExitNotSmaller) << o.err;
  EXPECT_EQ(o.json()["smaller"], false);
  EXPECT_EQ(read("s.wfz").bytes, (Bytes{1, 1, 3}));
}

TEST_F(Commands, ShrinkOfRawCasesAndOfNothing) {
  save_bytes("corpus/value/raw", {1, 4, 9, 7});
  EXPECT_EQ(run("shrink corpus/value/raw").code, kExitOk);
  EXPECT_EQ(read("corpus/value/raw.min.wfz").bytes, (Bytes{1, 1, 3}));
  EXPECT_EQ(run("shrink corpus/value/raw -o corpus/value/raw").code, kExitUsage);
  EXPECT_EQ(run("shrink corpus/value/raw -o no/x.wfz").code, kExitCannotWrite);
  EXPECT_FALSE(exists("no"));
  save("c.wfz", fake("clean", FaultClass::value, 1, 3));
  const Output o = run("shrink c.wfz");
  EXPECT_EQ(o.code, kExitReplayDiffers);
  EXPECT_THAT(o.err, HasSubstr("nothing to shrink"));
  save("v.wfz", fake("value", FaultClass::value, 1, 9));
  save_bytes("file", {1});
  EXPECT_EQ(run("shrink v.wfz -o file/out.wfz").code, kExitCannotWrite);
}

TEST_F(Commands, EncodeAndDecode) {
  const std::string text = "op: fake\nrows: 2\ncols: 5\n";
  save_bytes("a.case", Bytes(text.begin(), text.end()));
  EXPECT_EQ(run("encode value a.case").out, "010205\n");
  EXPECT_EQ(run("encode value a.case -o -").out, std::string("\1\2\5"));
  const Output nowhere = run("encode value a.case -o out/a");
  EXPECT_EQ(nowhere.code, kExitCannotWrite);
  EXPECT_THAT(nowhere.err, HasSubstr("-o 'out/a': there is no folder 'out'; make it first"));
  std::filesystem::create_directory(in("out"));
  EXPECT_EQ(run("encode value a.case -o out/a").code, kExitOk);
  const Output over = run("encode value a.case -o a.case");
  EXPECT_EQ(over.code, kExitUsage);
  EXPECT_THAT(over.err, HasSubstr("-o 'a.case' is the file that is read: name another file"));
  EXPECT_EQ(run("decode value out/a -o ./out/a").code, kExitUsage);
  EXPECT_EQ(run("decode value out/a").out, text);
  EXPECT_EQ(run("decode fuzz_value out/a").out, text);
  EXPECT_EQ(run("decode value - < out/a").out, text);
  EXPECT_EQ(run("decode value out/a --json").json()["summary"], "fake fp32 rows=2 cols=5");
  EXPECT_EQ(run("encode value a.case --json").json()["expect"], "pass");
  save("w.wfz", fake("value", FaultClass::value, 2, 5));
  EXPECT_EQ(run("decode value w.wfz").out, text);

  save_bytes("bad.case", Bytes{'h', 'm', '\n'});
  const Output bad = run("encode value bad.case");
  EXPECT_EQ(bad.code, kExitBadFile);
  EXPECT_THAT(bad.err, HasSubstr("'bad.case': encode: line 1: unknown key"));
  for (const char* command :
       {"show bad.case --target value", "replay bad.case --target value", "shrink bad.case --target value",
        "export bad.case --target value --npz x.npz", "stats value bad.case"}) {
    const Output same = run(command);
    EXPECT_EQ(same.code, kExitBadFile) << command << same.err;
    EXPECT_THAT(same.err, HasSubstr("line 1: unknown key")) << command;
  }
  EXPECT_EQ(run("show bad.case --target refuses").code, kExitTargetError);
  EXPECT_EQ(run("encode value none.case").code, kExitBadFile);
  const Output full = run("encode value a.case -o /dev/full");
  EXPECT_EQ(full.code, kExitCannotWrite);
  EXPECT_THAT(full.err, HasSubstr("No space left"));
}

TEST_F(Commands, ProfilePrintsTheSplit) {
  const Output o = run("profile value");
  EXPECT_EQ(o.code, kExitOk) << o.err;
  EXPECT_THAT(
      o.out,
      HasSubstr("fake fp32 rows=100 cols=64     1.0   2.0    10.0        3.0    0.5   1.5   18.0          1.80"));
  EXPECT_THAT(o.out, HasSubstr("rows=1 cols=4 "));   // 1x1 brought within the target's range
  EXPECT_THAT(o.out, HasSubstr("rows=8 cols=32 "));  // and to its multiple
  const json j = run("profile value --json --shapes 2x8 rows=3,cols=12").json();
  EXPECT_EQ(j["profile"].size(), 2u);
  EXPECT_EQ(j["profile"][1]["summary"], "fake fp32 rows=3 cols=12");
  EXPECT_EQ(run("profile value --shapes 2x8x3").code, kExitUsage);
  EXPECT_EQ(run("profile value --shapes 2").code, kExitUsage);
  const Output name = run("profile value --shapes width=3");
  EXPECT_EQ(name.code, kExitUsage);
  EXPECT_THAT(name.err, HasSubstr("2 dims: rows, cols"));
  EXPECT_EQ(run("profile babble").code, kExitNoTarget);
}

TEST_F(Commands, RandomPrintsTheBaseline) {
  const Output o = run("random value --cases 100 --seed 3");
  EXPECT_EQ(o.code, kExitOk) << o.err;
  EXPECT_THAT(o.out, AllOf(HasSubstr("17 random cases"), HasSubstr("first finding at execution 17"),
                           HasSubstr("1 value/value"), HasSubstr("25 %")));
  EXPECT_EQ(run("random value --cases 100 --seed 3 --json").json()["first_finding"], 17);
  const Output died = run("random oob --cases 5 --seed 1");
  EXPECT_EQ(died.code, kExitOk) << died.err;
  EXPECT_THAT(died.out, HasSubstr("died of oob/oob-read/fake_kernel"));
  EXPECT_EQ(run("random value --seed 3").code, kExitUsage);
}

TEST_F(Commands, Version) {
  EXPECT_THAT(run("version").out, HasSubstr(".wfz format 1.0"));
  const json j = run("version --json").json();
  EXPECT_EQ(j["exit_codes"]["finding"], 77);
  EXPECT_EQ(j["exit_codes"].size(), kExitCodeCount);
}

TEST_F(Commands, AFindingOfAnotherTargetIsRefused) {
  save("v.wfz", fake("value", FaultClass::value, 1, 9));
  for (const char* arguments : {"decode clean v.wfz", "shrink v.wfz --target clean"}) {
    const Output o = run(arguments);
    EXPECT_EQ(o.code, kExitUsage) << arguments;
    EXPECT_EQ(o.err,
              "warpfuzz: 'v.wfz' is a finding of target value, not of clean: its bytes mean something else there\n")
        << arguments;
  }
  EXPECT_EQ(read("v.wfz").bytes, (Bytes{1, 1, 9}));
  EXPECT_EQ(run("decode fuzz_value v.wfz").code, kExitOk);
  EXPECT_EQ(run("shrink v.wfz --target fuzz_value").code, kExitOk);
}

TEST_F(Commands, TimeoutSaysItsRange) {
  for (const char* bad : {"0", "-1", "nan", "inf", "1e7", "x", "1s"}) {
    const Output o = run("--timeout=" + std::string(bad) + " version");
    EXPECT_EQ(o.code, kExitUsage) << bad;
    EXPECT_EQ(o.err, "warpfuzz: --timeout: expected seconds, more than 0 and at most 1000000, got '" +
                         std::string(bad) + "'; see " + shell_word(WARPFUZZ_COMMAND) + " --help\n");
  }
  EXPECT_EQ(run("--timeout 0.5 version").code, kExitOk);
}

TEST_F(Commands, UnderJsonEveryErrorIsJson) {
  save("v.wfz", fake("value", FaultClass::value, 1, 9));
  save_bytes("bad.case", Bytes{'h', 'm', '\n'});
  save_bytes("cut.wfz", {0x28, 0xb5, 0x2f, 0xfd, 0x24});
  save_bytes("file", {1});
  const std::vector<std::pair<const char*, int>> failing = {{"", kExitUsage},
                                                            {"explode", kExitUsage},
                                                            {"show", kExitUsage},
                                                            {"--timeout 0 list", kExitUsage},
                                                            {"list elsewhere", kExitBadFile},
                                                            {"list --where a=b", kExitUsage},
                                                            {"show none.wfz", kExitBadFile},
                                                            {"show bad.case --target value", kExitBadFile},
                                                            {"shrink cut.wfz", kExitBadFile},
                                                            {"shrink v.wfz --target clean", kExitUsage},
                                                            {"shrink v.wfz -o file/x", kExitCannotWrite},
                                                            {"keep file", kExitBadFile},
                                                            {"keep v.wfz --as ../x", kExitUsage},
                                                            {"encode nothing bad.case", kExitNoTarget},
                                                            {"encode value bad.case", kExitBadFile},
                                                            {"decode value none", kExitBadFile},
                                                            {"export v.wfz", kExitUsage},
                                                            {"export v.wfz --cu x.cu", kExitNoTarget},
                                                            {"profile value --shapes 2", kExitUsage},
                                                            {"profile babble", kExitNoTarget},
                                                            {"random refuses --cases 1 --seed 1", kExitTargetError}};
  for (const auto& [arguments, code] : failing) {
    const Output o = run(std::string("--json ") + arguments);
    EXPECT_EQ(o.code, code) << arguments << o.err;
    const json error = o.json()["error"];
    ASSERT_TRUE(error.is_object()) << arguments << ": " << o.out;
    EXPECT_EQ(error["code"], code);
    EXPECT_TRUE(o.err.ends_with("warpfuzz: " + error["message"].get<std::string>() + "\n")) << arguments << o.err;
  }
  EXPECT_EQ(run("--json show none.wfz").json()["error"]["name"], "bad-file");
  EXPECT_EQ(run("show none.wfz --json").json()["error"]["name"], "bad-file");
  const json replayed = run("--json replay none.wfz v.wfz").json()["replayed"];  // of several files, each by itself
  EXPECT_THAT(replayed[0]["error"].get<std::string>(), HasSubstr("none.wfz"));
  EXPECT_EQ(replayed[1]["reproduced"], true);
}

TEST_F(Commands, UsageErrorsAreOneLine) {
  for (const char* arguments :
       {"", "explode", "show", "list --colour", "replay", "--timeout -1 list", "profile value --repeat x"}) {
    const Output o = run(arguments);
    EXPECT_EQ(o.code, kExitUsage) << arguments;
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_THAT(o.err, HasSubstr(shell_word(WARPFUZZ_COMMAND) + " --help"));
  }
  const Output help = run("--help");
  EXPECT_EQ(help.code, kExitOk);
  for (const char* command :
       {"list", "show", "replay", "shrink", "keep", "encode", "decode", "profile", "random", "version"})
    EXPECT_THAT(help.out, HasSubstr(command));
  EXPECT_THAT(run("shrink --help").out, HasSubstr("--seconds"));
}

TEST_F(Commands, HostileFilesAreOneLine) {
  save_bytes("bomb.wfz", {0x28, 0xb5, 0x2f, 0xfd, 0xa4, 0xff, 0xff, 0xff, 0xff, 1, 0, 0});
  save_bytes("text.wfz", {'h', 'i'});
  for (const char* file : {"bomb.wfz", "text.wfz", "none.wfz", "."}) {
    for (const char* command : {"show ", "replay ", "shrink ", "keep "}) {
      const Output o = run(std::string(command) + file);
      EXPECT_EQ(o.code, kExitBadFile) << command << file << o.err;
      EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    }
  }
}

TEST_F(Commands, AFullDiskIsNoSuccess) {
  const std::string command = "cd '" + folder_ + "' && '" WARPFUZZ_COMMAND "' version >/dev/full 2>stderr";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), kExitCannotWrite);
}

}  // namespace
}  // namespace warpfuzz::testing_cli
