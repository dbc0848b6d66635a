// The tolerance table at work: every control passes random cases within its rows' evidence, and each lower-precision twin
// fails what its control passes.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command.h"
#include "target_files.h"

namespace targets_test {
namespace {

using nlohmann::json;

constexpr const char* kCases = "20";
// That of the evidence: its first cases again, so that a ratio beyond it means that the kernel, the inputs or the bound changed.
constexpr const char* kEvidenceSeed = "20260";

class Calibration : public testing::TestWithParam<std::string> {};

TEST_P(Calibration, ControlKeepsToItsEvidenceAndTwinDoesNot) {
  const std::string control = GetParam();
  const auto list = twins();
  const bool has_twin = std::find(list.begin(), list.end(), control) != list.end();
  const auto run =
      run_command({std::string(WARPFUZZ_TEST_BIN) + "/warpfuzz", "calibrate", control, "--check", "--cases", kCases,
                   "--seed", kEvidenceSeed, "--json", "--twin", has_twin ? control + "_twin" : "none"});
  EXPECT_EQ(run.exit_code, 0) << run.all();
  const json j = json::parse(run.output, nullptr, false);
  ASSERT_TRUE(j.is_object()) << run.all();
  ASSERT_GE(j["rows"].size(), 3u) << "fp32, fp16 and bf16";
  for (const json& row : j["rows"]) {
    SCOPED_TRACE(row["dtype"].get<std::string>());
    EXPECT_EQ(row["failed"], 0);
    EXPECT_LE(row["max_ratio"], 1);
    EXPECT_TRUE(has_twin || row["twin"] == "");
    if (has_twin) EXPECT_GT(row["twin_failed"], 0) << "of " << kCases << " cases that the control passes";
  }
}

INSTANTIATE_TEST_SUITE_P(Controls, Calibration, testing::ValuesIn(controls()),
                         [](const auto& info) { return info.param; });

// A twin is no correct kernel: calibrating with one asks about its error and changes nothing.
TEST(Calibrate, AnErrorBeyondTheBoundIsAskedAbout) {
  const auto run = run_command({std::string(WARPFUZZ_TEST_BIN) + "/warpfuzz", "calibrate", "gelu_twin", "--dtype",
                                "fp16", "--cases", kCases, "--twin", "none"});
  EXPECT_EQ(run.exit_code, 90) << run.all();
  EXPECT_NE(run.errors.find("is beyond c = 1 of [gelu.fp16]"), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find("Is that a dialect which the target should declare"), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find("nothing was changed"), std::string::npos) << run.errors;
}

// A control that stands in for its twin passes: a row that accepts both is refused.
TEST(Calibrate, ATwinThatPassesIsRefused) {
  const auto run = run_command({std::string(WARPFUZZ_TEST_BIN) + "/warpfuzz", "calibrate", "gelu", "--dtype", "fp16",
                                "--cases", kCases, "--twin", "gelu"});
  EXPECT_EQ(run.exit_code, 90) << run.all();
  EXPECT_NE(run.errors.find("[gelu.fp16] does not tell gelu from its lower-precision twin"), std::string::npos)
      << run.errors;
}

}  // namespace
}  // namespace targets_test
