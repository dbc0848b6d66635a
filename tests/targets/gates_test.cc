// The gates are shut on ordinary cases, open exactly at their constants, and their constants follow the seed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "command.h"
#include "gate_constants.h"
#include "numeric/round.h"
#include "target_files.h"

namespace targets_test {
namespace {

TEST(Gates, ConstantsAreDrawnInsideTheirRange) {
  for (int dim : gates::dims_outside_the_table("gate_two_dims", 2, 256)) {
    EXPECT_GE(dim, 2);
    EXPECT_LT(dim, 256);
    EXPECT_THAT((std::vector<int>{2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255}),
                testing::Not(testing::Contains(dim)));
  }
  const float value = gates::value_outside_the_table("gate_value");
  EXPECT_GT(value, 0.0f);
  EXPECT_LT(value, 65504.0f);
  EXPECT_NE(value, 1.0f);
}

TEST(Gates, ConstantsFollowTheSeed) {
  ASSERT_EQ(setenv("WARPFUZZ_GATE_SEED", "2", 1), 0);
  const auto second = gates::dims_outside_the_table("gate_three_dims", 3, 64);
  EXPECT_EQ(second, gates::dims_outside_the_table("gate_three_dims", 3, 64));
  ASSERT_EQ(setenv("WARPFUZZ_GATE_SEED", "1", 1), 0);
  EXPECT_NE(second, gates::dims_outside_the_table("gate_three_dims", 3, 64));
  unsetenv("WARPFUZZ_GATE_SEED");
}

// A case that stands on the constants is a finding; the same case one beside them is none.
int exit_code(const ScratchFolder& folder, const std::string& gate, const std::string& text) {
  const auto file = folder.path() / "gate.case";
  std::ofstream(file) << text;
  return run_command({binary(gate), file.string()}).exit_code;
}

TEST(Gates, TwoDimsOpenAtTheirConstants) {
  ScratchFolder folder;
  const auto at = gates::dims_outside_the_table("gate_two_dims", 2, 256);
  const auto text = [](int rows, int cols) {
    return "dtype: fp32\nrows: " + std::to_string(rows) + "\ncols: " + std::to_string(cols) + "\n";
  };
  EXPECT_EQ(exit_code(folder, "gate_two_dims", text(at[0], at[1])), 77);
  EXPECT_EQ(exit_code(folder, "gate_two_dims", text(at[0], at[1] - 1)), 0);
  EXPECT_EQ(exit_code(folder, "gate_two_dims", text(at[0] - 1, at[1])), 0);
}

TEST(Gates, ThreeDimsOpenAtTheirConstants) {
  ScratchFolder folder;
  const auto at = gates::dims_outside_the_table("gate_three_dims", 3, 64);
  const auto text = [](int depth, int rows, int cols) {
    return "dtype: fp32\ndepth: " + std::to_string(depth) + "\nrows: " + std::to_string(rows) +
           "\ncols: " + std::to_string(cols) + "\n";
  };
  EXPECT_EQ(exit_code(folder, "gate_three_dims", text(at[0], at[1], at[2])), 77);
  EXPECT_EQ(exit_code(folder, "gate_three_dims", text(at[0], at[1], at[2] - 1)), 0);
  EXPECT_EQ(exit_code(folder, "gate_three_dims", text(at[0] - 1, at[1], at[2])), 0);
}

TEST(Gates, ValueOpensAtItsConstantAnywhere) {
  ScratchFolder folder;
  const float value = gates::value_outside_the_table("gate_value");
  char open[32], shut[32];
  std::snprintf(open, sizeof open, "%.9g", value);
  std::snprintf(shut, sizeof shut, "%.9g", static_cast<double>(warpfuzz::f16_value(warpfuzz::f16_bits(value) + 1)));
  const std::string text = "dtype: fp32\nn: 200\nx: ones\n";
  EXPECT_EQ(exit_code(folder, "gate_value", text + "x[0] = " + open + "\n"), 77);
  EXPECT_EQ(exit_code(folder, "gate_value", text + "x[199] = " + open + "\n"), 77);
  EXPECT_EQ(exit_code(folder, "gate_value", text + "x[199] = " + shut + "\n"), 0);
  EXPECT_EQ(exit_code(folder, "gate_value", text), 0);
}

}  // namespace
}  // namespace targets_test
