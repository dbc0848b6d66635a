// What a campaign that a fault ended hands to its next process.
#include "engine/restart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpfuzz {
namespace {

using ::testing::ElementsAre;

Invocation invocation(const std::vector<std::string>& arguments) {
  Invocation in = parse_invocation(arguments);
  in.program = "./fuzz_x";
  return in;
}

TEST(Restart, WhatIsLeftOfTheRunsAndAnotherSeed) {
  const Invocation in = invocation({"-runs=200", "-seed=7", "-artifact_prefix=a/"});
  const auto left = remaining_arguments(in, take_over(), 60);
  ASSERT_TRUE(left);
  ASSERT_EQ(left->size(), 3u);
  EXPECT_EQ((*left)[0], "-runs=140");
  EXPECT_TRUE((*left)[1].starts_with("-seed=") && (*left)[1] != "-seed=7") << (*left)[1];
  EXPECT_EQ((*left)[2], "-artifact_prefix=a/");
  EXPECT_EQ(remaining_arguments(in, take_over(), 60), left);  // the same seed each time
  EXPECT_FALSE(remaining_arguments(in, take_over(), 200));
}

TEST(Restart, WhatIsLeftOfTheTime) {
  Carried state = take_over();
  state.began -= std::int64_t{40} * 1000000000;
  EXPECT_THAT(remaining_arguments(invocation({"-max_total_time=100", "x/"}), state, 1000).value(),
              ElementsAre("-max_total_time=60", "x/"));
  EXPECT_FALSE(remaining_arguments(invocation({"-max_total_time=30"}), state, 1));
  EXPECT_THAT(remaining_arguments(invocation({"-max_total_time=0", "-runs=-1"}), state, 1).value(), ElementsAre());
}

TEST(Restart, NothingIsTakenFromAForeignVariable) {
  setenv("WARPFUZZ_CARRIED", "0", 1);
  const Carried c = take_over();
  EXPECT_EQ(c.deaths, 0);
  EXPECT_GT(c.began, 0);
  EXPECT_EQ(getenv("WARPFUZZ_CARRIED"), nullptr);
}

}  // namespace
}  // namespace warpfuzz
