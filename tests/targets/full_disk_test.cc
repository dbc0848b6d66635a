// `warpfuzz run` on a disk that becomes full: nothing that was counted is lost, whichever file meets the end of the disk first.
// Where nobody may mount a small file system, not even in a user namespace, it says so.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/exit_codes.h"
#include "campaign/index.h"
#include "command.h"
#include "small_disk.h"

namespace targets_test {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
using warpfuzz::cli::Index;
using warpfuzz::cli::TargetRow;

class FullDisk : public testing::Test {
 protected:
  void SetUp() override {
    if (!small_.mounted())
      GTEST_SKIP() << "NOT TESTED: a full disk: this system lets nobody but root mount a small file system";
  }
  CommandResult run(const std::string& seconds) {
    return run_command({"/usr/bin/env", "-C", disk().string(), std::string(WARPFUZZ_TEST_BIN) + "/warpfuzz", "run",
                        "pair_relu", "softmax_padded", "--workers", "2", "--slice", "1", "--time", seconds, "--seed",
                        "1"});
  }
  // Leaves `bytes` of the disk.
  void fill(std::uint64_t bytes) {
    std::ofstream filler(disk() / "filler");
    const std::string block(4096, 'x');
    while (fs::space(disk()).available > bytes && filler.write(block.data(), 4096).flush()) {}
  }
  std::uint64_t executions() const {
    Index index(disk().string(), false);
    std::uint64_t sum = 0;
    for (const TargetRow& t : index.targets()) sum += t.executions;
    return sum;
  }
  std::uint64_t in_files_of_counts() const {
    std::uint64_t sum = 0;
    for (const auto& e : fs::directory_iterator(disk() / "campaign")) {
      if (e.path().filename().string().starts_with("counts-"))
        sum += warpfuzz::read_counts(e.path().string()).value_or({}).executions;
    }
    return sum;
  }
  const fs::path disk() const { return scratch_.path(); }

  ScratchFolder scratch_;
  SmallDisk small_{scratch_.path(), "16m"};
};

TEST_F(FullDisk, CountsAreWholeWhicheverFileItMeets) {
  ASSERT_NE(run("2").exit_code, warpfuzz::kExitIndex);
  std::uint64_t before = executions();
  ASSERT_GT(before, 0u);
  // 64 KiB are a file of counts, 4 KiB a page of the index.
  for (const int kilobytes : {8, 40, 80, 120, 160, 240}) {
    fill(static_cast<std::uint64_t>(kilobytes) << 10);
    const CommandResult full = run("4");
    EXPECT_THAT(full.exit_code,
                AnyOf(warpfuzz::kExitIndex, warpfuzz::kExitCannotWrite, warpfuzz::kExitFinding, warpfuzz::kExitOk))
        << full.all();
    EXPECT_THAT(full.all(), Not(HasSubstr("nothing is lost")));
    fs::remove(disk() / "filler");
    const std::uint64_t left = in_files_of_counts(), counted = executions();
    EXPECT_GE(counted, before) << full.all();
    const CommandResult next = run("1");
    EXPECT_THAT(next.exit_code, AnyOf(warpfuzz::kExitFinding, warpfuzz::kExitOk)) << next.all();
    EXPECT_GT(executions(), counted + left) << kilobytes << " KiB\n" << full.all() << next.all();
    before = executions();
  }
}

}  // namespace
}  // namespace targets_test
