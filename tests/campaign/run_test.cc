// `warpfuzz run` without a real target: its folder, its lines, its table, its usage errors.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/exit_codes.h"
#include "campaign/campaign_folder.h"
#include "campaign/fuzzer_line.h"
#include "campaign/index.h"
#include "cli_fixture.h"
#include "client/context.h"

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RunTest : public testing_cli::CliTest {
 protected:
  // A file whose age in hours is given.
  void put(const std::string& name, int hours_old, std::size_t bytes = 10) {
    fs::create_directories(fs::path(in(name)).parent_path());
    std::ofstream(in(name)) << std::string(bytes, 'x');
    fs::last_write_time(in(name), fs::file_time_type::clock::now() - std::chrono::hours(hours_old));
  }
  std::vector<std::string> names(const std::string& folder) {
    std::vector<std::string> list;
    for (const StoredFile& f : files_in(in(folder))) list.push_back(f.name);
    std::sort(list.begin(), list.end());
    return list;
  }
};

TEST_F(RunTest, AFolderHasOneSupervisor) {
  const CampaignFolder first(folder_);
  try {
    const CampaignFolder second(folder_);
    FAIL() << "expected a failure";
  } catch (const Failure& f) {
    EXPECT_EQ(f.code, kExitInUse);
    EXPECT_THAT(f.what(), HasSubstr("process " + std::to_string(::getpid()) + " works in"));
  }
  EXPECT_NO_THROW(CampaignFolder(in("other")));
}

// Whatever a kill left of a merge: every input is in the corpus afterwards.
TEST_F(RunTest, WhatAKilledMergeLeftIsMovedBack) {
  const CampaignFolder folder(folder_);
  put("corpus/low/a", 1), put("corpus/low/b", 1);
  put("corpus/.merge-low/b", 1),
      put("corpus/.merge-low/dropped", 1);  // killed behind the exchange, or before: the same
  put("corpus/.old-low/c", 1);              // killed between two renames
  put("crashes/new/low/.value-1.wfz.77.0.tmp", 1), put("crashes/new/low/.shrink-77.wfz", 1),
      put("crashes/new/low/value-1.wfz", 1);
  folder.prepare("low");
  EXPECT_THAT(names("corpus/low"), ElementsAre("a", "b", "c", "dropped"));
  EXPECT_FALSE(exists("corpus/.merge-low"));
  EXPECT_FALSE(exists("corpus/.old-low"));
  EXPECT_THAT(names("crashes/new/low"), ElementsAre("value-1.wfz"));
  EXPECT_FALSE(exists("crashes/new/low/.shrink-77.wfz"));
}

TEST_F(RunTest, AMergeReplacesTheCorpusAndKeepsWhatCameMeanwhile) {
  const CampaignFolder folder(folder_);
  put("corpus/low/a", 1), put("corpus/low/b", 1), put("corpus/low/c", 1);
  const std::vector<StoredFile> before = files_in(folder.corpus("low"));
  put("corpus/low/meanwhile", 0);
  put("corpus/.merge-low/a", 0);
  folder.replace_corpus("low", before);
  EXPECT_THAT(names("corpus/low"), ElementsAre("a", "meanwhile"));
  EXPECT_FALSE(exists("corpus/.merge-low"));
}

TEST_F(RunTest, ACorpusBeyondItsLimitLosesItsOldestInputs) {
  const CampaignFolder folder(folder_);
  for (int i = 0; i < 6; ++i) put("corpus/low/" + std::to_string(i), i, 4096);
  EXPECT_EQ(folder.shorten_corpus("low", 4 * 4096), 2u);
  EXPECT_THAT(names("corpus/low"), ElementsAre("0", "1", "2", "3"));
  EXPECT_EQ(folder.shorten_corpus("low", 4 * 4096), 0u);
}

TEST_F(RunTest, PruningNeverTakesTheLastReproducerOfAKey) {
  const CampaignFolder folder(folder_);
  const std::string crashes = "crashes/new/low/";
  put(crashes + "value-1.wfz", 9, 4096);  // the oldest of all, and a key's only one
  put(crashes + "special-1.wfz", 8, 4096), put(crashes + "special-2.wfz", 7, 4096),
      put(crashes + "special-3.wfz", 1, 4096);
  put(crashes + "crash-1", 6, 4096), put(crashes + "crash-2", 5, 4096), put(crashes + "timeout-1", 9, 4096);
  const std::vector<std::string> needed{"crashes/new/low/value-1.wfz", "crashes/new/low/special-2.wfz"};
  EXPECT_THAT(folder.prune_crashes("low", 6 * 4096, needed), ElementsAre(HasSubstr("special-1.wfz")));
  EXPECT_THAT(folder.prune_crashes("low", 5 * 4096, needed), ElementsAre(HasSubstr("crash-1")));
  folder.prune_crashes("low", 1, needed);  // as far as it may
  EXPECT_THAT(names(crashes), ElementsAre("crash-2", "special-2.wfz", "timeout-1", "value-1.wfz"));
}

TEST(FuzzerLine, StatusLines) {
  FuzzerStatus s;
  ASSERT_TRUE(parse_status(
      "#4096\tNEW    cov: 120 ft: 340 corp: 87/2345b lim: 4 exec/s: 1024 rss: 80Mb L: 30/96 MS: 1 Custom-", s));
  EXPECT_EQ(s.executions, 4096u);
  EXPECT_EQ(s.edges, 120u);
  EXPECT_EQ(s.features, 340u);
  EXPECT_EQ(s.corpus, 87u);
  EXPECT_TRUE(s.is_new);
  ASSERT_TRUE(parse_status("#8192\tpulse  cov: 121 ft: 341 corp: 88/2Kb lim: 4 exec/s: 1024 rss: 80Mb", s));
  EXPECT_FALSE(s.is_new);
  for (const char* other : {"", "#", "#12 nothing", "INFO: Seed: 1", "==WARPFUZZ== ERROR: value: cov: 3", "cov: 3"})
    EXPECT_FALSE(parse_status(other, s)) << other;
  EXPECT_EQ(s.edges, 121u);
  ASSERT_TRUE(parse_merge("MERGE-OUTER: 61 new files with 700 new features added; 120 new coverage edges", s));
  EXPECT_EQ(s.corpus, 61u);
  EXPECT_EQ(s.features, 700u);
  EXPECT_EQ(s.edges, 120u);
  EXPECT_FALSE(parse_merge("MERGE-OUTER: the control file has 3 bytes", s));
  EXPECT_TRUE(says_finding("warpfuzz: low/value at execution 3: low fp32 n=1"));
  EXPECT_TRUE(says_finding("warpfuzz: reproducer written to a.wfz; `warpfuzz shrink a.wfz` makes it smaller"));
  EXPECT_FALSE(says_finding("warpfuzz: shrunk in 3 attempts"));
  EXPECT_EQ(begun_finding("warpfuzz: low/value at execution 3: low fp32 n=1"), "low/value");
  EXPECT_EQ(begun_finding("warpfuzz: low/launch ended the process at execution 3 (1 so far); it begins anew"), "");
  EXPECT_TRUE(ends_finding("SUMMARY: WarpFuzz: low/value"));
}

TEST(FuzzerLine, AFindingWithoutAFile) {
  ToldReader reader;
  for (const char* line :
       {"warpfuzz: low/value at execution 3: low fp32 n=9", "  key          low/value", "  case         low fp32 n=9"})
    EXPECT_FALSE(reader.take(line)) << line;  // its file is written
  EXPECT_FALSE(reader.take(
      "warpfuzz: cannot write 'a.wfz': No space left on device; the finding is not on disk, its case is: 0109"));
  EXPECT_FALSE(reader.take(
      "warpfuzz: cannot write 'a.wfz': No space left on device; the finding is not on disk, its case is: 0101"));  // shrunk
  EXPECT_FALSE(reader.take("==WARPFUZZ== ERROR: value: low fp32 n=1: y[0] = 1"));
  EXPECT_FALSE(reader.take("  key          low/value"));
  ASSERT_TRUE(reader.take("  case         low fp32 n=1"));
  EXPECT_EQ(reader.told().key, "low/value");
  EXPECT_EQ(reader.told().summary, "low fp32 n=1");
  EXPECT_EQ(reader.told().message, "value: low fp32 n=1: y[0] = 1");
  EXPECT_EQ(reader.told().bytes, "0101");
  reader.take("warpfuzz: reproducer written to b.wfz");
  EXPECT_FALSE(reader.take("  case         low fp32 n=1"));
}

TEST_F(RunTest, UsageErrorsAreOneLine) {
  const auto expect = [this](const std::string& arguments, int code, const char* part) {
    const testing_cli::Output o = run(arguments);
    EXPECT_EQ(o.code, code) << arguments;
    EXPECT_THAT(o.err, HasSubstr(part)) << arguments;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  };
  expect("run", kExitUsage, "TARGET is required");
  expect("run clean --time soon", kExitUsage, "expected a time such as 90, 45m, 12h or 7d, got 'soon'");
  expect("run clean --workers 0", kExitUsage, "--workers");
  expect("run clean --backend abacus", kExitUsage, "--backend");
  expect("run clean --time 0.5", kExitUsage, "--time: expected 0 (until it is stopped) or at least 1 s, got 0.5 s");
  expect("run nothing --time 1", kExitNoTarget, "no target 'nothing'");
  expect("run controls --time 1", kExitNoTarget, "targets.json");
  std::ofstream(in("file")) << "x";
  expect("run clean --time 1 --folder file", kExitCannotWrite, "cannot create or write the folder 'file/campaign'");
}

TEST_F(RunTest, ATargetThatIsCalledLikeAListIsNoAmbiguity) {
  fs::create_symlink(WARPFUZZ_FAKE_TARGET, in("bin/fuzz_all"));
  const testing_cli::Output o = run("run all --time 1");
  EXPECT_EQ(o.code, kExitUsage);
  EXPECT_THAT(
      o.err, HasSubstr("'all' is one of the build's lists and, in 'bin', a target too: write fuzz_all for the target"));
  EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  EXPECT_THAT(run("run fuzz_all --time 1").out, HasSubstr("run 1: 1 target, 1 worker, seed "));
}

TEST_F(RunTest, NoCaseIsNoSuccess) {
  const testing_cli::Output o = run("run clean clean --time 1");  // its processes end before they run a case
  EXPECT_EQ(o.code, kExitNothingRun) << o.out << o.err;
  EXPECT_THAT(o.out, HasSubstr("run 1: 1 target, 1 worker, seed "));
  EXPECT_THAT(o.out, HasSubstr("no case was executed"));
  EXPECT_EQ(run("run busy --time 1").code, kExitOk);
}

TEST_F(RunTest, TooShortForItsTargetsIsSaidAtTheStart) {
  const testing_cli::Output o = run("run busy sticky low clean --time 2");
  EXPECT_THAT(
      o.out,
      HasSubstr(
          "--time 2 is too short for 4 targets and 1 worker: about 1 have a turn; all need --time 6, or more --workers"));
  EXPECT_LT(o.out.find("is too short"), o.out.find("run 1 ends"));
  EXPECT_THAT(run("run busy --time 2").out, ::testing::Not(HasSubstr("too short")));
}

// The fake target refuses an option that it is given twice, and counts nothing where it cannot find its file.
TEST_F(RunTest, AnyFolderWillDoAndOptionsOfOursTakeThePlaceOfTheUsers) {
  ::setenv("WARPFUZZ_OPTIONS", "known=stop:counts=elsewhere:hang=3", 1);
  const testing_cli::Output o = run("run busy --time 1 --folder \"a:b'c\"");
  ::unsetenv("WARPFUZZ_OPTIONS");
  EXPECT_EQ(o.code, kExitOk) << o.out << o.err;
  EXPECT_TRUE(exists("a:b'c/campaign/index.sqlite"));
  EXPECT_FALSE(exists("elsewhere"));
}

// The reason is not what a sanitizer prints behind it.
TEST_F(RunTest, AnErrorOfTheTargetItselfIsNamed) {
  const testing_cli::Output o = run("run badref --time 2");
  EXPECT_EQ(o.code, kExitTargetError) << o.out << o.err;
  EXPECT_THAT(o.out, HasSubstr(", ended by exit code 83: target error: the reference wrote out of bounds\n"));
  EXPECT_THAT(o.out, HasSubstr("not run: badref: target error: the reference wrote out of bounds\n"));
  EXPECT_EQ(run("run badref --time 1 --json").json()["problems"]["badref"],
            "target error: the reference wrote out of bounds");
}

// Whoever counted nothing must not have counted in vain: the run ends, and says what to do.
TEST_F(RunTest, AFullDiskEndsTheRun) {
  const testing_cli::Output o = run("run full busy --time 30");
  EXPECT_EQ(o.code, kExitCannotWrite) << o.out << o.err;
  EXPECT_THAT(
      o.out,
      HasSubstr(
          "broken off: full: cannot reserve 65536 bytes for 'counts-1': No space left on device; no case is executed; free some space"));
}

// Not what its file held while it was made smaller.
TEST_F(RunTest, AFindingIsAnnouncedAsItIsKept) {
  const testing_cli::Output o = run("run shrinks --time 6");
  EXPECT_EQ(o.code, kExitFinding) << o.out << o.err;
  EXPECT_THAT(o.out, HasSubstr("shrinks: found shrinks/value: fake fp32 rows=1 cols=5 -> ")) << o.err;
  EXPECT_THAT(o.out, ::testing::Not(HasSubstr("cols=9")));
}

TEST_F(RunTest, AFindingWithoutAFileIsToldWithWhatIsKnown) {
  const testing_cli::Output o = run("run untold --time 2");
  EXPECT_EQ(o.code, kExitFinding) << o.out << o.err;
  EXPECT_THAT(
      o.out,
      HasSubstr(
          "untold: found untold/value: fake fp32 rows=1 cols=3: value: untold fp32 rows=1 cols=3: y[0] = 1; its file could not be written, "
          "its case is: 010103\n"));
  EXPECT_THAT(
      o.out,
      HasSubstr(
          "new: untold/value (1 time): fake fp32 rows=1 cols=3: value: untold fp32 rows=1 cols=3: y[0] = 1; its file could not be written, "
          "its case is: 010103\n"));
  Index index(folder_, false);
  ASSERT_EQ(index.findings().size(), 1u);
  EXPECT_EQ(index.findings()[0].summary, "fake fp32 rows=1 cols=3");
  EXPECT_THAT(index.findings()[0].attributes, HasSubstr("010103"));
}

TEST_F(RunTest, WhatAKilledRunLeftInTheCampaignFolderIsRemoved) {
  put("campaign/merge-low", 1), put("campaign/errors-low.in", 1), put("campaign/death-low.txt", 1);
  run("run busy --time 1");
  EXPECT_FALSE(exists("campaign/merge-low"));
  EXPECT_FALSE(exists("campaign/errors-low.in"));
  EXPECT_TRUE(exists("campaign/death-low.txt"));
}

TEST_F(RunTest, ARunWhoseFolderIsRemovedEndsInOrder) {
  const testing_cli::Output o = run("run busy --time 30 >'" + in("log") + "' 2>'" + in("errors") + "' & sleep 2; mv '" +
                                    in("campaign") + "' '" + in("away") + "'; wait $!");
  EXPECT_EQ(o.code, kExitIndex);
  std::stringstream errors;
  errors << std::ifstream(in("errors")).rdbuf();
  EXPECT_THAT(
      errors.str(),
      HasSubstr(
          "the findings index './campaign/index.sqlite' was removed while this run wrote to it; end what removes it"));
  EXPECT_EQ(errors.str().find('\n'), errors.str().size() - 1) << errors.str();
  EXPECT_FALSE(exists("campaign"));
}

TEST_F(RunTest, FoldersOfATargetThatAreRemovedAreMadeAgain) {
  const testing_cli::Output o =
      run("run busy --time 4 >'" + in("log") + "' & sleep 1.5; rm -r '" + in("corpus/busy") + "'; wait $!");
  EXPECT_EQ(o.code, kExitOk);
  std::stringstream log;
  log << std::ifstream(in("log")).rdbuf();
  EXPECT_THAT(log.str(), HasSubstr("busy: the folder './corpus/busy' was removed and is made again"));
  EXPECT_TRUE(exists("corpus/busy"));
}

// libFuzzer says nothing of an input that a full disk cut off.
TEST_F(RunTest, InputsThatAFullDiskCutOffAreRemoved) {
  const std::string empty = "da39a3ee5e6b4b0d3255bfef95601890afd80709",
                    cut = "1111111111111111111111111111111111111111";
  put("corpus/low/" + empty, 1, 0), put("corpus/low/" + cut, 1, 0), put("corpus/low/mine", 1, 0);
  EXPECT_EQ(CampaignFolder(folder_).prepare("low"), 1u);
  EXPECT_THAT(names("corpus/low"), ElementsAre(empty, "mine"));
}

// What a short run leaves undone is told with a command that runs as it is printed.
TEST_F(RunTest, AShortRunShrinksNothingAndSaysHow) {
  save("crashes/new/oob/it's.wfz", fake("oob", FaultClass::oob_read, 1, 9));
  const std::uint64_t before = fs::file_size(in("crashes/new/oob/it's.wfz"));
  const testing_cli::Output o = run("run oob --time 3");
  EXPECT_EQ(o.code, kExitFinding) << o.out << o.err;
  EXPECT_THAT(o.out, HasSubstr("left undone: 1 finding is not shrunk\n"));
  EXPECT_THAT(o.out, HasSubstr("show it: "));
  EXPECT_EQ(fs::file_size(in("crashes/new/oob/it's.wfz")), before);
  const std::size_t at = o.out.find("shrink it: ") + 11;
  ASSERT_GT(at, 11u) << o.out;
  const std::string command = o.out.substr(at, o.out.find('\n', at) - at);
  EXPECT_EQ(std::system(("cd '" + folder_ + "' && " + command + " >/dev/null 2>&1").c_str()), 0) << command;
  EXPECT_LT(read_wfz(in("crashes/new/oob/it's.wfz"))->bytes[2], 9);
}

TEST_F(RunTest, ChoresAreSaidWithWhatTheyTook) {
  save("crashes/new/oob/oob-1.wfz", fake("oob", FaultClass::oob_read, 1, 9));
  const testing_cli::Output o = run("run oob --time 12 --chores 90");
  EXPECT_THAT(o.out, HasSubstr("oob: shrinking crashes/new/oob/oob-1.wfz, "));
  EXPECT_THAT(o.out, HasSubstr("oob: crashes/new/oob/oob-1.wfz is smaller now, after "));
  EXPECT_THAT(o.out, HasSubstr("shrinking 1 time, "));
  EXPECT_THAT(o.out, ::testing::Not(HasSubstr("left undone: 1 finding")));
}

// A target that does not run a single case is put aside, and says why.
TEST_F(RunTest, ATargetThatDoesNotStart) {
  fs::remove(in("bin/fuzz_clean"));
  std::ofstream(in("bin/fuzz_clean")) << "#!/bin/sh\necho 'warpfuzz: no library' >&2\nexit 1\n";
  ASSERT_EQ(::chmod(in("bin/fuzz_clean").c_str(), 0755), 0);
  const testing_cli::Output o = run("run clean --time 30");
  EXPECT_EQ(o.code, kExitTargetError) << o.out << o.err;
  EXPECT_THAT(o.out, HasSubstr("clean is not run any more: three processes in a row ran no case: no library"));
}

// A chore may take longer than a short run: none starts before each target has had a turn.
TEST_F(RunTest, EachTargetHasATurnBeforeAnyChore) {
  save("crashes/new/clean/oob-1.wfz", fake("clean", FaultClass::oob_write, 1, 3));  // waits to be shrunk
  const testing_cli::Output o = run("run clean sticky abort --time 3 --json");
  EXPECT_EQ(o.json()["not_run"], nlohmann::json::array()) << o.out << o.err;
  Index index(folder_, false);
  for (const TargetRow& t : index.targets()) EXPECT_GE(t.slices, 1u) << t.target;
  ASSERT_EQ(index.findings().size(), 1u);
  EXPECT_EQ(index.findings()[0].bytes, fs::file_size(in("crashes/new/clean/oob-1.wfz")));
}

TEST_F(RunTest, TargetsWithoutATurnAreNamed) {
  fs::remove(in("bin/fuzz_clean"));
  std::ofstream(in("bin/fuzz_clean")) << "#!/bin/sh\nexec sleep 30\n";
  ASSERT_EQ(::chmod(in("bin/fuzz_clean").c_str(), 0755), 0);
  const testing_cli::Output o = run("run clean sticky --time 1 --slice 60");
  EXPECT_THAT(o.out, HasSubstr("no turn for 1 of 2 targets, more --time or --workers reaches them: sticky")) << o.err;
}

}  // namespace
}  // namespace warpfuzz::cli
