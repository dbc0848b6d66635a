// Everything under seeds/ and crashes/ still gives the verdict that it is kept with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "command.h"
#include "target_files.h"

namespace targets_test {
namespace {

using nlohmann::json;

// The answers of one target binary to these requests (docs/protocol.md), without the greeting.
std::vector<json> ask(const std::string& target, const std::vector<json>& requests) {
  std::string input;
  for (const auto& request : requests) input += request.dump() + "\n";
  const auto run = run_command({binary(target), "--warpfuzz-serve"}, input);
  std::istringstream lines(run.output);
  std::vector<json> answers;
  for (std::string line; std::getline(lines, line);) {
    const json answer = json::parse(line, nullptr, false);
    if (!answer.is_discarded() && !answer.contains("event")) answers.push_back(answer);
  }
  if (answers.size() != requests.size())
    throw std::runtime_error(target + ": expected " + std::to_string(requests.size()) + " answers, got\n" + run.all());
  return answers;
}

class KeptFiles : public testing::TestWithParam<std::string> {};

TEST_P(KeptFiles, SeedsGiveTheirVerdict) {
  const auto files = files_in("seeds/" + GetParam(), ".case");
  ASSERT_FALSE(files.empty()) << "seeds/" << GetParam() << ": expected at least one .case";
  std::vector<json> encode;
  for (const auto& file : files) encode.push_back({{"cmd", "encode"}, {"text", read_text(file)}});
  const auto encoded = ask(GetParam(), encode);
  std::vector<json> run;
  for (std::size_t i = 0; i < files.size(); ++i) {
    ASSERT_TRUE(encoded[i].contains("bytes")) << files[i] << ": " << encoded[i].dump();
    run.push_back({{"cmd", "run"}, {"bytes", encoded[i]["bytes"]}});
  }
  const auto results = ask(GetParam(), run);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string expect = encoded[i].value("expect", "pass");
    EXPECT_EQ(results[i].value("fault", ""), expect == "pass" ? "none" : expect)
        << files[i] << "\n"
        << results[i].value("report", results[i].dump());
  }
}

TEST_P(KeptFiles, CrashesGiveTheirVerdict) {
  const auto files = files_in("crashes/" + GetParam(), ".wfz");
  if (files.empty()) {
    EXPECT_FALSE(kernel_notes(GetParam()).bug) << "crashes/" << GetParam() << ": a planted bug keeps a reproducer";
    return;
  }
  std::vector<json> replay;
  for (const auto& file : files) replay.push_back({{"cmd", "replay"}, {"path", file.string()}});
  const auto results = ask(GetParam(), replay);
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_TRUE(results[i].value("same_key", false)) << files[i] << "\n" << results[i].dump();
    EXPECT_TRUE(results[i].value("inputs_identical", false)) << files[i] << "\n" << results[i].dump();
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, KeptFiles, testing::ValuesIn(all_targets()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace targets_test
