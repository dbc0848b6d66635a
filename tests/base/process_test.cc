// Programs that are started: their streams, who dies with whom, and that nothing is left behind.
#include "base/process/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "base/process/self.h"
#include "base/process/usage.h"
#include "base/process/watched_process.h"

namespace warpfuzz {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = Stream::Kind;
using Group = ProcessCommand::Group;

ProcessCommand shell(const std::string& script) { return {{"/bin/sh", "-c", script}}; }

bool wait_until(const std::function<bool()>& holds) {
  for (int i = 0; i < 1000; ++i) {
    if (holds()) return true;
    ::usleep(10000);
  }
  return false;
}
// A process that its parent has not reaped yet is there for kill().
bool lives(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(in, text);
  const std::size_t name_end = text.rfind(") ");
  return name_end != std::string::npos && text[name_end + 2] != 'Z';
}

class ProcessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "warpfuzz-process-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    fs::remove_all(folder_);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
    EXPECT_EQ(errno, ECHILD);
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string text_of(const std::string& name) const {
    std::ifstream in(file(name));
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  pid_t pid_in(const std::string& name) const {
    EXPECT_TRUE(wait_until([&] { return text_of(name).ends_with('\n'); })) << name;
    return std::atoi(text_of(name).c_str());
  }
  fs::path folder_;
};

TEST_F(ProcessTest, FilesAsStreams) {
  std::ofstream(file("in")) << "given\n";
  std::ofstream(file("out")) << "what was there before\n";
  ProcessCommand c = shell("cat; echo problem >&2");
  c.input = {Kind::file, file("in")};
  c.output = {Kind::file, file("out")};
  c.errors = {Kind::as_output};
  Process p;
  ASSERT_EQ(p.start(c), "");
  EXPECT_EQ(p.wait(in_seconds(10))->code, 0);
  EXPECT_EQ(text_of("out"), "given\nproblem\n");
  c.output = {Kind::log, file("out")};
  ASSERT_EQ(p.start(c), "");
  EXPECT_EQ(p.wait(in_seconds(10))->code, 0);
  EXPECT_EQ(text_of("out"), "given\nproblem\ngiven\nproblem\n") << "a log goes on";
}

TEST_F(ProcessTest, ALogIsNoLink) {
  fs::create_symlink(file("elsewhere"), file("log"));
  ProcessCommand c = shell("echo text");
  c.output = {Kind::log, file("log")};
  Process p;
  EXPECT_THAT(p.start(c), HasSubstr("cannot open '" + file("log") + "'"));
  EXPECT_FALSE(fs::exists(file("elsewhere")));
}

TEST_F(ProcessTest, WhatCannotStartIsOneLine) {
  Process p;
  EXPECT_EQ(p.start({{"/no/such/program"}}), "cannot start '/no/such/program': No such file or directory");
  EXPECT_FALSE(p.running());
  EXPECT_EQ(p.start({{folder_.string()}}), "cannot start '" + folder_.string() + "': Permission denied");
  ProcessCommand c = shell("true");
  c.input = {Kind::file, file("missing")};
  EXPECT_THAT(p.start(c), HasSubstr("cannot open '" + file("missing") + "': No such file"));
  EXPECT_EQ(p.wait(in_seconds(1)), std::nullopt);
}

TEST_F(ProcessTest, HowItEnded) {
  Process p;
  ASSERT_EQ(p.start(shell("exit 7")), "");
  EXPECT_EQ(p.wait(in_seconds(10))->code, 7);
  EXPECT_FALSE(p.running());
  ASSERT_EQ(p.start(shell("kill -TERM $$; sleep 100")), "");
  EXPECT_EQ(p.wait(in_seconds(10))->signal, SIGTERM);
  ASSERT_EQ(p.start(shell("exec sleep 100")), "");
  EXPECT_EQ(p.ended(), std::nullopt);
  EXPECT_EQ(p.wait(in_seconds(0.05)), std::nullopt) << "it goes on";
  p.signal(SIGUSR1);
  EXPECT_EQ(p.wait(in_seconds(10))->signal, SIGUSR1);
}

TEST_F(ProcessTest, AProgramBeginsWithoutOurSignals) {
  // Ignored and blocked here: neither is inherited.
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  sigset_t term, mask;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &term, &mask);
  ProcessCommand c = shell("grep -E '^Sig(Blk|Ign)' /proc/self/status");
  c.output = {Kind::file, file("out")};
  Process p;
  const std::string error = p.start(c);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::signal(SIGPIPE, before);
  ASSERT_EQ(error, "");
  EXPECT_EQ(p.wait(in_seconds(10))->code, 0);
  std::uint64_t blocked = 1, ignored = 1;
  ASSERT_EQ(std::sscanf(text_of("out").c_str(), "SigBlk: %lx SigIgn: %lx", &blocked, &ignored), 2) << text_of("out");
  EXPECT_EQ(blocked, 0u);
  EXPECT_EQ(ignored >> (SIGPIPE - 1) & 1, 0u);
}

TEST_F(ProcessTest, AGroupOfItsOwnLeavesNothingBehind) {
  ProcessCommand c = shell("sleep 100 & echo $! >'" + file("pid") + "'");
  c.group = Group::own;
  Process p;
  ASSERT_EQ(p.start(c), "");
  const pid_t left = pid_in("pid");
  EXPECT_EQ(p.wait(in_seconds(10))->code, 0);
  EXPECT_TRUE(wait_until([&] { return !lives(left); }));
}

TEST_F(ProcessTest, ASessionOutlivesItsOwnerObject) {
  pid_t pid = 0;
  {
    ProcessCommand c = shell("exec sleep 100");
    c.group = Group::session;
    Process p;
    ASSERT_EQ(p.start(c), "");
    pid = p.pid();
  }
  EXPECT_TRUE(lives(pid));
  EXPECT_EQ(::getsid(pid), pid);
  ::kill(pid, SIGKILL);
  EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
}

TEST_F(ProcessTest, DiesWithItsParent) {
  const pid_t parent = ::fork();
  if (parent == 0) {
    ProcessCommand c = shell("echo $$ >'" + file("pid") + "'; exec sleep 100");
    c.dies_with_us = true;
    Process p;
    if (!p.start(c).empty()) ::_exit(1);
    for (;;) ::pause();
  }
  const pid_t child = pid_in("pid");
  EXPECT_TRUE(lives(child));
  ::kill(parent, SIGKILL);
  EXPECT_EQ(::waitpid(parent, nullptr, 0), parent);
  EXPECT_TRUE(wait_until([&] { return !lives(child); }));
}

TEST_F(ProcessTest, PipesWhereThereIsNoStandardInput) {
  // In a process without standard streams, pipes get the numbers 0 to 2.
  const pid_t parent = ::fork();
  if (parent == 0) {
    for (int i = 0; i < 3; ++i) ::close(i);
    ProcessCommand c = shell("cat");
    c.input = c.output = {Kind::pipe};
    Process p;
    if (!p.start(c).empty()) ::_exit(1);
    if (::write(p.input(), "abc", 3) != 3) ::_exit(2);
    p.close_input();
    char text[8];
    pollfd wait{p.output(), POLLIN, 0};
    ::poll(&wait, 1, 10000);
    ::_exit(::read(p.output(), text, sizeof text) == 3 ? 0 : 3);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(parent, &status, 0), parent);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(ProcessTest, MovedItIsOneProcess) {
  Process a;
  ASSERT_EQ(a.start(shell("exec sleep 100")), "");
  const pid_t pid = a.pid();
  Process b = std::move(a);
  EXPECT_FALSE(a.running());
  EXPECT_EQ(b.pid(), pid);
  b = Process();
  EXPECT_FALSE(lives(pid));
}

TEST_F(ProcessTest, AWatchedProcessHandsItsLinesOverAsTheyCome) {
  WatchedProcess p;
  ProcessCommand c = shell("cat; echo one >&2; printf 'two\\nrest' >&2; exit 3");
  std::ofstream(file("in")) << "given\n";
  c.input = {Kind::file, file("in")};
  c.output = {Kind::file, file("out")};
  ASSERT_EQ(p.start(c), "");
  std::vector<std::string> lines;
  const auto take = [&](const std::string& line) { lines.push_back(line); };
  std::optional<ExitStatus> status;
  EXPECT_TRUE(wait_until([&] {
    p.read_lines(take);
    return (status = p.ended(take)).has_value();
  }));
  EXPECT_EQ(status->code, 3);
  EXPECT_THAT(lines, ElementsAre("one", "two"));
  EXPECT_EQ(p.tail(), "one\ntwo\n");
  EXPECT_EQ(text_of("out"), "given\n");
}

TEST_F(ProcessTest, TheTailOfAWatchedProcessIsBounded) {
  WatchedProcess p;
  ASSERT_EQ(p.start(shell("yes 0123456789 | head -n 20000 >&2")), "");
  std::size_t lines = 0;
  const auto count = [&](const std::string&) { ++lines; };
  EXPECT_TRUE(wait_until([&] {
    p.read_lines(count);
    return p.ended(count).has_value();
  }));
  EXPECT_EQ(lines, 20000u);
  EXPECT_GE(p.tail().size(), 16u << 10);
  EXPECT_LE(p.tail().size(), 32u << 10);
}

TEST_F(ProcessTest, UsageAndTheProgramItself) {
  EXPECT_GT(memory_kb(::getpid()), 1000u);
  EXPECT_GE(processor_seconds(::getpid()), 0.0);
  EXPECT_EQ(memory_kb(-1), 0u);
  EXPECT_TRUE(fs::equivalent(this_program(), kThisProgram));
}

}  // namespace
}  // namespace warpfuzz
