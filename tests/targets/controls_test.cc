// Correct kernels stay without a finding, from their seeds on and with every dtype.
#include <gtest/gtest.h>

#include "command.h"
#include "target_files.h"

namespace targets_test {
namespace {

class Control : public testing::TestWithParam<std::string> {};

TEST_P(Control, DeclaresNoBug) { EXPECT_FALSE(kernel_notes(GetParam()).bug); }

TEST_P(Control, FiveHundredExecutionsAreClean) {
  ScratchFolder folder;
  std::vector<std::string> argv = {binary(GetParam()), "-seed=1", "-runs=500",
                                   "-artifact_prefix=" + folder.path().string() + "/", folder.make("corpus").string()};
  const std::string seeds = std::string(WARPFUZZ_TEST_SEEDS) + "/" + GetParam();
  ASSERT_TRUE(std::filesystem::is_directory(seeds)) << seeds << ": the build encodes seeds/" << GetParam() << " there";
  argv.push_back(seeds);
  const auto run = run_command(argv);
  EXPECT_EQ(run.exit_code, 0) << run.all();
}

INSTANTIATE_TEST_SUITE_P(Targets, Control, testing::ValuesIn(controls()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace targets_test
