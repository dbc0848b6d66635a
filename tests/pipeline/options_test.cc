// The words of WARPFUZZ_OPTIONS, and what is said about those that are none.
#include "pipeline/options.h"

#include <gmock/gmock.h>

namespace warpfuzz {
namespace {

using testing::HasSubstr;

TEST(Options, EveryNameIsRead) {
  Options o;
  ASSERT_FALSE(parse_options(
      "crashes=a/b:known=continue:dtype=fp16:features=off:learned=off:shrink=off:hang=3:extra=1:inflight=off:counts=c",
      o));
  EXPECT_EQ(o.crashes, "a/b");
  EXPECT_TRUE(o.known_continue);
  EXPECT_EQ(o.dtype, "fp16");
  EXPECT_FALSE(o.value_features || o.learned || o.shrink || o.in_flight);
  EXPECT_EQ(o.hang_seconds, 3);
  EXPECT_EQ(o.extra_run_one_in, 1);
  EXPECT_EQ(o.counts, "c");
}

TEST(Options, EmptyTextAndEmptyItemsAreFine) {
  Options o;
  EXPECT_FALSE(parse_options("", o));
  EXPECT_FALSE(parse_options("::hang=0:", o));
  EXPECT_EQ(o.hang_seconds, 0);
}

TEST(Options, MistakesAreNamed) {
  Options o;
  EXPECT_THAT(parse_options("knwon=continue", o).value(), HasSubstr("unknown option 'knwon'"));
  EXPECT_THAT(parse_options("known=maybe", o).value(), HasSubstr("expected continue or stop, got 'maybe'"));
  EXPECT_THAT(parse_options("hang=-1", o).value(), HasSubstr("hang: expected a whole number"));
  EXPECT_THAT(parse_options("hang=3x", o).value(), HasSubstr("got '3x'"));
  EXPECT_THAT(parse_options("shrink", o).value(), HasSubstr("expected name=value"));
  EXPECT_THAT(parse_options("counts=", o).value(), HasSubstr("expected a file"));
  EXPECT_THAT(parse_options("crashes=", o).value(), HasSubstr("expected a folder"));
}

}  // namespace
}  // namespace warpfuzz
