// The ranges that a target declares: they are tried, and what was not is said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "command.h"

namespace warpfuzz::test {
namespace {

using targets_test::CommandResult;
using targets_test::run_command;
using targets_test::ScratchFolder;
using testing::HasSubstr;
using testing::Not;

const std::string kBin = WARPFUZZ_TEST_BIN, kWide = kBin + "/fuzz_wide_rmsnorm", kSoftmax = kBin + "/fuzz_softmax";

std::string prefix(const ScratchFolder& f) { return "-artifact_prefix=" + f.path().string() + "/"; }

TEST(Ranges, ABugBeyondTheOpsOwnLimitIsFound) {
  for (const char* seed : {"-seed=1", "-seed=2", "-seed=3"}) {
    const ScratchFolder f;
    const CommandResult r = run_command({kWide, seed, "-runs=5000", prefix(f)});
    ASSERT_EQ(r.exit_code, 77) << r.errors;
    std::smatch m;
    ASSERT_TRUE(
        std::regex_search(r.errors, m, std::regex("at execution [0-9]*: rmsnorm fp32 rows=[0-9]* cols=([0-9]*)")))
        << r.errors;
    EXPECT_GT(std::stoi(m[1]), 8192);
  }
}

TEST(Ranges, HelpAndTheSummaryNameThoseInForce) {
  const ScratchFolder f;
  EXPECT_THAT(run_command({kWide, "-help=1"}).output, HasSubstr("\n  dims rows 1..128, cols 1..16384\n"));
  const CommandResult brief = run_command({kWide, "-seed=1", "-runs=1", prefix(f)});
  EXPECT_EQ(brief.exit_code, 0) << brief.errors;
  EXPECT_THAT(
      brief.errors,
      HasSubstr(
          "\n  dims: rows 1..128, largest tried 1; cols 1..16384, largest tried 1\n  cols: declared to 16384, largest tried 1\n"));
  const CommandResult longer = run_command({kSoftmax, "-seed=1", "-runs=3000", prefix(f)});
  EXPECT_THAT(longer.errors, HasSubstr("; cols 1..4096, largest tried "));
  EXPECT_THAT(longer.errors, Not(HasSubstr("cols: declared to")));  // its upper half was reached
}

}  // namespace
}  // namespace warpfuzz::test
