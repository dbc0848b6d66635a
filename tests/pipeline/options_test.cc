// WARPFUZZ_OPTIONS: each is read, a mistake is named, and the page has the table of them.
#include "pipeline/options.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

namespace warpfuzz {
namespace {

using testing::HasSubstr;

TEST(Options, EveryNameIsRead) {
  const Options o =
      parse_options(
          "crashes=a/b:known=continue:restart=off:dtype=fp16:features=off:learned=off:shrink=off:hang=3:extra=1:checked=4:gpu=2:inflight=off:counts=c")
          .value();
  EXPECT_EQ(o.crashes, "a/b");
  EXPECT_TRUE(o.known_continue);
  EXPECT_EQ(o.dtype, "fp16");
  EXPECT_FALSE(o.value_features || o.learned || o.shrink || o.in_flight || o.restart);
  EXPECT_EQ(o.hang_seconds, 3);
  EXPECT_EQ(o.extra_run_one_in, 1);
  EXPECT_EQ(o.checked_run_one_in, 4);
  EXPECT_EQ(o.gpu, 2);
  EXPECT_EQ(o.counts, "c");
}

TEST(Options, EmptyTextAndEmptyItemsAreFine) {
  EXPECT_TRUE(parse_options(""));
  const Options o = parse_options("::hang=0:").value();
  EXPECT_EQ(o.hang_seconds, 0);
}

TEST(Options, SwitchesAreWordsOrNumbers) {
  const Options o = parse_options("shrink=0:learned=1").value();
  EXPECT_FALSE(o.shrink);
  EXPECT_TRUE(o.learned);
}

TEST(Options, APathMayHoldColons) {
  const Options o = parse_options("crashes='a:b':counts=\"it's:c\":hang=1").value();
  EXPECT_EQ(o.crashes, "a:b");
  EXPECT_EQ(o.counts, "it's:c");
  EXPECT_EQ(o.hang_seconds, 1);
}

TEST(Options, MistakesAreNamed) {
  EXPECT_THAT(
      parse_options("knwon=continue").line(),
      HasSubstr("unknown option 'knwon'; known are: crashes=DIR known=stop|continue restart=on|off dtype=NAME"));
  EXPECT_EQ(parse_options("known=maybe").line(), "known: expected continue or stop, got 'maybe'");
  EXPECT_EQ(parse_options("known=1").line(), "known: expected continue or stop, got '1'");
  EXPECT_EQ(parse_options("shrink=no").line(), "shrink: expected on or off, got 'no'");
  EXPECT_EQ(parse_options("hang=-1").line(), "hang: expected a whole number of at least 0, got '-1'");
  EXPECT_THAT(parse_options("hang=3x").line(), HasSubstr("got '3x'"));
  EXPECT_THAT(parse_options("shrink").line(), HasSubstr("'shrink': expected name=value; known are: crashes=DIR"));
  EXPECT_EQ(parse_options("counts=").line(), "counts: expected a file, got nothing");
  EXPECT_EQ(parse_options("crashes=").line(), "crashes: expected a folder, got nothing");
  EXPECT_EQ(parse_options("crashes='a").line(), "crashes: expected a closing ' behind 'a");
}

TEST(Options, OneThatIsGivenTwiceIsAMistake) {
  EXPECT_EQ(parse_options("dtype=fp16:hang=1:dtype=fp32").line(),
            "dtype: expected once, got 'fp16' and then 'fp32'; leave one out");
  EXPECT_EQ(parse_options("hang=1:hang=1").line(), "hang: expected once, got '1' and then '1'; leave one out");
}

TEST(Options, HelpHasALineForEach) {
  const std::string help = describe_options();
  for (const OptionInfo& o : option_infos())
    EXPECT_THAT(help, HasSubstr("\n  " + std::string(o.name) + "=" + o.values + " ")) << o.name;
  EXPECT_THAT(help, HasSubstr("[10]\n"));
  EXPECT_EQ(help.find('`'), std::string::npos);
}

TEST(Options, ThePageHasTheSameTable) {
  std::ifstream in(WARPFUZZ_OPTIONS_PAGE);
  ASSERT_TRUE(in) << WARPFUZZ_OPTIONS_PAGE;
  std::stringstream page;
  page << in.rdbuf();
  std::string table;
  for (const OptionInfo& o : option_infos()) {
    std::string values = o.values;  // in a table a plain bar ends the cell
    for (std::size_t at = 0; (at = values.find('|', at)) != std::string::npos; at += 2) values.insert(at, "\\");
    table +=
        "| `" + std::string(o.name) + "=" + values + "` | " + std::string(o.meaning) + " | " + o.otherwise + " |\n";
  }
  EXPECT_THAT(page.str(), HasSubstr("|---|---|---|\n" + table + "\n")) << table;
}

}  // namespace
}  // namespace warpfuzz
