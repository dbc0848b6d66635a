// What is said of an argument that is no flag, and what passes.
#include "engine/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/invocation.h"

namespace warpfuzz {
namespace {

using testing::HasSubstr;

std::string check(const std::string& argument) { return check_flags({argument}); }

TEST(Flags, ThoseOfLibFuzzerPass) {
  EXPECT_EQ(check_flags({"-runs=5", "-runs=-1", "-seed=7", "-artifact_prefix=out/", "-dict=", "corpus", "-fork=2"}),
            "");
  // What libFuzzer gives its own child processes.
  EXPECT_EQ(check_flags({"-merge_inner=1", "-merge_control_file=/tmp/x", "-minimize_crash_internal_step=1",
                         "-features_dir=f", "-stop_file=s", "-seed_inputs=@list"}),
            "");
}

TEST(Flags, TheNearestIsNamed) {
  EXPECT_THAT(check("-run=3"), HasSubstr("unknown flag '-run=3'; did you mean -runs=3?"));
  EXPECT_THAT(check("-max_totaltime=4"), HasSubstr("did you mean -max_total_time=4?"));
  EXPECT_THAT(check("--runs=3"), HasSubstr("unknown flag '--runs=3'; did you mean -runs=3?"));
  EXPECT_THAT(check("-runs"), HasSubstr("did you mean -runs=N?"));
  EXPECT_THAT(check("-artifact-prefix"), HasSubstr("did you mean -artifact_prefix=TEXT?"));
  for (const char* lost : {"-", "--", "-x", "--completely-different=1"}) {
    EXPECT_THAT(check(lost), HasSubstr("unknown flag '" + std::string(lost) + "'; -help=1 lists all flags")) << lost;
  }
}

TEST(Flags, AnOptionOfTheEnvironmentIsRecognised) {
  EXPECT_THAT(check("-known=continue"), HasSubstr("did you mean WARPFUZZ_OPTIONS=known=continue in the environment?"));
  EXPECT_THAT(check("--hang=3"), HasSubstr("WARPFUZZ_OPTIONS=hang=3"));
}

TEST(Flags, NumbersAreNumbers) {
  EXPECT_EQ(check("-runs=abc"), "-runs: expected a whole number of at most 2147483647, got 'abc'");
  EXPECT_EQ(check("-max_total_time=4.5"), "-max_total_time: expected a whole number of at most 2147483647, got '4.5'");
  EXPECT_EQ(check("-seed=-1"), "-seed: expected a whole number from 0 to 4294967295, got '-1'");
  EXPECT_EQ(check("-seed=4294967295"), "");
  EXPECT_EQ(check("-seed=4294967296"), "-seed: expected a whole number from 0 to 4294967295, got '4294967296'");
  EXPECT_EQ(check("-runs=99999999999999999999"),
            "-runs: expected a whole number of at most 2147483647, got '99999999999999999999'");
  EXPECT_EQ(check("-fork=-1"), "-fork: expected a whole number from 0 to 2147483647, got '-1'");
  EXPECT_EQ(check("-fork=2147483648"), "-fork: expected a whole number from 0 to 2147483647, got '2147483648'");
  EXPECT_EQ(check("-merge=-0"), "-merge: expected a whole number from 0 to 2147483647, got '-0'");
  EXPECT_EQ(check("-fork=+1"), "-fork: expected a whole number from 0 to 2147483647, got '+1'");
  EXPECT_EQ(check("-runs="), "-runs: expected a whole number of at most 2147483647, got ''");
}

// A sign passes where libFuzzer has a use for it: no limit, off, an exit code that the system wraps.
TEST(Flags, CountsHaveNoSign) {
  std::vector<std::string> with_sign;
  for (const FuzzerFlag& f : fuzzer_flags())
    if (f.value != FlagValue::text && check("-" + std::string(f.name) + "=-1").empty()) with_sign.emplace_back(f.name);
  EXPECT_THAT(with_sign, testing::ElementsAre("error_exitcode", "exit_on_time", "max_total_time", "print_funcs",
                                              "purge_allocator_interval", "runs", "timeout", "timeout_exitcode"));
}

TEST(Flags, WhatStandsBehindTheirEndIsNotRead) {
  EXPECT_EQ(check_flags({"-runs=1", "-ignore_remaining_args=1", "-x", "--y=2"}), "");
  EXPECT_NE(check_flags({"-ignore_remaining_args=0", "-x"}), "");
  const Invocation in = parse_invocation({"-seed=3", "-ignore_remaining_args=1", "-seed=4", "file"});
  EXPECT_EQ(in.seed, 3u);
  EXPECT_TRUE(in.inputs.empty());
}

TEST(Flags, HelpIsAskedForInManyWays) {
  for (const char* a : {"-help=1", "-help", "--help", "-h", "--h"}) EXPECT_TRUE(asks_for_help(a)) << a;
  for (const char* a : {"-help=0", "help", "-hang=1", "-handle_int=1", "--helpful"})
    EXPECT_FALSE(asks_for_help(a)) << a;
  EXPECT_TRUE(parse_invocation({"corpus", "--help"}).help);
}

}  // namespace
}  // namespace warpfuzz
