// What stands on the screen last when a target dies, and where the stack is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "command.h"

namespace warpfuzz::test {
namespace {

namespace fs = std::filesystem;
using targets_test::CommandResult;
using targets_test::read_text;
using targets_test::run_command;
using targets_test::ScratchFolder;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kBin = WARPFUZZ_TEST_BIN, kBug = kBin + "/fuzz_softmax_tail_mask", kZoo = kBin + "/fuzz_fault_zoo";

std::string prefix(const ScratchFolder& f) { return "-artifact_prefix=" + f.path().string() + "/"; }

CommandResult campaign_of(const ScratchFolder& f, int which, std::vector<std::string> more = {}) {
  const auto text = f.path() / "one.case", corpus = f.make("corpus");
  std::ofstream(text) << "n: 40\nwhich: " << which << "\n";
  EXPECT_EQ(run_command({kBin + "/warpfuzz", "encode", "fault_zoo", text.string(), "-o", (corpus / "one").string()})
                .exit_code,
            0);
  more.insert(more.begin(), {kZoo, "-runs=0", prefix(f), corpus.string()});
  return run_command(more);
}

// The one log of the folder, beside the one reproducer.
std::string log_of(const ScratchFolder& f) {
  const auto logs = f.files(".log"), findings = f.files(".wfz");
  EXPECT_EQ(logs.size(), 1u);
  EXPECT_EQ(findings.size(), 1u);
  if (logs.size() != 1 || findings.size() != 1) return "";
  EXPECT_EQ(logs[0].stem(), findings[0].stem());
  return read_text(logs[0]);
}

TEST(Screen, OfAWrongValueEndsWithTheReport) {
  ScratchFolder f;
  const CommandResult r = run_command({kBug, "-seed=2", "-runs=300", prefix(f)});
  EXPECT_EQ(r.exit_code, 77);
  const std::string log = log_of(f);
  EXPECT_THAT(log, HasSubstr("libFuzzer: deadly signal"));
  EXPECT_THAT(log, HasSubstr("Test unit written to"));
  EXPECT_THAT(r.errors, Not(HasSubstr("deadly signal")));
  EXPECT_THAT(r.errors, HasSubstr("\nDEDUP_TOKEN: softmax_tail_mask/value\n"));
  EXPECT_THAT(last_line(r.errors), StartsWith("warpfuzz: the stack, and what else libFuzzer says: "));
  EXPECT_THAT(last_line(r.errors), HasSubstr(f.files(".log")[0].string()));
  // `keep` takes the reproducer and leaves no log without one.
  const auto kept = f.make("kept");
  const CommandResult keep =
      run_command({kBin + "/warpfuzz", "keep", f.files(".wfz")[0].string(), "--crashes", kept.string()});
  EXPECT_EQ(keep.exit_code, 0) << keep.all();
  EXPECT_TRUE(f.files(".log").empty());
}

TEST(Screen, OfAnAccessOutOfBoundsEndsWithTheReport) {
  ScratchFolder f;
  const CommandResult r = campaign_of(f, 2, {"-print_final_stats=1"});
  EXPECT_EQ(r.exit_code, 77);
  const std::string log = log_of(f);
  EXPECT_THAT(log, HasSubstr("ERROR: AddressSanitizer"));
  EXPECT_THAT(log, HasSubstr("#0 0x"));
  EXPECT_THAT(r.errors, Not(HasSubstr("#0 0x")));
  EXPECT_THAT(r.errors, HasSubstr("\nDEDUP_TOKEN: fault_zoo/oob-write/write_past_end\n"));
  EXPECT_THAT(r.errors, testing::ContainsRegex("\nstat::number_of_executed_units: [1-9]"))
      << "a parent of -fork reads it";
  EXPECT_THAT(last_line(r.errors), HasSubstr(".log"));
}

TEST(Screen, OfAHangEndsWithTheReport) {
  ScratchFolder f;
  const CommandResult r = campaign_of(f, 30, {"-timeout=1"});
  EXPECT_EQ(r.exit_code, 77);
  EXPECT_THAT(log_of(f), HasSubstr("deadly signal"));
  EXPECT_THAT(last_line(r.errors), HasSubstr(".log"));
}

// A replay writes no files: the sanitizer's stack comes first, the engine's, which only shows that a finding was reported, not at all.
TEST(Screen, OfAReplayEndsWithTheReport) {
  ScratchFolder f;
  const auto file = f.path() / "one.case";
  std::ofstream(file) << "n: 40\nwhich: 2\n";
  const CommandResult r = run_command({kZoo, file.string()});
  EXPECT_EQ(r.exit_code, 77);
  EXPECT_EQ(last_line(r.errors), "DEDUP_TOKEN: fault_zoo/oob-write/write_past_end");
  const std::size_t stack = r.errors.find("ERROR: AddressSanitizer"), report = r.errors.find("SUMMARY: WarpFuzz");
  ASSERT_NE(stack, std::string::npos) << r.errors;
  EXPECT_LT(stack, report);
  std::ofstream(file) << "n: 40\nwhich: 17\n";
  const CommandResult wrong = run_command({kZoo, file.string()});
  EXPECT_EQ(wrong.exit_code, 77);
  EXPECT_EQ(last_line(wrong.errors), "DEDUP_TOKEN: fault_zoo/special");
  EXPECT_THAT(wrong.errors, Not(HasSubstr("deadly signal")));
  EXPECT_TRUE(f.files(".log").empty());
}

TEST(Screen, OfHostCodesFaultHasTheStack) {
  ScratchFolder f;
  const CommandResult r = campaign_of(f, 40);
  EXPECT_EQ(r.exit_code, 77);
  EXPECT_THAT(r.errors, HasSubstr("ERROR: AddressSanitizer: heap-buffer-overflow"));
  EXPECT_THAT(r.errors, testing::ContainsRegex("#[0-9]+ 0x[^\n]*fault_zoo"));
  EXPECT_THAT(last_line(r.errors), StartsWith("DEDUP_TOKEN: "));
  EXPECT_EQ(f.files(".wfz").size(), 1u);
}

TEST(Screen, OfADeathWithoutAFindingHasTheStack) {
  ScratchFolder f;
  const CommandResult r = campaign_of(f, 26);  // the launcher calls exit
  EXPECT_EQ(r.exit_code, 77);
  EXPECT_THAT(r.errors, HasSubstr("libFuzzer: fuzz target exited"));
  EXPECT_THAT(r.errors, HasSubstr("#0 0x"));
  EXPECT_TRUE(f.files(".log").empty());
}

TEST(Screen, OfAForkedCampaignShowsTheReportAndCountsTheCases) {
  ScratchFolder f;
  const CommandResult r = run_command({kBug, "-fork=1", "-max_total_time=20", prefix(f), f.make("corpus").string()});
  EXPECT_EQ(r.exit_code, 77);
  EXPECT_THAT(r.errors, HasSubstr("SUMMARY: WarpFuzz: softmax_tail_mask/value"));
  EXPECT_THAT(r.errors, Not(HasSubstr("deadly signal")));
  EXPECT_THAT(r.errors, testing::ContainsRegex("\n#[1-9][0-9]*: cov: "))
      << "libFuzzer's parent has read how many cases ran";
  EXPECT_THAT(r.errors, testing::ContainsRegex("warpfuzz: softmax_tail_mask: [1-9][0-9]* executions"));
}

}  // namespace
}  // namespace warpfuzz::test
