// A process that is told to end in the middle of writing a file leaves no half of it.
#include "process/death/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/exit_codes.h"
#include "base/files.h"

namespace warpfuzz {
namespace {

namespace fs = std::filesystem;

TEST(Interrupt, LeavesNoHalfWrittenFile) {
  const fs::path folder = fs::path(testing::TempDir()) / ("interrupt_test_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const pid_t child = fork();
  if (child == 0) {
    watch_for_interrupts({});
    const Bytes large(32 << 20, 1);  // next to all of the time it is being written
    while (true) write_file((folder / "large").string(), large);
  }
  while (fs::is_empty(folder)) usleep(1000);
  ASSERT_EQ(kill(child, SIGTERM), 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == kExitInterrupted) << status;
  for (const auto& entry : fs::directory_iterator(folder))
    EXPECT_EQ(entry.path().filename(), "large") << "it begins under another name";
  fs::remove_all(folder);
}

}  // namespace
}  // namespace warpfuzz
