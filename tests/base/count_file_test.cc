// The file of counts: read while it is written, whole after a kill, clear about what it is not.
#include "base/count_file.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace warpfuzz {
namespace {

class CountFileTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  Counts read() { return read_counts(path_).value(); }
  std::string path_ = ::testing::TempDir() + "counts-" + std::to_string(getpid());
};

TEST_F(CountFileTest, IsReadWhileItIsWritten) {
  CountFile f;
  ASSERT_EQ(f.open(path_), "");
  EXPECT_EQ(read().executions, 0u);
  for (int i = 0; i < 5; ++i) f.executed();
  f.found("a/value");
  f.found("b/oob-read/kernel");
  f.found("a/value");
  const Counts c = read();
  EXPECT_EQ(c.executions, 5u);
  EXPECT_EQ(c.keys, (std::map<std::string, std::uint64_t>{{"a/value", 2}, {"b/oob-read/kernel", 1}}));
  ASSERT_EQ(f.open(path_), "");  // anew
  EXPECT_EQ(read().executions, 0u);
  EXPECT_TRUE(read().keys.empty());
}

TEST_F(CountFileTest, AnotherProcessOfTheCampaignGoesOn) {
  for (int process = 0; process < 3; ++process) {
    CountFile f;
    ASSERT_EQ(f.open(path_, true), "");  // the first time there is none
    f.executed();
    f.found("a/value");
    f.found(process == 1 ? "b/value" : "c/value");
  }
  EXPECT_EQ(read().executions, 3u);
  EXPECT_EQ(read().keys, (std::map<std::string, std::uint64_t>{{"a/value", 3}, {"b/value", 1}, {"c/value", 2}}));
}

TEST_F(CountFileTest, OutlivesAKilledProcess) {
  const pid_t child = fork();
  if (child == 0) {
    CountFile f;
    if (!f.open(path_).empty()) _exit(1);
    for (int i = 0; i < 1000; ++i) f.executed(), f.found("a/value");
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(read().executions, 1000u);
  EXPECT_EQ(read().keys.at("a/value"), 1000u);
}

TEST_F(CountFileTest, MoreKeysThanItHolds) {
  CountFile f;
  ASSERT_EQ(f.open(path_), "");
  for (int i = 0; i < 300; ++i) f.found("a/" + std::to_string(i));
  f.found("a/0");
  f.found(std::string(600, 'x'));
  EXPECT_EQ(read().keys.size(), 126u);
  EXPECT_EQ(read().keys.at("a/0"), 2u);
}

TEST_F(CountFileTest, AbsentEmptyAndForeignFiles) {
  EXPECT_EQ(read_counts(path_ + "-none")->executions, 0u);
  std::ofstream(path_) << "";
  EXPECT_EQ(read_counts(path_)->executions, 0u);
  std::ofstream(path_) << std::string(1 << 16, 'x');
  EXPECT_THAT(read_counts(path_).line(), ::testing::HasSubstr("expected a file of counts"));
  EXPECT_EQ(CountFile().open("/nowhere/counts").substr(0, 30), "cannot create the file of coun");
}

}  // namespace
}  // namespace warpfuzz
