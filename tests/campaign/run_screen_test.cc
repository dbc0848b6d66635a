// The screen of a campaign with data that stands still, and the budget of its chores.
#include <gmock/gmock.h>

#include <limits>

#include "campaign/chore_budget.h"
#include "campaign/dims_reached.h"
#include "campaign/run_view.h"

namespace warpfuzz::cli {
namespace {

TEST(DimsReached, ComeFromTheLastWordsAndAddUp) {
  const std::string first = "rows 1..128, largest tried 128; cols 1..4096, largest tried 31",
                    second = "rows 1..128, largest tried 7; cols 1..4096, largest tried 4018";
  EXPECT_EQ(dims_line("DONE\nwarpfuzz: softmax: 9 executions\n  dims: " + first +
                      "\n  cols: declared to 4096, largest tried 31\n"),
            first);
  EXPECT_EQ(dims_line("killed"), "");
  EXPECT_EQ(merge_dims(first, second), "rows 1..128, largest tried 128; cols 1..4096, largest tried 4018");
  EXPECT_EQ(merge_dims("", second), second);
  EXPECT_EQ(merge_dims(first, ""), first);
  EXPECT_EQ(merge_dims(first, "n 1..9, largest tried 2"), "n 1..9, largest tried 2") << "the target has changed";
}

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

ViewRow row(const std::string& name, std::uint64_t executions, int workers, double rate) {
  ViewRow r;
  r.target.target = name, r.target.executions = executions, r.target.last_new = 900;
  r.target.edges = 100, r.target.features = 200, r.target.corpus = 30;
  r.workers = workers, r.rate = rate;
  return r;
}

Screen example() {
  Screen s;
  s.head = "warpfuzz run, 12 min of 1.0 h, 4 workers, seed 7, log campaign/log";
  s.now = 1000;
  s.workers = {{"low", "fuzzing", 45, 12000}, {"high", "merging 120 inputs", 3, 0}};
  s.idle = 2, s.why_idle = "1 target waits after many deaths, the first goes on in 8 s";
  s.chore_seconds = 72, s.worker_seconds = 2880;
  s.newest_key = "low/value", s.newest_file = "crashes/new/low/value-1e1241d2.wfz", s.newest_time = 880;
  s.rows = {row("high", 1000, 0, 0), row("low", 1234567, 1, 12000)};
  s.rows[0].doing = "merging";
  FindingRow f;
  f.target = "low", f.key = "low/value", f.count = 17;
  s.rows[1].findings = {f};
  return s;
}

TEST(RunScreen, ShowsTotalsWorkersTheNewestFindingAndTargets) {
  EXPECT_THAT(lines_of(example(), 40, 120),
              ElementsAre("warpfuzz run, 12 min of 1.0 h, 4 workers, seed 7, log campaign/log",
                          "2 targets, 1.2M executions, 12.0k/s, 1 finding, cov 200 ft 400 corpus 60",
                          "chores 72 s, 2.5 % of the workers' time",
                          "newest finding crashes/new/low/value-1e1241d2.wfz (low/value, 2 min ago)", "",
                          "  low   fuzzing             45 s  12.0k/s", "  high  merging 120 inputs   3 s",
                          "  2 workers idle: 1 target waits after many deaths, the first goes on in 8 s", "",
                          "TARGET  W  exec/s  execs  cov   ft  corpus  last new  FINDINGS",
                          "high                1000  100  200      30     2 min  merging",
                          "low     1   12.0k   1.2M  100  200      30     2 min  value 17"));
}

TEST(RunScreen, NeverIsLargerThanTheTerminal) {
  Screen s = example();
  for (int i = 0; i < 40; ++i)
    s.workers.push_back({"t" + std::to_string(i), "fuzzing", 1, 10}),
        s.rows.push_back(row("t" + std::to_string(i), 10, 1, 10));
  for (const int height : {8, 12, 24, 50, 100}) {
    const std::vector<std::string> lines = lines_of(s, height, 60);
    EXPECT_LE(lines.size(), static_cast<std::size_t>(height));
    for (const std::string& line : lines) EXPECT_LT(line.size(), 60u) << line;
  }
  const std::vector<std::string> lines = lines_of(s, 24, 100);
  EXPECT_THAT(lines, ::testing::Contains(HasSubstr("more workers at work")));
  EXPECT_THAT(lines, ::testing::Contains(HasSubstr("2 workers idle")));
  EXPECT_THAT(lines, ::testing::Contains(StartsWith("low ")));  // what has a finding and is at work comes first
}

TEST(RunScreen, DrawsOverItself) {
  RunView view(true);
  ::testing::internal::CaptureStdout();
  view.draw(example());
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), StartsWith("warpfuzz run, "));
  ::testing::internal::CaptureStdout();
  view.draw(example());
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), StartsWith("\x1b[12A\x1b[J"));
}

TEST(ChoreBudget, AccumulatesAndIsOneTenthOfAllWorkersTime) {
  ChoreBudget b(0.1, 4, 600);
  EXPECT_FALSE(b.fits(10, 5));
  EXPECT_TRUE(b.fits(12.5, 5));
  b.begin(5);
  EXPECT_FALSE(b.fits(24, 5));  // what runs is counted with what it was expected to take
  b.end(5, 9);                  // and with what it took
  EXPECT_NEAR(b.left(25), 1, 1e-9);
  EXPECT_EQ(b.spent(), 9);
  EXPECT_FALSE(b.overdrawn(231));  // 240 s of the whole run
  EXPECT_TRUE(b.overdrawn(232));
}

TEST(ChoreBudget, ARunWithoutAnEndPaysBackAndAShareOfNothingAllowsNothing) {
  ChoreBudget b(0.1, 1, std::numeric_limits<double>::infinity());
  b.begin(1);
  b.end(1, 100);
  EXPECT_FALSE(b.overdrawn(1000));
  EXPECT_FALSE(b.fits(1000, 1));
  EXPECT_TRUE(b.fits(1010, 1));
  EXPECT_FALSE(ChoreBudget(0, 8, 1000).fits(1000, 0.1));
}

}  // namespace
}  // namespace warpfuzz::cli
