// Everything under seeds/ and crashes/ still gives the verdict that it is kept with, on every build that is there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "command.h"
#include "findings/finding.h"
#include "kept_files.h"
#include "target_files.h"

namespace targets_test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The answers of one target binary to these requests (docs/protocol.md). A fault that ends the process is the answer of the request that
// ran; the rest goes to a new process.
std::vector<json> ask(const std::string& binary, const std::vector<json>& requests) {
  std::vector<json> answers;
  while (answers.size() < requests.size()) {
    std::string input;
    for (std::size_t i = answers.size(); i < requests.size(); ++i) input += requests[i].dump() + "\n";
    const auto run = run_command({binary, "--warpfuzz-serve"}, input);
    std::istringstream lines(run.output);
    const std::size_t before = answers.size();
    for (std::string line; std::getline(lines, line);) {
      const json answer = json::parse(line, nullptr, false);
      if (!answer.is_discarded() && answer.value("event", "fault") == "fault") answers.push_back(answer);
    }
    if (answers.size() == before || answers.size() > requests.size())
      throw std::runtime_error(binary + ": expected " + std::to_string(requests.size() - before) + " answers, got\n" +
                               run.all());
  }
  return answers;
}

class KeptFiles : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  void SetUp() override {
    if (preset() == "replay" && !std::filesystem::exists(program()))
      GTEST_SKIP() << "build/replay has no " << program() << ": scripts/build replay";
  }
  static std::string target() { return std::get<0>(GetParam()); }
  static std::string preset() { return std::get<1>(GetParam()); }
  static std::string program() {
    return preset() == "cpu" ? binary(target()) : std::string(WARPFUZZ_TEST_REPLAY_BIN) + "/fuzz_" + target();
  }
  static std::string hint() {
    return preset() == "cpu" ? "" : "\n(" + program() + "; where it is old: scripts/build replay)";
  }

  // .case files say what they expect.
  static void check_cases(const std::vector<std::filesystem::path>& files) {
    std::vector<json> encode, replay;
    for (const auto& file : files) encode.push_back({{"cmd", "encode"}, {"text", read_text(file)}});
    const auto encoded = ask(program(), encode);
    for (std::size_t i = 0; i < files.size(); ++i) {
      ASSERT_TRUE(encoded[i].contains("expect")) << files[i] << ": " << encoded[i].dump();
      replay.push_back({{"cmd", "replay"}, {"path", files[i].string()}});
    }
    const auto results = ask(program(), replay);
    for (std::size_t i = 0; i < files.size(); ++i) {
      const std::string expect = encoded[i]["expect"], fault = results[i].value("fault", "?"),
                        key = results[i].value("key", "?");
      EXPECT_TRUE(meets(expect, fault, key))
          << files[i] << ": expected " << expect << ", got " << fault << " (" << key << ")\n"
          << results[i].value("report", results[i].dump()) << hint();
    }
  }
};

TEST_P(KeptFiles, SeedsGiveTheirVerdict) {
  const auto files = files_in("seeds/" + target(), ".case");
  ASSERT_FALSE(files.empty()) << "seeds/" << target() << ": expected at least one .case";
  check_cases(files);
}

TEST_P(KeptFiles, CrashesGiveTheirVerdict) {
  check_cases(files_in("crashes/" + target(), ".case"));
  const auto files = files_in("crashes/" + target(), ".wfz");
  if (files.empty()) {
    EXPECT_FALSE(kernel_notes(target()).bug) << "crashes/" << target() << ": a planted bug keeps a reproducer";
    return;
  }
  std::vector<json> replay;
  for (const auto& file : files) replay.push_back({{"cmd", "replay"}, {"path", file.string()}});
  const auto results = ask(program(), replay);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const warpfuzz::Result<warpfuzz::Finding> read = warpfuzz::read_wfz(files[i].string());
    ASSERT_TRUE(read) << read.line();
    EXPECT_EQ(read->target, target()) << files[i] << ": it is a finding of another target";
    EXPECT_EQ(results[i].value("key", "?"), bucket_key(*read)) << files[i] << "\n" << results[i].dump() << hint();
    const bool died = results[i].contains("event");  // then nothing is known of the inputs
    EXPECT_TRUE(died || results[i].value("inputs_identical", false)) << files[i] << "\n" << results[i].dump();
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, KeptFiles,
                         testing::Combine(testing::ValuesIn(all_targets()), testing::Values("cpu", "replay")),
                         [](const auto& info) { return std::get<0>(info.param) + "_" + std::get<1>(info.param); });

TEST(KeptFolders, HoldNothingThatIsNotReplayed) { EXPECT_THAT(stray_files(source_root(), all_targets()), IsEmpty()); }

TEST(KeptFolders, StrayFilesAreNamed) {
  ScratchFolder tree;
  const auto file = [&](const std::string& path) {
    std::filesystem::create_directories((tree.path() / path).parent_path());
    std::ofstream(tree.path() / path) << "op: softmax\n";
  };
  for (const char* path :
       {"seeds/softmax/a.case", "crashes/softmax/a.wfz", "crashes/softmax/b.case", "crashes/new/anything/x/y.bin"})
    file(path);
  EXPECT_THAT(stray_files(tree.path(), {"softmax"}), IsEmpty());
  for (const char* path : {"seeds/softmaks/a.case", "seeds/softmax/old/a.case", "seeds/softmax/a.wfz",
                           "crashes/softmax/crash-12", "crashes/x.wfz"})
    file(path);
  EXPECT_THAT(stray_files(tree.path(), {"softmax"}),
              ElementsAre("crashes/softmax/crash-12: expected .wfz or .case, which is all that is replayed here",
                          "crashes/x.wfz: expected a folder named after a target, got a file",
                          "seeds/softmaks: there is no target of that name; rename the folder or remove it",
                          "seeds/softmax/a.wfz: expected .case, which is all that is replayed here",
                          "seeds/softmax/old: a folder inside a target's folder; nothing replays what is in it"));
}

TEST(KeptFolders, WhatACaseExpects) {
  EXPECT_TRUE(meets("pass", "none", ""));
  EXPECT_FALSE(meets("pass", "value", "softmax/value"));
  EXPECT_TRUE(meets("value", "value", "softmax/value"));
  EXPECT_TRUE(meets("softmax/value", "value", "softmax/value"));
  EXPECT_FALSE(meets("special", "value", "softmax/value"));
  EXPECT_FALSE(meets("value", "none", ""));
}

}  // namespace
}  // namespace targets_test
