// Programs that are talked to: deadlines hold, large traffic in both directions does not lock up, nothing is left behind.
#include "base/process/conversation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <limits>

namespace warpfuzz {
namespace {

using ::testing::HasSubstr;
using Read = Conversation::Read;

std::vector<std::string> shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

void expect_no_child() {
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

class ConversationTest : public ::testing::Test {
 protected:
  void SetUp() override { std::signal(SIGPIPE, SIG_IGN); }
  void TearDown() override { expect_no_child(); }
};

TEST_F(ConversationTest, LinesAndExitCode) {
  Conversation p;
  ASSERT_EQ(p.start(shell("echo one; printf 'two\\nrest'; echo problem >&2; exit 7")), "");
  std::string line;
  const auto deadline = in_seconds(10);
  EXPECT_EQ(p.read_line(line, deadline), Read::line);
  EXPECT_EQ(line, "one");
  EXPECT_EQ(p.read_line(line, deadline), Read::line);
  EXPECT_EQ(line, "two");
  EXPECT_EQ(p.read_line(line, deadline), Read::end);
  const ExitStatus s = p.finish(deadline);
  EXPECT_EQ(s.code, 7);
  EXPECT_EQ(p.error_output(), "problem\n");
}

TEST_F(ConversationTest, VariablesOfTheCallerGoBeforeThoseOfTheProcess) {
  Conversation p;
  ::setenv("SUBPROCESS_TEST", "inherited", 1);
  std::string line;
  ASSERT_EQ(p.start(shell("echo $SUBPROCESS_TEST $OTHER_TEST"), {"SUBPROCESS_TEST=given", "OTHER_TEST=new"}), "");
  EXPECT_EQ(p.read_line(line, in_seconds(10)), Read::line);
  EXPECT_EQ(line, "given new");
  ASSERT_EQ(p.start(shell("echo $SUBPROCESS_TEST")), "");
  EXPECT_EQ(p.read_line(line, in_seconds(10)), Read::line);
  EXPECT_EQ(line, "inherited");
  ::unsetenv("SUBPROCESS_TEST");
}

TEST_F(ConversationTest, AVariableWithoutAValueIsTakenAway) {
  Conversation p;
  ::setenv("SUBPROCESS_TEST", "inherited", 1);
  std::string line;
  ASSERT_EQ(p.start(shell("echo ${SUBPROCESS_TEST-none}"), {"SUBPROCESS_TEST"}), "");
  EXPECT_EQ(p.read_line(line, in_seconds(10)), Read::line);
  EXPECT_EQ(line, "none");
  ::unsetenv("SUBPROCESS_TEST");
}

TEST_F(ConversationTest, TheRestIsReadToTheEndAndAllErrorsAreKept) {
  Conversation p(std::numeric_limits<std::size_t>::max());
  ASSERT_EQ(p.start(shell("echo one; echo two; head -c 300000 /dev/zero | tr '\\0' e >&2; echo three")), "");
  std::string line, rest;
  EXPECT_EQ(p.read_line(line, in_seconds(10)), Read::line);
  EXPECT_TRUE(p.read_rest(rest, in_seconds(10)));
  EXPECT_EQ(rest, "two\nthree\n");
  EXPECT_EQ(p.finish(in_seconds(10)).code, 0);
  EXPECT_EQ(p.error_output().size(), 300000u);
}

TEST_F(ConversationTest, AnEndlessRestMeetsTheDeadlineAndStopEndsTheGroup) {
  Conversation p;
  ASSERT_EQ(p.start(shell("sleep 100 & echo $!; wait"), {}, ProcessCommand::Group::own), "");
  std::string line, rest;
  ASSERT_EQ(p.read_line(line, in_seconds(10)), Read::line);
  EXPECT_FALSE(p.read_rest(rest, in_seconds(0.2)));
  EXPECT_EQ(p.stop().signal, SIGKILL);
  const pid_t sleeper = std::stoi(line);
  for (int i = 0; i < 500 && ::kill(sleeper, 0) == 0; ++i) ::usleep(10000);  // its new parent reaps it when it likes
  EXPECT_EQ(::kill(sleeper, 0), -1);
}

TEST_F(ConversationTest, SilenceEndsAtTheDeadlineAndTheChildIsKilled) {
  Conversation p;
  ASSERT_EQ(p.start(shell("exec sleep 100")), "");
  const pid_t pid = p.pid();
  std::string line;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(p.read_line(line, in_seconds(0.2)), Read::timeout);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(p.stop().signal, SIGKILL);
  EXPECT_EQ(::kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST_F(ConversationTest, FinishKillsWhatDoesNotEnd) {
  Conversation p;
  ASSERT_EQ(p.start(shell("trap '' TERM; while :; do sleep 1; done")), "");
  EXPECT_EQ(p.finish(in_seconds(0.2)).signal, SIGKILL);
}

TEST_F(ConversationTest, ALineWithoutAnEndStillMeetsTheDeadline) {
  Conversation p;
  ASSERT_EQ(p.start(shell("while :; do printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; sleep 0.05; done")), "");
  std::string line;
  EXPECT_EQ(p.read_line(line, in_seconds(0.3)), Read::timeout);
}

TEST_F(ConversationTest, LargeTrafficInBothDirections) {
  Conversation p;
  // Echoes a megabyte back while it prints as much to standard error.
  ASSERT_EQ(p.start(shell("head -c 1000000 /dev/zero | tr '\\0' e >&2; exec cat")), "");
  const std::string sent = std::string(1 << 20, 'a') + "\n";
  ASSERT_TRUE(p.write(sent, in_seconds(20)));
  std::string line;
  ASSERT_EQ(p.read_line(line, in_seconds(20)), Read::line);
  EXPECT_EQ(line.size() + 1, sent.size());
  EXPECT_EQ(p.finish(in_seconds(10)).code, 0);
  EXPECT_GE(p.error_output().size(), 64u << 10);
  EXPECT_LE(p.error_output().size(), 128u << 10);
}

TEST_F(ConversationTest, WritingToADeadChildFails) {
  Conversation p;
  ASSERT_EQ(p.start(shell("exit 0")), "");
  EXPECT_FALSE(p.write(std::string(1 << 22, 'x'), in_seconds(10)));
  EXPECT_EQ(p.finish(in_seconds(10)).code, 0);
}

TEST_F(ConversationTest, WhatCannotStart) {
  Conversation p;
  EXPECT_THAT(p.start({"/no/such/program"}), HasSubstr("cannot start '/no/such/program'"));
  EXPECT_FALSE(p.running());
  std::string line;
  EXPECT_EQ(p.read_line(line, in_seconds(1)), Read::end);
}

TEST_F(ConversationTest, ADestructorLeavesNothing) {
  pid_t pid = 0;
  {
    Conversation p;
    ASSERT_EQ(p.start(shell("exec sleep 100")), "");
    pid = p.pid();
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

}  // namespace
}  // namespace warpfuzz
