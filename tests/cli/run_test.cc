// `warpfuzz run` without a real target: its folder, its lines, its table, its usage errors.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "cli/campaign_folder.h"
#include "cli/context.h"
#include "cli/fuzzer_line.h"
#include "cli/index.h"
#include "cli/run_view.h"
#include "cli_fixture.h"
#include "findings/exit_codes.h"

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

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
  put("corpus/.merge-low/b", 1), put("corpus/.merge-low/dropped", 1);  // killed behind the exchange, or before: the same
  put("corpus/.old-low/c", 1);                                        // killed between two renames
  put("crashes/new/low/.value-1.wfz.77.0.tmp", 1), put("crashes/new/low/.shrink-77.wfz", 1), put("crashes/new/low/value-1.wfz", 1);
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
  put(crashes + "special-1.wfz", 8, 4096), put(crashes + "special-2.wfz", 7, 4096), put(crashes + "special-3.wfz", 1, 4096);
  put(crashes + "crash-1", 6, 4096), put(crashes + "crash-2", 5, 4096), put(crashes + "timeout-1", 9, 4096);
  const std::vector<std::string> needed{"crashes/new/low/value-1.wfz", "crashes/new/low/special-2.wfz"};
  EXPECT_THAT(folder.prune_crashes("low", 6 * 4096, needed), ElementsAre(HasSubstr("special-1.wfz")));
  EXPECT_THAT(folder.prune_crashes("low", 5 * 4096, needed), ElementsAre(HasSubstr("crash-1")));
  folder.prune_crashes("low", 1, needed);  // as far as it may
  EXPECT_THAT(names(crashes), ElementsAre("crash-2", "special-2.wfz", "timeout-1", "value-1.wfz"));
}

TEST(FuzzerLine, StatusLines) {
  FuzzerStatus s;
  ASSERT_TRUE(parse_status("#4096\tNEW    cov: 120 ft: 340 corp: 87/2345b lim: 4 exec/s: 1024 rss: 80Mb L: 30/96 MS: 1 Custom-", s));
  EXPECT_EQ(s.executions, 4096u);
  EXPECT_EQ(s.edges, 120u);
  EXPECT_EQ(s.features, 340u);
  EXPECT_EQ(s.corpus, 87u);
  EXPECT_TRUE(s.is_new);
  ASSERT_TRUE(parse_status("#8192\tpulse  cov: 121 ft: 341 corp: 88/2Kb lim: 4 exec/s: 1024 rss: 80Mb", s));
  EXPECT_FALSE(s.is_new);
  for (const char* other : {"", "#", "#12 nothing", "INFO: Seed: 1", "==WARPFUZZ== ERROR: value: cov: 3", "cov: 3"}) EXPECT_FALSE(parse_status(other, s)) << other;
  EXPECT_EQ(s.edges, 121u);
  ASSERT_TRUE(parse_merge("MERGE-OUTER: 61 new files with 700 new features added; 120 new coverage edges", s));
  EXPECT_EQ(s.corpus, 61u);
  EXPECT_EQ(s.features, 700u);
  EXPECT_EQ(s.edges, 120u);
  EXPECT_FALSE(parse_merge("MERGE-OUTER: the control file has 3 bytes", s));
  EXPECT_TRUE(says_finding("warpfuzz: low/value at execution 3: low fp32 n=1"));
  EXPECT_TRUE(says_finding("warpfuzz: reproducer written to a.wfz; `warpfuzz shrink a.wfz` makes it smaller"));
  EXPECT_FALSE(says_finding("warpfuzz: shrunk in 3 attempts"));
}

TEST(RunViewTest, DrawsOverItself) {
  RunView view(true);
  ViewRow row;
  row.target.target = "low", row.target.executions = 1234567, row.target.last_new = 900;
  row.workers = 2, row.rate = 12345;
  FindingRow f;
  f.target = "low", f.key = "low/value", f.count = 17;
  row.findings = {f};
  ::testing::internal::CaptureStdout();
  view.draw("head", {row}, 1000);
  const std::string first = ::testing::internal::GetCapturedStdout();
  EXPECT_THAT(first, StartsWith("head\n"));
  EXPECT_THAT(first, HasSubstr("1.2M"));
  EXPECT_THAT(first, HasSubstr("12.3k"));
  EXPECT_THAT(first, HasSubstr("2 min"));
  EXPECT_THAT(first, HasSubstr("value 17"));
  ::testing::internal::CaptureStdout();
  view.draw("head", std::vector<ViewRow>(60, row), 1000);
  const std::string second = ::testing::internal::GetCapturedStdout();
  EXPECT_THAT(second, StartsWith("\x1b[3A\x1b[J"));
  EXPECT_LE(std::count(second.begin(), second.end(), '\n'), 24);  // no terminal: 24 lines are assumed
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
  expect("run nothing --time 1", kExitNoTarget, "no target 'nothing'");
  expect("run controls --time 1", kExitNoTarget, "targets.json");
  expect("run clean --time 1 --folder a:b", kExitUsage, "without ':'");
  std::ofstream(in("file")) << "x";
  expect("run clean --time 1 --folder file", kExitCannotWrite, "cannot create or write the folder 'file/campaign'");
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
