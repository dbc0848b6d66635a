// Campaigns that go on: behind faults that are known and end the process, behind cases that cannot be run, with one file for
// each variant of a key.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>

#include "command.h"
#include "findings/variant.h"

namespace warpfuzz::test {
namespace {

namespace fs = std::filesystem;
using targets_test::CommandResult;
using targets_test::run_command;
using targets_test::ScratchFolder;
using testing::HasSubstr;
using testing::Not;

const std::string kBin = WARPFUZZ_TEST_BIN, kEndings = kBin + "/fuzz_endings", kPair = kBin + "/fuzz_pair_values",
                  kBug = kBin + "/fuzz_softmax_tail_mask";

// Away from the source tree, whose crashes/ makes keys known from the start.
CommandResult in_folder(const ScratchFolder& f, const std::string& options, std::vector<std::string> argv) {
  argv.insert(argv.begin(), {"/usr/bin/env", "-C", f.path().string(), "WARPFUZZ_OPTIONS=" + options});
  argv.push_back("-artifact_prefix=" + f.path().string() + "/");
  return run_command(argv, "", 200);
}
int number(const std::string& text, const std::string& pattern) {
  std::smatch m;
  return std::regex_search(text, m, std::regex(pattern)) ? std::stoi(m[1]) : -1;
}

// How many files there are of each "key variant".
std::map<std::string, int> saved(const ScratchFolder& f) {
  std::map<std::string, int> files;
  for (const fs::path& path : f.files(".wfz")) {
    const Result<Finding> read = read_wfz(path.string());
    EXPECT_TRUE(read) << read.line();
    if (read) ++files[bucket_key(*read) + " " + variant_of(*read)];
  }
  return files;
}

TEST(Known, TwoBugsOfOneClassAreTwoVariants) {
  ScratchFolder f;
  const CommandResult r = in_folder(f, "known=continue", {kPair, "-seed=1", "-runs=6000"});
  EXPECT_EQ(r.exit_code, 0) << r.errors;
  const std::map<std::string, int> expected{{"pair_values/value ordinary", 1}, {"pair_values/value special", 1}};
  EXPECT_EQ(saved(f), expected) << r.errors;
  for (const fs::path& path : f.files(".wfz")) {
    const Result<Finding> read = read_wfz(path.string());
    ASSERT_TRUE(read);
    EXPECT_LE(input_elements(*read), 2u) << path;
    const bool special = variant_of(*read) == kSpecial;
    EXPECT_EQ(path.filename().string().find("special") != std::string::npos, special);
    const CommandResult replay = run_command({kPair, path.string()});
    EXPECT_EQ(replay.exit_code, 77);
    EXPECT_THAT(replay.errors, HasSubstr(special ? "\n  variant      special" : "\n  variant      ordinary"));
    EXPECT_THAT(replay.errors, HasSubstr(": reproduced; inputs bit-identical; 0 of "));
  }
  // They are known to the next campaign.
  EXPECT_EQ(in_folder(f, "known=continue", {kPair, "-seed=2", "-runs=3000"}).exit_code, 0);
  EXPECT_EQ(saved(f), expected);
}

TEST(Known, FaultsThatEndTheProcessDoNotEndTheCampaign) {
  ScratchFolder f;
  const CommandResult r =
      in_folder(f, "known=continue:dtype=bf16", {kEndings, "-seed=1", "-runs=200", f.make("corpus").string()});
  EXPECT_EQ(r.exit_code, 0) << r.errors;
  EXPECT_EQ(number(r.errors, "warpfuzz: endings: ([0-9]+) executions"), 200) << r.errors;
  EXPECT_GT(number(r.errors, "known finding endings/oob-read/copy_beyond: ([0-9]+)"), 2) << r.errors;
  EXPECT_GT(number(r.errors, "known finding endings/launch: ([0-9]+)"), 2) << r.errors;
  EXPECT_THAT(r.errors, HasSubstr("endings/oob-read/copy_beyond ended the process at execution "));
  const std::map<std::string, int> expected{{"endings/oob-read/copy_beyond ", 1}, {"endings/launch ", 1}};
  EXPECT_EQ(saved(f), expected);
}

// A process that begins anew has the corpus to load, and that is no reason to run more.
TEST(Known, ARestartRunsNoMoreThanIsLeft) {
  ScratchFolder f;
  const fs::path corpus = f.make("corpus");
  const std::string options = "known=continue:dtype=bf16";
  ASSERT_EQ(in_folder(f, options, {kEndings, "-seed=1", "-runs=200", corpus.string()}).exit_code, 0);
  const auto inputs = std::distance(fs::directory_iterator(corpus), fs::directory_iterator());
  const auto runs = inputs + 20;  // a fault behind the first 20 leaves less than the corpus
  const CommandResult r =
      in_folder(f, options, {kEndings, "-seed=1", "-runs=" + std::to_string(runs), corpus.string()});
  EXPECT_EQ(r.exit_code, 0) << r.errors;
  EXPECT_GT(number(r.errors, " ended the process at execution ([0-9]+)"), 20) << r.errors;
  EXPECT_EQ(number(r.errors, "warpfuzz: endings: ([0-9]+) executions"), runs) << r.errors;
}

TEST(Known, RestartOffEndsTheCampaignAtTheFirst) {
  ScratchFolder f;
  const CommandResult r = in_folder(f, "known=continue:restart=off:dtype=bf16", {kEndings, "-seed=1", "-runs=200"});
  EXPECT_EQ(r.exit_code, 77) << r.errors;
}

TEST(Known, AForkedCampaignWritesOneFileAVariant) {
  ScratchFolder f;
  const CommandResult r =
      in_folder(f, "", {kBug, "-fork=2", "-ignore_crashes=1", "-max_total_time=12", f.make("corpus").string()});
  EXPECT_TRUE(r.exit_code == 0 || r.exit_code == 77) << r.exit_code << r.errors;  // of the last child
  const std::map<std::string, int> files = saved(f);
  EXPECT_FALSE(files.empty()) << r.errors;
  for (const auto& [variant, n] : files) EXPECT_EQ(n, 1) << variant;
}

TEST(Unsupported, OnlyTheCaseIsLeftOut) {
  ScratchFolder f;
  const fs::path corpus = f.make("corpus");
  const CommandResult r = in_folder(f, "dtype=fp32", {kEndings, "-seed=1", "-runs=400", corpus.string()});
  EXPECT_EQ(r.exit_code, 0) << r.errors;
  EXPECT_GE(number(r.errors, "warpfuzz: endings: ([0-9]+) executions"), 400);
  EXPECT_GT(number(r.errors, "\n  ([0-9]+) cases could not be run"), 10) << r.errors;
  EXPECT_THAT(r.errors, HasSubstr("cooperative: cooperative launches are not supported on the CPU executor: "));
  EXPECT_THAT(r.errors, Not(HasSubstr("target error")));
  // None of them is in the corpus: a replay of one ends with 88.
  std::vector<std::string> replay{kEndings};
  for (const auto& entry : fs::directory_iterator(corpus)) replay.push_back(entry.path().string());
  ASSERT_GT(replay.size(), 2u);
  EXPECT_EQ(in_folder(f, "dtype=fp32", replay).exit_code, 0);
  std::ofstream(f.path() / "one.case") << "dtype: fp32\nn: 8\npath: 3\nx: normal seed=1\n";
  EXPECT_EQ(run_command({kEndings, (f.path() / "one.case").string()}).exit_code, 88);
}

TEST(Unsupported, WhereNothingElseRunsTheCampaignEnds) {
  ScratchFolder f;
  const CommandResult r = in_folder(f, "dtype=fp16", {kEndings, "-seed=1", "-runs=4000"});
  EXPECT_EQ(r.exit_code, 88) << r.errors;
  EXPECT_THAT(r.errors, HasSubstr("none of the "));
  EXPECT_LE(number(r.errors, "none of the ([0-9]+) cases"), 200);
  const CommandResult few = in_folder(f, "dtype=fp16", {kEndings, "-seed=1", "-runs=10"});
  EXPECT_EQ(few.exit_code, 88) << few.errors;
}

TEST(Unsupported, MergesLeaveThemOut) {
  ScratchFolder f;
  const fs::path corpus = f.make("corpus"), merged = f.make("merged");
  for (const char* path : {"0", "3"}) {
    const fs::path text = f.path() / (std::string(path) + ".case");
    std::ofstream(text) << "dtype: fp32\nn: 8\nx: normal seed=1\npath: " << path << "\n";
    ASSERT_EQ(
        run_command({kBin + "/warpfuzz", "encode", "endings", text.string(), "-o", (corpus / path).string()}).exit_code,
        0);
  }
  const CommandResult r = in_folder(f, "known=continue", {kEndings, "-merge=1", merged.string(), corpus.string()});
  EXPECT_EQ(r.exit_code, 0) << r.errors;
  EXPECT_TRUE(f.files(".wfz").empty());
}

}  // namespace
}  // namespace warpfuzz::test
