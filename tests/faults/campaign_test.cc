// Campaigns as a user runs them: libFuzzer's own flags, what is left after a kill, folders that cannot be written, files
// that are damaged.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>

#include "base/process/process.h"
#include "command.h"
#include "findings/finding.h"
#include "small_disk.h"

namespace warpfuzz::test {
namespace {

namespace fs = std::filesystem;
using targets_test::CommandResult;
using targets_test::run_command;
using targets_test::ScratchFolder;
using testing::HasSubstr;
using testing::Not;

const std::string kBin = WARPFUZZ_TEST_BIN, kSoftmax = kBin + "/fuzz_softmax", kBug = kBin + "/fuzz_softmax_tail_mask",
                  kZoo = kBin + "/fuzz_fault_zoo";

CommandResult with_options(const std::string& options, std::vector<std::string> argv, int seconds = 120) {
  argv.insert(argv.begin(), {"/usr/bin/env", "WARPFUZZ_OPTIONS=" + options});
  return run_command(argv, "", seconds);
}
int number(const std::string& text, const std::string& pattern) {
  std::smatch m;
  return std::regex_search(text, m, std::regex(pattern)) ? std::stoi(m[1]) : -1;
}
std::string prefix(const ScratchFolder& f) { return "-artifact_prefix=" + f.path().string() + "/"; }

// Starts a program in the background, its standard error thrown away.
void start(Process& child, const std::vector<std::string>& argv) {
  using Kind = Stream::Kind;
  ASSERT_EQ(child.start({argv, {}, {Kind::ours}, {Kind::ours}, {Kind::nothing}}), "");
}

// Files of the folder whose names begin so.
std::vector<fs::path> named(const fs::path& folder, const std::string& begin) {
  std::vector<fs::path> list;
  for (const auto& e : fs::directory_iterator(folder))
    if (e.path().filename().string().starts_with(begin)) list.push_back(e.path());
  return list;
}

TEST(Campaign, ABugIsFoundShrunkSavedAndReplays) {
  ScratchFolder f;
  const CommandResult r = run_command({kBug, "-seed=2", "-runs=300", prefix(f)});
  ASSERT_EQ(r.exit_code, 77) << r.errors;
  const auto files = f.files(".wfz");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_LE(fs::file_size(files[0]), 2048u);
  const Result<Finding> read = read_wfz(files[0].string());
  ASSERT_TRUE(read) << read.line();
  EXPECT_LE(input_elements(*read), 4u);
  const CommandResult replay = run_command({kBug, files[0].string()});
  EXPECT_EQ(replay.exit_code, 77);
  EXPECT_THAT(replay.errors, HasSubstr("reproduced; inputs bit-identical; 0 of "));
  EXPECT_THAT(replay.errors, Not(HasSubstr("NOT reproduced")));
  // libFuzzer's raw artifact replays the same key.
  const auto artifacts = named(f.path(), "crash-");
  ASSERT_EQ(artifacts.size(), 1u) << r.errors;
  const CommandResult raw = run_command({kBug, artifacts[0].string()});
  EXPECT_EQ(raw.exit_code, 77);
  EXPECT_THAT(raw.errors, HasSubstr("SUMMARY: WarpFuzz: softmax_tail_mask/value"));
}

// The report from its headline to its summary, without the line that says how to replay.
std::string report_in(const std::string& text) {
  const std::size_t begin = text.find("==WARPFUZZ== ERROR: "),
                    end = text.find('\n', text.find("SUMMARY: WarpFuzz: ", begin));
  if (begin == std::string::npos || end == std::string::npos) return "no report in: " + text;
  return std::regex_replace(text.substr(begin, end - begin), std::regex("\n  replay  [^\n]*"), "");
}

// What is printed after shrinking is what the file says, number by number.
TEST(Campaign, TheReportOfAShrunkFindingIsThatOfItsFile) {
  for (const std::string& target : {kBug, kBin + "/fuzz_matmul_overwrite"}) {
    ScratchFolder f;
    const CommandResult r = run_command({target, "-seed=3", "-runs=300", prefix(f)});
    ASSERT_EQ(r.exit_code, 77) << r.errors;
    ASSERT_THAT(r.errors, HasSubstr("warpfuzz: shrunk in "));
    const CommandResult shown = run_command({kBin + "/warpfuzz", "show", f.files(".wfz").at(0).string()});
    EXPECT_EQ(report_in(r.errors), report_in(shown.all()));
    EXPECT_THAT(report_in(r.errors), HasSubstr(target == kBug ? "x the half-width" : " alone: off by 4"));
    EXPECT_THAT(report_in(r.errors), Not(HasSubstr("\n  history  "))) << "a kernel without state of its own";
  }
}

TEST(Campaign, AReplayNamesTheFilesOfTheUser) {
  ScratchFolder f;
  const std::string wfz = (f.path() / "a.wfz").string(), text = (f.path() / "b.case").string(),
                    right = (f.path() / "c.case").string();
  std::ofstream(text) << "op: softmax\nexpect: value\nrows: 1\ncols: 3\n";
  std::ofstream(right) << "op: softmax\nrows: 1\ncols: 4\n";
  ASSERT_EQ(run_command({kBug, "-seed=2", "-runs=300", prefix(f)}).exit_code, 77);
  fs::rename(f.files(".wfz").at(0), wfz);
  for (const std::string& file : {wfz, text, right}) {
    const CommandResult r = run_command({kBug, file});
    EXPECT_EQ(r.exit_code, file == right ? 0 : 77) << r.errors;
    EXPECT_THAT(r.errors, HasSubstr("Running: " + file + "\n"));
    EXPECT_THAT(r.errors, Not(testing::ContainsRegex("/warpfuzz-[0-9]+/")));  // no temporary file stands in for it
  }
  // Several at once, and a file given twice.
  const CommandResult both = run_command({kBug, right, right, text});
  EXPECT_EQ(both.exit_code, 77);
  EXPECT_THAT(both.errors, HasSubstr("no finding: softmax fp32 rows=1 cols=4"));
  EXPECT_THAT(both.errors, HasSubstr("SUMMARY: WarpFuzz: softmax_tail_mask/value"));
}

TEST(Campaign, TheSameSeedGivesTheSameRun) {
  ScratchFolder a, b;
  const auto run = [](const ScratchFolder& f) {
    return run_command({kSoftmax, "-seed=5", "-runs=300", prefix(f), f.make("corpus").string()});
  };
  const CommandResult x = run(a), y = run(b);
  EXPECT_EQ(x.exit_code, 0) << x.errors;
  const std::string pattern = "warpfuzz: softmax: ([^\n]*)";
  std::smatch mx, my;
  ASSERT_TRUE(std::regex_search(x.errors, mx, std::regex(pattern)) &&
              std::regex_search(y.errors, my, std::regex(pattern)));
  EXPECT_EQ(mx[1], my[1]);
}

// Under names that a shell would split: the engine starts its processes through one.
TEST(Campaign, ForkMergeAndJobsWork) {
  ScratchFolder f;
  const auto corpus = f.make("a corpus"), merged = f.make("what's merged");
  const std::string fuzzer = (f.path() / "a fuzzer").string();
  fs::create_symlink(kSoftmax, fuzzer);
  const CommandResult forked =
      run_command({fuzzer, "-fork=2", "-runs=400", "-max_total_time=25", prefix(f), corpus.string()});
  EXPECT_EQ(forked.exit_code, 0) << forked.errors;
  EXPECT_FALSE(fs::is_empty(corpus));
  const CommandResult merge =
      run_command({fuzzer, "-merge=1", "-merge_control_file=" + (f.path() / "a control file").string(), prefix(f),
                   merged.string(), corpus.string()});
  EXPECT_EQ(merge.exit_code, 0) << merge.errors;
  EXPECT_FALSE(fs::is_empty(merged));
  EXPECT_TRUE(f.files(".wfz").empty());
  const CommandResult jobs = run_command(
      {"/usr/bin/env", "-C", f.path().string(), fuzzer, "-jobs=2", "-workers=2", "-runs=50", corpus.string()});
  EXPECT_EQ(jobs.exit_code, 0) << jobs.errors;
  EXPECT_TRUE(fs::exists(f.path() / "fuzz-1.log"));
}

TEST(Campaign, AFindingEndsAForkedCampaignUnlessIgnored) {
  ScratchFolder f;
  const CommandResult r = run_command({kBug, "-fork=1", "-max_total_time=20", prefix(f), f.make("corpus").string()});
  EXPECT_EQ(r.exit_code, 77) << r.errors;
  EXPECT_FALSE(f.files(".wfz").empty());
}

TEST(Campaign, MinimizeCrashTakesAReproducer) {
  ScratchFolder f;
  ASSERT_EQ(run_command({kBug, "-seed=2", "-runs=300", prefix(f)}).exit_code, 77);
  const auto files = f.files(".wfz");
  ASSERT_EQ(files.size(), 1u);
  const CommandResult r =
      run_command({kBug, "-minimize_crash=1", "-runs=30", "-max_total_time=5", prefix(f), files[0].string()});
  EXPECT_THAT(r.errors, HasSubstr("CRASH_MIN:")) << r.errors;
  EXPECT_EQ(f.files(".wfz").size(), 1u) << "minimising saves no findings";
}

TEST(Campaign, KnownKeysAreCountedAndTheCampaignGoesOn) {
  ScratchFolder f;
  // Away from the source tree, whose crashes/ makes the key known from the start.
  const auto run = [&](const char* seed) {
    return run_command({"/usr/bin/env", "-C", f.path().string(), "WARPFUZZ_OPTIONS=known=continue", kBug, seed,
                        "-runs=150", prefix(f)});
  };
  const CommandResult first = run("-seed=1");
  EXPECT_EQ(first.exit_code, 0) << first.errors;
  const int counted = number(first.errors, "known finding softmax_tail_mask/value: ([0-9]+)");
  EXPECT_GT(counted, 5);
  const std::size_t saved = f.files(".wfz").size();
  EXPECT_GE(saved, 1u);
  EXPECT_LE(saved, 2u) << "one file a key";
  const CommandResult second = run("-seed=2");
  EXPECT_EQ(second.exit_code, 0) << second.errors;
  EXPECT_THAT(second.errors, HasSubstr("known finding softmax_tail_mask/value"));
  EXPECT_EQ(f.files(".wfz").size(), saved);
}

// A campaign that is killed; then another one in its folders. The number of cases that the first was killed in: 0 or 1.
std::size_t killed_and_taken_up(const ScratchFolder& f, int seed) {
  const auto corpus = f.make("corpus");
  const std::string artifacts = prefix(f), corpus_text = corpus.string();
  Process process;
  start(process, {kSoftmax, "-seed=" + std::to_string(seed), artifacts, corpus_text});
  const pid_t child = process.pid();
  for (int i = 0; i < 200 && (fs::is_empty(corpus) || i < 20); ++i) usleep(50'000);
  EXPECT_EQ(kill(child, SIGKILL), 0);
  const auto status = process.wait(in_seconds(120));
  EXPECT_TRUE(status && status->signal == SIGKILL);
  EXPECT_FALSE(fs::is_empty(corpus)) << "inputs are on disk as they are found";
  const fs::path in_flight = f.path() / (".inflight-" + std::to_string(child));
  EXPECT_TRUE(fs::exists(in_flight));
  const CommandResult r = run_command({kSoftmax, "-runs=1", artifacts, corpus_text});
  EXPECT_EQ(r.exit_code, 0) << r.errors;
  EXPECT_FALSE(fs::exists(in_flight));
  const auto interrupted = named(f.path(), "interrupted-");
  for (const fs::path& file : interrupted) {
    EXPECT_THAT(r.errors, HasSubstr("was killed while it ran a case"));
    EXPECT_EQ(run_command({kSoftmax, file.string()}).exit_code, 0);
  }
  return interrupted.size();
}

TEST(Campaign, KilledInTheMiddleNothingIsLost) {
  // Now and then it is killed between two cases, when nothing is in flight; most of its time it is in one.
  std::size_t interrupted = 0;
  for (int seed = 3; seed < 13 && !interrupted && !testing::Test::HasFailure(); ++seed) {
    ScratchFolder f;
    interrupted = killed_and_taken_up(f, seed);
  }
  EXPECT_EQ(interrupted, 1u);
}

// Time that passes while the process is stopped (or waits for a busy machine) is no hang.
TEST(Campaign, AStoppedProcessIsNoHang) {
  ScratchFolder f;
  const std::string artifacts = prefix(f);
  std::vector<std::string> text = {
      "/usr/bin/env", "WARPFUZZ_OPTIONS=hang=1", kSoftmax, "-seed=3", "-runs=2000", "-timeout=1", artifacts};
  Process process;
  ASSERT_NO_FATAL_FAILURE(start(process, text));
  const pid_t child = process.pid();
  for (int i = 0; i < 100 && !fs::exists(f.path() / (".inflight-" + std::to_string(child))); i++) usleep(20'000);
  usleep(200'000);
  ASSERT_EQ(kill(child, SIGSTOP), 0);
  usleep(2'500'000);
  ASSERT_EQ(kill(child, SIGCONT), 0);
  const auto status = process.wait(in_seconds(120));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 0) << status->signal;
  EXPECT_TRUE(f.files(".wfz").empty());
}

TEST(Campaign, ACrashesFolderThatCannotBeMade) {
  ScratchFolder f;
  std::ofstream(f.path() / "file") << "in the way";
  const CommandResult r =
      with_options("crashes=" + (f.path() / "file" / "crashes").string(), {kBug, "-seed=2", "-runs=300"});
  EXPECT_EQ(r.exit_code, 84) << r.errors;
  EXPECT_THAT(r.errors, HasSubstr("cannot create or write the crashes folder"));
}

TEST(Campaign, AFullDiskIsSaidAndTheCaseIsInTheLog) {
  ScratchFolder f;
  const auto small = f.make("small");
  const targets_test::SmallDisk disk(small, "4k");
  if (!disk.mounted())
    GTEST_SKIP() << "NOT TESTED: a full disk: this system lets nobody but root mount a small file system";
  std::ofstream(small / "filler") << std::string(8192, 'x');
  const CommandResult r = with_options("crashes=" + small.string(), {kBug, "-seed=2", "-runs=300", prefix(f)});
  EXPECT_EQ(r.exit_code, 77) << r.errors;
  EXPECT_THAT(r.errors, HasSubstr("No space left on device"));
  EXPECT_THAT(r.errors, HasSubstr("the finding is not on disk, its case is: 01"));
  EXPECT_THAT(r.errors, HasSubstr("SUMMARY: WarpFuzz: softmax_tail_mask/value"));
}

TEST(Campaign, DamagedReproducersAreNamed) {
  ScratchFolder f;
  ASSERT_EQ(run_command({kBug, "-seed=2", "-runs=300", prefix(f)}).exit_code, 77);
  const auto files = f.files(".wfz");
  ASSERT_EQ(files.size(), 1u);
  const auto damaged = f.path() / "damaged.wfz";
  fs::copy_file(files[0], damaged);
  fs::resize_file(damaged, fs::file_size(damaged) / 2);
  const CommandResult cut = run_command({kBug, damaged.string()});
  EXPECT_EQ(cut.exit_code, 81) << cut.errors;
  EXPECT_THAT(cut.errors, HasSubstr("damaged.wfz"));
  std::ofstream(damaged) << "not a reproducer";
  EXPECT_EQ(run_command({kBug, damaged.string()}).exit_code, 81);
  const CommandResult other = run_command({kBin + "/fuzz_matmul_overwrite", files[0].string()});
  EXPECT_EQ(other.exit_code, 81) << other.errors;
  EXPECT_THAT(other.errors, HasSubstr("run fuzz_softmax_tail_mask"));
  EXPECT_EQ(run_command({kBug, (f.path() / "missing.wfz").string()}).exit_code, 81);
}

TEST(Campaign, InputsThatLibFuzzerWouldMisreadAreRefused) {
  ScratchFolder f;
  const auto cases = f.make("cases"), corpus = f.make("corpus");
  std::ofstream(cases / "a.case") << "rows: 1\n";
  const CommandResult folder = run_command({kSoftmax, "-runs=0", cases.string()});
  EXPECT_EQ(folder.exit_code, 81);
  EXPECT_THAT(folder.errors, HasSubstr("holds a.case"));
  const CommandResult mixed = run_command({kSoftmax, "-merge=1", corpus.string(), (cases / "a.case").string()});
  EXPECT_EQ(mixed.exit_code, 81);
  EXPECT_THAT(mixed.errors, HasSubstr("a file among corpus folders"));
  const CommandResult missing = run_command({kSoftmax, (f.path() / "missing").string()});
  EXPECT_EQ(missing.exit_code, 81);
  EXPECT_THAT(missing.errors, HasSubstr("No such file"));
}

TEST(Campaign, AFaultThatKillsIsSavedAndShrunkFromOutside) {
  ScratchFolder f;
  const auto file = f.path() / "seed.case";
  std::ofstream(file) << "n: 200\nx: normal seed=9\nwhich: 2\n";
  const CommandResult encoded = run_command(
      {kBin + "/warpfuzz", "encode", "fault_zoo", file.string(), "-o", (f.make("corpus") / "seed").string()});
  ASSERT_EQ(encoded.exit_code, 0) << encoded.all();
  const CommandResult r = run_command({kZoo, "-runs=1", prefix(f), (f.path() / "corpus").string()});
  EXPECT_EQ(r.exit_code, 77) << r.errors;
  const auto files = f.files(".wfz");
  ASSERT_EQ(files.size(), 1u) << r.errors;
  EXPECT_THAT(files[0].filename().string(), testing::StartsWith("oob-write-write_past_end-"));
  EXPECT_EQ(read_wfz(files[0].string())->attributes.at("unshrunk"), "its process ended");
  const auto small = f.path() / "small.wfz";
  const CommandResult shrunk =
      run_command({kBin + "/warpfuzz", "shrink", files[0].string(), "--seconds", "30", "-o", small.string()});
  EXPECT_EQ(shrunk.exit_code, 0) << shrunk.all();
  const CommandResult replay = run_command({kZoo, small.string()});
  EXPECT_EQ(replay.exit_code, 77) << replay.errors;
  EXPECT_THAT(replay.errors, HasSubstr("SUMMARY: WarpFuzz: fault_zoo/oob-write/write_past_end"));
  const Result<Finding> read = read_wfz(small.string());
  ASSERT_TRUE(read) << read.line();
  EXPECT_LE(input_elements(*read), 5u);
  EXPECT_FALSE(read->attributes.contains("unshrunk"));
}

// The process dies in the first call; a replay asks for the tensors of both.
TEST(Campaign, AFaultThatKillsACaseOfTwoCallsReplaysFromItsFile) {
  ScratchFolder f;
  const auto file = f.path() / "seed.case";
  std::ofstream(file) << "op: copy\nexpect: oob-write\nn: 9\ncalls: 2\nwhich: 2\nx: normal seed=3\n";
  ASSERT_EQ(run_command(
                {kBin + "/warpfuzz", "encode", "fault_zoo", file.string(), "-o", (f.make("corpus") / "seed").string()})
                .exit_code,
            0);
  ASSERT_EQ(run_command({kZoo, "-runs=1", prefix(f), (f.path() / "corpus").string()}).exit_code, 77);
  const auto files = f.files(".wfz");
  ASSERT_EQ(files.size(), 1u);
  const Result<Finding> read = read_wfz(files[0].string());
  ASSERT_TRUE(read) << read.line();
  ASSERT_EQ(read->inputs.size(), 2u);
  EXPECT_EQ(read->inputs[0].call, 0);
  EXPECT_EQ(read->inputs[1].call, 1);
  EXPECT_NE(read->inputs[0].hash, read->inputs[1].hash);
  EXPECT_EQ(read->attributes.at("dtype"), "fp32");
  const CommandResult replay = run_command({kZoo, files[0].string()});
  EXPECT_EQ(replay.exit_code, 77) << replay.errors;
  EXPECT_THAT(replay.errors, Not(HasSubstr("lacks tensor")));
  EXPECT_THAT(replay.errors, HasSubstr("SUMMARY: WarpFuzz: fault_zoo/oob-write/write_past_end"));
}

TEST(Campaign, BadOptionsAreUsageErrors) {
  const CommandResult r = with_options("knwon=continue", {kBug, "-runs=1"});
  EXPECT_EQ(r.exit_code, 80);
  EXPECT_THAT(r.errors, HasSubstr("unknown option 'knwon'"));
  const CommandResult dtype = with_options("dtype=fp8", {kBug, "-runs=1"});
  EXPECT_EQ(dtype.exit_code, 80);
  EXPECT_THAT(dtype.errors, HasSubstr("expected one of fp32, fp16, bf16, got 'fp8'"));
}

// Addresses are other ones in each process; nothing that steers the search may depend on them. (Without -reload=0 the engine looks into
// the folder once a second, and what it reads there again depends on the clock.)
TEST(Campaign, OneSeedGivesOneCorpus) {
  std::vector<std::string> corpus[2];
  int features[2];
  for (int i = 0; i < 2; ++i) {
    ScratchFolder f;
    const CommandResult r = run_command({kSoftmax, "-seed=9", "-runs=1000", "-reload=0", prefix(f), f.path().string()});
    ASSERT_EQ(r.exit_code, 0) << r.errors;
    features[i] = number(r.errors, "DONE .*ft: ([0-9]+)");
    for (const auto& entry : fs::directory_iterator(f.path())) corpus[i].push_back(entry.path().filename().string());
    std::sort(corpus[i].begin(), corpus[i].end());
  }
  EXPECT_GT(corpus[0].size(), 20u);
  EXPECT_GT(features[0], 0);
  EXPECT_EQ(corpus[1], corpus[0]);
  EXPECT_EQ(features[1], features[0]);
}

TEST(Campaign, HelpShowsTheTargetsNarrowing) {
  const CommandResult r = run_command({kSoftmax, "-help=1"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_THAT(r.all(), HasSubstr("target softmax: op softmax"));
  EXPECT_THAT(r.all(), HasSubstr("cols <= 4096"));
  EXPECT_THAT(r.all(), HasSubstr("-max_total_time"));
}

}  // namespace
}  // namespace warpfuzz::test
