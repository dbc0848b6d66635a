// scripts/ablation: a short measurement, kept and used again, and what it says when it cannot measure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "command.h"
#include "target_files.h"

namespace targets_test {
namespace {

using ::testing::HasSubstr;

CommandResult ablation(std::vector<std::string> arguments) {
  std::vector<std::string> argv{(source_root() / "scripts/ablation").string(), "--bin", WARPFUZZ_TEST_BIN};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return run_command(argv);
}

TEST(Ablation, MeasuresKeepsAndPrints) {
  ScratchFolder folder;
  const std::string raw = (folder.path() / "raw.json").string();
  const std::vector<std::string> arguments{"softmax_padded", "gate_value", "--seeds", "2", "--cap", "150",
                                           "--seconds",      "20",         "--raw",   raw};
  const CommandResult first = ablation(arguments);
  ASSERT_EQ(first.exit_code, 0) << first.all();
  const nlohmann::json j = nlohmann::json::parse(read_text(raw));
  ASSERT_EQ(j["runs"]["softmax_padded"].size(), 5u) << "five ways to search";
  for (const auto& [method, seeds] : j["runs"]["softmax_padded"].items()) {
    ASSERT_EQ(seeds.size(), 2u) << method;
    for (const auto& run : seeds) EXPECT_EQ(run[2], "value") << method;
  }
  EXPECT_FALSE(j["runs"]["gate_value"]["guided"]["1"][2].is_null()) << "the guided search opens it";
  EXPECT_EQ(j["runs"]["gate_value"]["paper"]["1"][0], 150) << "the paper's sampling does not";
  EXPECT_THAT(first.output, HasSubstr("    scripts/ablation --seeds 2 --cap 150 --seconds 20\n"));
  EXPECT_THAT(first.output,
              HasSubstr("| target | guided | no value features | no learned tiles | random | the paper's sampling |"));
  EXPECT_THAT(first.output, HasSubstr("| 150 [150, 150] (0 of 2 found) |"));

  auto again = arguments;
  again.insert(again.end(), {"--minutes", "0"});
  EXPECT_EQ(ablation(again).output, first.output) << "what is kept is not measured again";
  again[3] = "3";
  EXPECT_THAT(ablation(again).output, HasSubstr("| softmax_padded | not measured |"));
  again[5] = "151";
  const CommandResult other = ablation(again);
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.errors, HasSubstr("was measured with --cap 150 --seconds 20"));
}
TEST(Ablation, NeedsABinFolderAndSoundTargets) {
  ScratchFolder folder;
  const CommandResult none =
      run_command({(source_root() / "scripts/ablation").string(), "--bin", folder.path().string()});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.errors, HasSubstr("targets.json' is not there"));
}

}  // namespace
}  // namespace targets_test
