// A process that is killed in the middle of a case leaves that case behind.
#include "process/in_flight.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace warpfuzz {
namespace {

namespace fs = std::filesystem;

class InFlightTest : public testing::Test {
 protected:
  InFlightTest() : folder_(fs::path(testing::TempDir()) / ("in-flight-" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~InFlightTest() override { fs::remove_all(folder_); }
  std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    for (const auto& e : fs::directory_iterator(folder_)) out.push_back(e.path());
    return out;
  }
  // Runs f in a child that is then killed with SIGKILL.
  template <class F>
  void killed(F f) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      f();
      kill(getpid(), SIGKILL);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
  }
  fs::path folder_;
};

TEST_F(InFlightTest, ACleanEndLeavesNothing) {
  InFlight f;
  ASSERT_EQ(f.open(folder_.string()), "");
  const std::uint8_t bytes[] = {1, 2, 3};
  f.begin(bytes);
  EXPECT_EQ(files().size(), 1u);
  EXPECT_EQ(recover_in_flight(folder_.string()), 0) << "the file of a living process is not touched";
  f.close();
  EXPECT_TRUE(files().empty());
}

TEST_F(InFlightTest, AProcessThatIsDeadAndNotYetReapedIsDead) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto* f = new InFlight;
    f->open(folder_.string());
    const std::uint8_t bytes[] = {5};
    f->begin(bytes);
    kill(getpid(), SIGKILL);
  }
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);  // a zombie from here on
  EXPECT_EQ(recover_in_flight(folder_.string()), 1);
  waitpid(child, nullptr, 0);
}

TEST_F(InFlightTest, TheCaseOfAKilledProcessIsKept) {
  killed([&] {
    auto* f = new InFlight;
    f->open(folder_.string());
    const std::uint8_t bytes[] = {9, 8, 7, 6};
    f->begin(bytes);
  });
  EXPECT_EQ(recover_in_flight(folder_.string()), 1);
  ASSERT_EQ(files().size(), 1u);
  std::ifstream in(files()[0], std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), std::string("\x09\x08\x07\x06"));
  EXPECT_TRUE(files()[0].filename().string().starts_with("interrupted-"));
  EXPECT_EQ(recover_in_flight(folder_.string()), 0);
}

TEST_F(InFlightTest, AProcessKilledBetweenCasesLeavesNothing) {
  killed([&] {
    auto* f = new InFlight;
    f->open(folder_.string());
    f->begin({});
    f->end();
  });
  EXPECT_EQ(recover_in_flight(folder_.string()), 0);
  EXPECT_TRUE(files().empty());
}

TEST_F(InFlightTest, AFolderThatIsMissingIsNamed) {
  InFlight f;
  const std::string error = f.open((folder_ / "missing").string());
  EXPECT_NE(error.find("missing/.inflight-"), std::string::npos) << error;
  EXPECT_NE(error.find("No such file"), std::string::npos) << error;
}

}  // namespace
}  // namespace warpfuzz
