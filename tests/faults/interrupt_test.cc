// SIGINT and SIGTERM end a target in order: exit code 72, the summary, and no file or process that is left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "base/exit_codes.h"
#include "base/process/process.h"
#include "command.h"

namespace warpfuzz::test {
namespace {

namespace fs = std::filesystem;
using targets_test::read_text;
using targets_test::run_command;
using targets_test::ScratchFolder;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::string kBin = WARPFUZZ_TEST_BIN, kSoftmax = kBin + "/fuzz_softmax", kZoo = kBin + "/fuzz_fault_zoo";

// A target in the background, in a process group and with a folder for temporary files of its own.
class Running {
 public:
  Running(const ScratchFolder& folder, std::vector<std::string> argv, const std::string& options = "")
      : log_(folder.path() / "log"), temporary_(folder.make("tmp")) {
    std::vector<std::string> all = {"/usr/bin/env", "-C", folder.path().string(), "TMPDIR=" + temporary_.string(),
                                    "WARPFUZZ_OPTIONS=" + options};
    all.insert(all.end(), argv.begin(), argv.end());
    ProcessCommand c{all, {}, {Stream::Kind::ours}, {Stream::Kind::file, log_}, {Stream::Kind::as_output}};
    c.group =
        ProcessCommand::Group::session;  // as a group of its own, but nothing that is left of it is killed when it ends
    EXPECT_EQ(process_.start(c), "");
    child_ = process_.pid();
  }
  ~Running() {
    kill(-child_, SIGKILL);
    process_.kill();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  bool wait_until(const std::function<bool()>& holds) const {
    for (int i = 0; i < 1200; ++i) {
      if (holds()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }
  bool says(const std::string& text) const { return fs::exists(log_) && log().find(text) != std::string::npos; }
  void signal(int number) const { kill(child_, number); }
  void signal_group(int number) const { kill(-child_, number); }
  // The exit code; 128 + signal where a signal ended it, -1 where it did not end.
  int end() {
    const auto status = process_.wait(in_seconds(60));
    if (!status) return -1;
    return status->signal ? 128 + status->signal : status->code;
  }
  bool group_is_gone() const {
    return wait_until([&] { return kill(-child_, 0) != 0 && errno == ESRCH; });
  }
  std::string log() const { return read_text(log_); }
  bool temporary_is_empty() const { return fs::is_empty(temporary_); }

 private:
  fs::path log_, temporary_;
  Process process_;
  pid_t child_ = -1;
};

std::vector<std::string> left_in(const fs::path& folder) {
  std::vector<std::string> names;
  if (!fs::exists(folder)) return names;
  for (const auto& e : fs::directory_iterator(folder)) names.push_back(e.path().filename().string());
  return names;
}

// A folder of one raw case of the zoo.
fs::path zoo_corpus(const ScratchFolder& f, int which) {
  const fs::path text = f.path() / "one.case", corpus = f.make("corpus");
  std::ofstream(text) << "n: 40\nwhich: " << which << "\n";
  EXPECT_EQ(run_command({kBin + "/warpfuzz", "encode", "fault_zoo", text.string(), "-o", (corpus / "one").string()})
                .exit_code,
            0);
  return corpus;
}

constexpr int kLoopsForEver = 13;

class Interrupt : public testing::TestWithParam<int> {
 protected:
  std::string name() const { return GetParam() == SIGINT ? "SIGINT" : "SIGTERM"; }
};

TEST_P(Interrupt, EndsACampaignWithItsSummary) {
  ScratchFolder f;
  const auto corpus = f.make("corpus"), found = f.make("found");
  Running r(f, {kSoftmax, "-seed=3", "-print_final_stats=1", "-artifact_prefix=found/", "corpus"});
  ASSERT_TRUE(r.wait_until([&] { return !fs::is_empty(found) && !fs::is_empty(corpus); }));
  r.signal(GetParam());
  EXPECT_EQ(r.end(), kExitInterrupted) << r.log();
  EXPECT_THAT(r.log(), HasSubstr("warpfuzz: interrupted by " + name() + "\n"));
  EXPECT_THAT(r.log(), ContainsRegex("warpfuzz: softmax: [1-9][0-9]* executions"));
  EXPECT_THAT(r.log(), HasSubstr("stat::number_of_executed_units"));
  EXPECT_THAT(left_in(found), testing::IsEmpty());
  EXPECT_TRUE(r.temporary_is_empty());
}

TEST_P(Interrupt, ReachesTheProcessesOfFork) {
  ScratchFolder f;
  f.make("corpus");
  const auto found = f.make("found");
  Running r(f, {kSoftmax, "-fork=2", "-artifact_prefix=found/", "corpus"});
  ASSERT_TRUE(r.wait_until([&] { return r.says("job: 2"); })) << r.log();
  r.signal(GetParam());
  EXPECT_EQ(r.end(), kExitInterrupted) << r.log();
  EXPECT_THAT(r.log(), ContainsRegex("warpfuzz: softmax: [1-9][0-9]* executions"));
  EXPECT_TRUE(r.group_is_gone()) << "its processes end with it";
  EXPECT_THAT(left_in(found), testing::IsEmpty());
  EXPECT_TRUE(r.temporary_is_empty());
}

// A case that does not end in time is dropped. (A debugger's watchdog: hang=0 leaves the kernel alone.)
TEST_P(Interrupt, ComesThroughInTheMiddleOfAKernel) {
  ScratchFolder f;
  zoo_corpus(f, kLoopsForEver);
  const auto found = f.make("found");
  Running r(f, {kZoo, "-timeout=0", "-artifact_prefix=found/", "corpus"}, "hang=0");
  ASSERT_TRUE(r.wait_until([&] { return !fs::is_empty(found); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  r.signal(GetParam());
  EXPECT_EQ(r.end(), kExitInterrupted) << r.log();
  EXPECT_THAT(r.log(), HasSubstr("warpfuzz: interrupted by " + name()));
  EXPECT_THAT(left_in(found), testing::IsEmpty());
  EXPECT_THAT(run_command({kZoo, "-runs=0", "-artifact_prefix=" + found.string() + "/"}).errors,
              Not(HasSubstr("was killed")));
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupt, testing::Values(SIGINT, SIGTERM),
                         [](const auto& info) { return info.param == SIGINT ? "SIGINT" : "SIGTERM"; });

// A terminal sends it to all processes at once; the parent's word to its children is then no second one.
TEST(Interrupts, OfATerminalReachParentAndChildrenAtOnce) {
  ScratchFolder f;
  f.make("corpus");
  const auto found = f.make("found");
  Running r(f, {kSoftmax, "-fork=2", "-artifact_prefix=found/", "corpus"});
  ASSERT_TRUE(r.wait_until([&] { return r.says("job: 2"); })) << r.log();
  r.signal_group(SIGINT);
  EXPECT_EQ(r.end(), kExitInterrupted) << r.log();
  EXPECT_THAT(r.log(), ContainsRegex("warpfuzz: softmax: [1-9][0-9]* executions"));
  EXPECT_TRUE(r.group_is_gone());
  EXPECT_THAT(left_in(found), testing::IsEmpty());
}

TEST(Interrupts, EndJobsAndMerges) {
  ScratchFolder f;
  f.make("corpus");
  const auto found = f.make("found");
  {
    Running r(f, {kSoftmax, "-jobs=2", "-workers=2", "-artifact_prefix=found/", "corpus"});
    ASSERT_TRUE(r.wait_until([&] { return left_in(found).size() == 2; }));
    r.signal(SIGTERM);
    EXPECT_EQ(r.end(), kExitInterrupted) << r.log();
    EXPECT_TRUE(r.group_is_gone());
    EXPECT_THAT(left_in(found), testing::IsEmpty());
    EXPECT_TRUE(r.temporary_is_empty());
  }
  ScratchFolder g;
  zoo_corpus(g, kLoopsForEver);
  g.make("merged");
  Running r(g, {kZoo, "-merge=1", "-timeout=0", "merged", "corpus"}, "hang=0");
  ASSERT_TRUE(r.wait_until([&] { return r.says("MERGE-OUTER: attempt 1"); })) << r.log();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  r.signal(SIGTERM);
  EXPECT_EQ(r.end(), kExitInterrupted) << r.log();
  EXPECT_TRUE(r.group_is_gone());
  EXPECT_TRUE(r.temporary_is_empty());
}

TEST(Interrupts, EndAReplay) {
  ScratchFolder f;
  std::ofstream(f.path() / "loop.case") << "n: 40\nwhich: " << kLoopsForEver << "\n";
  Running r(f, {kZoo, "-timeout=0", "loop.case"}, "hang=0");
  ASSERT_TRUE(r.wait_until([&] { return r.says("Running: loop.case"); })) << r.log();
  r.signal(SIGINT);
  EXPECT_EQ(r.end(), kExitInterrupted) << r.log();
}

// Twice in a row: the second ends the process whatever it does.
TEST(Interrupts, ASecondEndsAtOnce) {
  ScratchFolder f;
  zoo_corpus(f, kLoopsForEver);
  const auto found = f.make("found");
  Running r(f, {kZoo, "-timeout=0", "-artifact_prefix=found/", "corpus"}, "hang=0");
  ASSERT_TRUE(r.wait_until([&] { return !fs::is_empty(found); }));
  r.signal(SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  r.signal(SIGTERM);
  EXPECT_EQ(r.end(), kExitInterrupted) << r.log();
  EXPECT_THAT(left_in(found), testing::IsEmpty());
}

TEST(Interrupts, AreLeftToTheSystemWhereTheUserSaysSo) {
  ScratchFolder f;
  const auto found = f.make("found");
  Running r(f, {kSoftmax, "-handle_term=0", "-artifact_prefix=found/"});
  ASSERT_TRUE(r.wait_until([&] { return !fs::is_empty(found); }));
  r.signal(SIGTERM);
  EXPECT_EQ(r.end(), 128 + SIGTERM) << r.log();
}

}  // namespace
}  // namespace warpfuzz::test
