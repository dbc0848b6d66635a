// The command line of a target binary, through a real one.
#include "engine/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "command.h"

namespace warpfuzz::test {
namespace {

using targets_test::CommandResult;
using targets_test::run_command;
using targets_test::ScratchFolder;
using testing::HasSubstr;
using testing::Not;

const std::string kZoo = std::string(WARPFUZZ_TEST_BIN) + "/fuzz_fault_zoo";

TEST(CommandLine, HelpIsPrintedHoweverItIsAskedFor) {
  for (const char* how : {"-help=1", "--help", "-h", "-help"}) {
    const CommandResult r = run_command({kZoo, how}, "", 30);
    EXPECT_EQ(r.exit_code, 0) << how;
    EXPECT_THAT(r.all(), HasSubstr("target fault_zoo: op copy")) << how;
    EXPECT_THAT(r.all(), HasSubstr("-max_total_time")) << how;
    EXPECT_THAT(r.all(), Not(HasSubstr("INITED"))) << how;
  }
}

TEST(CommandLine, WhatIsNoFlagIsOneLineAndNothingRuns) {
  ScratchFolder f;
  for (const auto& [argument, said] :
       std::map<std::string, std::string>{{"--runs=3", "did you mean -runs=3?"},
                                          {"-run=3", "did you mean -runs=3?"},
                                          {"-max_totaltime=4", "did you mean -max_total_time=4?"},
                                          {"-fork=-1", "-fork: expected a whole number from 0 to 2147483647, got '-1'"},
                                          {"-runs=abc", "expected a whole number of at most 2147483647, got 'abc'"}}) {
    const CommandResult r =
        run_command({"/usr/bin/env", "-C", f.path().string(), kZoo, argument, "-max_total_time=5"}, "", 30);
    EXPECT_EQ(r.exit_code, 80) << argument;
    EXPECT_THAT(r.errors, HasSubstr(said));
    EXPECT_EQ(std::count(r.errors.begin(), r.errors.end(), '\n'), 1) << r.errors;
    EXPECT_TRUE(r.output.empty()) << r.output;
  }
  EXPECT_TRUE(std::filesystem::is_empty(f.path()));
}

TEST(CommandLine, ArgumentsBehindTheEndOfFlagsAreIgnored) {
  ScratchFolder f;
  const CommandResult r = run_command(
      {"/usr/bin/env", "-C", f.path().string(), kZoo, "-help=1", "-ignore_remaining_args=1", "-x", "--runs=3"}, "", 30);
  EXPECT_EQ(r.exit_code, 0) << r.errors;
}

// The table against the binary's own list, both ways: what -help=1 lists is accepted, and libFuzzer knows what the table has.
TEST(CommandLine, TheTableOfFlagsIsLibFuzzersOwn) {
  std::istringstream help(run_command({kZoo, "-help=1"}).errors);
  std::vector<std::string> listed;
  bool inside = false;
  for (std::string line; std::getline(help, line);) {
    if (line.starts_with("Flags: ")) inside = true;
    else if (line.empty()) inside = inside && listed.empty();
    else if (inside && line[0] == ' ') listed.push_back(line.substr(1, line.find_first_of(" \t", 1) - 1));
  }
  ASSERT_GT(listed.size(), 60u);
  for (const std::string& name : listed) {
    EXPECT_TRUE(std::ranges::any_of(fuzzer_flags(), [&](const FuzzerFlag& f) { return f.name == name; })) << name;
  }
  std::vector<std::string> all = {kZoo};
  for (const FuzzerFlag& f : fuzzer_flags()) {
    if (f.name != "help") all.push_back("-" + std::string(f.name) + "=0");
  }
  all.push_back("-help=1");
  const CommandResult r = run_command(all);
  EXPECT_EQ(r.exit_code, 0) << r.errors;
  EXPECT_THAT(r.all(), Not(HasSubstr("unrecognized flag")));
}

}  // namespace
}  // namespace warpfuzz::test
