// What goes wrong in a target's own functions (its reference, its constraints, a launcher that is not there) is a mistake of the
// target, exit code 83, and never a finding of its kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "command.h"

namespace warpfuzz::test {
namespace {

namespace fs = std::filesystem;
using targets_test::CommandResult;
using targets_test::run_command;
using targets_test::ScratchFolder;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::string kBin = WARPFUZZ_TEST_BIN, kZoo = kBin + "/fuzz_reference_zoo";
constexpr int kTargetError = 83;

struct Kind {
  int how;
  const char* says;
  const char* at = "";  // text of the line that is named
  int lines = 1;        // how many from there on may be named
};
std::ostream& operator<<(std::ostream& out, const Kind& k) { return out << k.how; }

CommandResult replay(const std::string& body) {
  const ScratchFolder f;
  const std::string file = (f.path() / "a.case").string();
  std::ofstream(file) << "op: copy\nn: 7\n" << body << "x: normal seed=3\n";
  return run_command({"/usr/bin/env", "WARPFUZZ_OPTIONS=hang=1", kZoo, file});
}

// " at .../fuzz_reference_zoo.cc:21", as a pattern.
std::string place(const Kind& kind) {
  if (!*kind.at) return "";
  std::ifstream source(std::string(WARPFUZZ_TEST_FAULTS_DIR) + "/fuzz_reference_zoo.cc");
  int number = 1;
  for (std::string line; std::getline(source, line) && line.find(kind.at) == std::string::npos;) ++number;
  std::string numbers = std::to_string(number);
  for (int i = 1; i < kind.lines; ++i) numbers += "|" + std::to_string(number + i);
  return " at .*fuzz_reference_zoo.cc:(" + numbers + ")\n";
}

class InTheReference : public testing::TestWithParam<Kind> {};

TEST_P(InTheReference, IsATargetErrorInOneLine) {
  const Kind& kind = GetParam();
  const CommandResult r = replay("how: " + std::to_string(kind.how) + "\n");
  EXPECT_EQ(r.exit_code, kTargetError) << r.errors;
  EXPECT_THAT(r.errors, ContainsRegex("warpfuzz: target error: the reference of op copy" + (kind.says + place(kind))));
  EXPECT_THAT(r.errors, Not(HasSubstr("DEDUP_TOKEN")));
  EXPECT_THAT(r.errors, Not(HasSubstr("==WARPFUZZ==")));
}

INSTANTIATE_TEST_SUITE_P(
    EveryKind, InTheReference,
    testing::Values(
        Kind{1, ": write of 4 bytes out of the bounds of heap memory", "copy[far] = 1"},
        Kind{2, " threw an exception: no table for this shape\n"},
        Kind{3, " threw an exception that is no std::exception\n"}, Kind{4, " called exit", "std::exit(5)"},
        Kind{5, " called abort", "std::abort()"}, Kind{6, " died of a null or wild pointer .SIGSEGV.", "*null = 1"},
        Kind{7, " died of an integer division by zero .SIGFPE.", "7 / zero"},
        Kind{8, " died of a stack overflow[^\n]*", "int recurse", 4},
        Kind{9, " ran when the case took more than 1 s of processor time", "while (!zero)", 2},
        Kind{10, " died of a trap .SIGILL.", "__builtin_trap"}, Kind{11, " gave 8 elements of tensor 'y', expected 7"},
        Kind{12, " gave two values for one case: y\\[2\\] = [-0-9.e]*, then [-0-9.e]*; it must be a pure function"},
        Kind{13, " gave two values for one case: y\\[3\\] has the bound e = 1, then 2"}));

TEST(TargetError, ARightReferencePasses) { EXPECT_EQ(replay("how: 0\n").exit_code, 0); }

TEST(TargetError, AConstraintThatFailsIsNamed) {
  const CommandResult thrown = replay("m: 61\n"), divided = replay("m: 59\n");
  EXPECT_EQ(thrown.exit_code, kTargetError) << thrown.errors;
  EXPECT_THAT(thrown.errors,
              HasSubstr("target error: the repair of the constraint m has a plan threw an exception: no room for 61"));
  EXPECT_EQ(divided.exit_code, kTargetError) << divided.errors;
  EXPECT_THAT(divided.errors,
              ContainsRegex("the repair of the constraint m has a plan.* at .*fuzz_reference_zoo.cc:[0-9]+"));
}

TEST(TargetError, ACampaignKeepsTheCaseAndNoFinding) {
  const ScratchFolder f;
  const std::string prefix = "-artifact_prefix=" + f.path().string() + "/";
  const CommandResult r =
      run_command({"/usr/bin/env", "WARPFUZZ_OPTIONS=hang=1", kZoo, "-seed=1", "-runs=5000", prefix});
  EXPECT_EQ(r.exit_code, kTargetError) << r.errors;
  EXPECT_TRUE(f.files(".wfz").empty());
  std::smatch m;
  ASSERT_TRUE(std::regex_search(
      r.errors, m, std::regex("target error: the reference.*; the case is kept as ([^\n]*target-error-[0-9a-f]*)\n")))
      << r.errors;
  const std::string kept = m[1];
  EXPECT_EQ(fs::path(kept).parent_path(), f.path());
  for (const auto& entry : fs::directory_iterator(f.path())) EXPECT_EQ(entry.path(), kept);  // nothing else is left
  const CommandResult again = run_command({"/usr/bin/env", "WARPFUZZ_OPTIONS=hang=1", kZoo, kept});
  EXPECT_EQ(again.exit_code, kTargetError);
  EXPECT_THAT(again.errors, HasSubstr("target error: the reference"));
}

TEST(TargetError, TheCommandSaysItToo) {
  const ScratchFolder f;
  const std::string file = (f.path() / "a.case").string();
  std::ofstream(file) << "op: copy\nn: 7\nhow: 1\nx: normal seed=3\n";
  const CommandResult r = run_command({kBin + "/warpfuzz", "replay", "--bin", kBin, "--target", "reference_zoo", file});
  EXPECT_EQ(r.exit_code, kTargetError) << r.output << r.errors;
  EXPECT_THAT(r.output + r.errors, HasSubstr("target error: the reference of op copy: write of 4 bytes"));
}

TEST(TargetError, ARunPutsTheTargetAside) {
  const ScratchFolder f;
  const CommandResult r = run_command({kBin + "/warpfuzz", "run", "reference_zoo", "--bin", kBin, "--folder",
                                       (f.path() / "camp").string(), "--time", "20", "--seed", "1"});
  EXPECT_EQ(r.exit_code, kTargetError) << r.output << r.errors;
  EXPECT_THAT(r.output + r.errors,
              HasSubstr("reference_zoo is not run any more: target error: the reference of op copy"));
}

TEST(TargetError, AMissingLauncherIsNamedAtTheStart) {
  const CommandResult r = run_command({kBin + "/fuzz_no_launcher", "-runs=10"});
  EXPECT_EQ(r.exit_code, kTargetError) << r.errors;
  EXPECT_THAT(r.errors, HasSubstr("target error: target no_launcher: has no launcher"));
}

}  // namespace
}  // namespace warpfuzz::test
