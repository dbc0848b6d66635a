// Child processes: deadlines hold, large traffic in both directions does not lock up, nothing is left behind.
#include "base/subprocess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

namespace warpfuzz {
namespace {

using ::testing::HasSubstr;
using Read = Subprocess::Read;

std::vector<std::string> shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

void expect_no_child() {
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

class SubprocessTest : public ::testing::Test {
 protected:
  void SetUp() override { std::signal(SIGPIPE, SIG_IGN); }
  void TearDown() override { expect_no_child(); }
};

TEST_F(SubprocessTest, LinesAndExitCode) {
  Subprocess p;
  ASSERT_EQ(p.start(shell("echo one; printf 'two\\nrest'; echo problem >&2; exit 7")), "");
  std::string line;
  const auto deadline = Subprocess::in_seconds(10);
  EXPECT_EQ(p.read_line(line, deadline), Read::line);
  EXPECT_EQ(line, "one");
  EXPECT_EQ(p.read_line(line, deadline), Read::line);
  EXPECT_EQ(line, "two");
  EXPECT_EQ(p.read_line(line, deadline), Read::end);
  const Subprocess::Status s = p.finish(deadline);
  EXPECT_EQ(s.code, 7);
  EXPECT_EQ(p.error_output(), "problem\n");
}

TEST_F(SubprocessTest, VariablesOfTheCallerGoBeforeThoseOfTheProcess) {
  Subprocess p;
  ::setenv("SUBPROCESS_TEST", "inherited", 1);
  std::string line;
  ASSERT_EQ(p.start(shell("echo $SUBPROCESS_TEST $OTHER_TEST"), {"SUBPROCESS_TEST=given", "OTHER_TEST=new"}), "");
  EXPECT_EQ(p.read_line(line, Subprocess::in_seconds(10)), Read::line);
  EXPECT_EQ(line, "given new");
  ASSERT_EQ(p.start(shell("echo $SUBPROCESS_TEST")), "");
  EXPECT_EQ(p.read_line(line, Subprocess::in_seconds(10)), Read::line);
  EXPECT_EQ(line, "inherited");
  ::unsetenv("SUBPROCESS_TEST");
}

TEST_F(SubprocessTest, SilenceEndsAtTheDeadlineAndTheChildIsKilled) {
  Subprocess p;
  ASSERT_EQ(p.start(shell("exec sleep 100")), "");
  const pid_t pid = p.pid();
  std::string line;
  const auto begin = Subprocess::Clock::now();
  EXPECT_EQ(p.read_line(line, Subprocess::in_seconds(0.2)), Read::timeout);
  EXPECT_LT(Subprocess::Clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(p.stop().signal, SIGKILL);
  EXPECT_EQ(::kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST_F(SubprocessTest, FinishKillsWhatDoesNotEnd) {
  Subprocess p;
  ASSERT_EQ(p.start(shell("trap '' TERM; while :; do sleep 1; done")), "");
  EXPECT_EQ(p.finish(Subprocess::in_seconds(0.2)).signal, SIGKILL);
}

TEST_F(SubprocessTest, ALineWithoutAnEndStillMeetsTheDeadline) {
  Subprocess p;
  ASSERT_EQ(p.start(shell("while :; do printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; sleep 0.05; done")), "");
  std::string line;
  EXPECT_EQ(p.read_line(line, Subprocess::in_seconds(0.3)), Read::timeout);
}

TEST_F(SubprocessTest, LargeTrafficInBothDirections) {
  Subprocess p;
  // Echoes a megabyte back while it prints as much to standard error.
  ASSERT_EQ(p.start(shell("head -c 1000000 /dev/zero | tr '\\0' e >&2; exec cat")), "");
  const std::string sent = std::string(1 << 20, 'a') + "\n";
  ASSERT_TRUE(p.write(sent, Subprocess::in_seconds(20)));
  std::string line;
  ASSERT_EQ(p.read_line(line, Subprocess::in_seconds(20)), Read::line);
  EXPECT_EQ(line.size() + 1, sent.size());
  EXPECT_EQ(p.finish(Subprocess::in_seconds(10)).code, 0);
  EXPECT_GE(p.error_output().size(), 64u << 10);
  EXPECT_LE(p.error_output().size(), 128u << 10);
}

TEST_F(SubprocessTest, WritingToADeadChildFails) {
  Subprocess p;
  ASSERT_EQ(p.start(shell("exit 0")), "");
  EXPECT_FALSE(p.write(std::string(1 << 22, 'x'), Subprocess::in_seconds(10)));
  EXPECT_EQ(p.finish(Subprocess::in_seconds(10)).code, 0);
}

TEST_F(SubprocessTest, WhatCannotStart) {
  Subprocess p;
  EXPECT_THAT(p.start({"/no/such/program"}), HasSubstr("cannot start '/no/such/program'"));
  EXPECT_FALSE(p.running());
  std::string line;
  EXPECT_EQ(p.read_line(line, Subprocess::in_seconds(1)), Read::end);
}

TEST_F(SubprocessTest, ADestructorLeavesNothing) {
  pid_t pid = 0;
  {
    Subprocess p;
    ASSERT_EQ(p.start(shell("exec sleep 100")), "");
    pid = p.pid();
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

}  // namespace
}  // namespace warpfuzz
