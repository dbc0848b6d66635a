// A target whose launcher remembers: what shrinking keeps fails in a process of its own, or says that it needs the cases before it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "command.h"
#include "findings/finding.h"

namespace warpfuzz::test {
namespace {

namespace fs = std::filesystem;
using targets_test::CommandResult;
using targets_test::run_command;
using targets_test::ScratchFolder;
using testing::HasSubstr;
using testing::Not;

const std::string kBin = WARPFUZZ_TEST_BIN, kStale = kBin + "/fuzz_stale_copy", kOnce = kBin + "/fuzz_stale_once",
                  kCommand = kBin + "/warpfuzz";

// Runs the cases in this order, and reads the one finding that is left.
struct Campaign {
  CommandResult run;
  std::string file;
  Finding finding;
};
Campaign campaign(const std::string& target, const ScratchFolder& f, const std::vector<std::string>& cases) {
  const auto corpus = f.make("corpus");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string text = (f.path() / "seed.case").string();
    std::ofstream(text) << cases[i];
    const auto encoded = run_command({kCommand, "encode", fs::path(target).filename().string().substr(5), text, "-o",
                                      (corpus / ("seed" + std::to_string(i))).string()});
    EXPECT_EQ(encoded.exit_code, 0) << encoded.all();
  }
  Campaign c{run_command({target, "-seed=1", "-runs=1", "-shuffle=0", "-artifact_prefix=" + f.path().string() + "/",
                          corpus.string()}),
             "",
             {}};
  EXPECT_EQ(c.run.exit_code, 77) << c.run.errors;
  const auto files = f.files(".wfz");
  if (files.size() != 1) throw std::runtime_error("expected one .wfz: " + c.run.errors);
  c.file = files[0].string();
  Result<Finding> read = read_wfz(c.file);
  c.finding = std::move(read).value();
  return c;
}

void expect_replays(const std::string& file) {
  const CommandResult replay = run_command({kStale, file});
  EXPECT_EQ(replay.exit_code, 77) << replay.errors;
  EXPECT_THAT(replay.errors, HasSubstr("DEDUP_TOKEN: stale_copy/value\n"));
  EXPECT_THAT(replay.errors,
              HasSubstr("recorded stale_copy/value, now stale_copy/value: reproduced; inputs bit-identical; 0 of "));
}

TEST(History, WhatIsKeptFailsInAProcessOfItsOwn) {
  ScratchFolder f;
  const Campaign c = campaign(kStale, f, {"n: 37\ncalls: 2\nx: normal seed=5\n"});
  EXPECT_EQ(bucket_key(c.finding), "stale_copy/value");
  EXPECT_THAT(c.finding.text, HasSubstr("calls: 2\n")) << "with one call it fails only after other cases";
  EXPECT_THAT(c.finding.attributes.at("history"), HasSubstr("failed only after other cases"));
  EXPECT_THAT(c.run.errors, HasSubstr("\n  history      shrunk by "));
  expect_replays(c.file);
  // From outside, in fresh processes, shrinking goes on from there.
  const std::string small = (f.path() / "small.wfz").string();
  const CommandResult shrunk = run_command({kCommand, "shrink", c.file, "--seconds", "60", "-o", small});
  EXPECT_EQ(shrunk.exit_code, 0) << shrunk.all();
  const Result<Finding> read = read_wfz(small);
  ASSERT_TRUE(read) << read.line();
  EXPECT_LE(input_elements(*read), 2u) << read->summary;
  EXPECT_FALSE(read->attributes.contains("history"));
  expect_replays(small);
}

TEST(History, WhatNeedsTheCasesBeforeItIsKeptUnshrunkAndSaysSo) {
  ScratchFolder f;
  const Campaign c = campaign(kOnce, f, {"n: 37\nx: normal seed=5\n", "n: 37\nx: normal seed=6\n"});
  EXPECT_THAT(c.finding.summary, HasSubstr("n=37 x=normal")) << "unshrunk";
  EXPECT_THAT(c.finding.attributes.at("history"), testing::StartsWith("depends on what ran before"));
  EXPECT_THAT(c.run.errors, HasSubstr("\n  history      depends on what ran before"));
  const CommandResult replay = run_command({kOnce, c.file});
  EXPECT_EQ(replay.exit_code, 0) << replay.errors;
  EXPECT_THAT(run_command({kCommand, "show", c.file}).all(), HasSubstr("depends on what ran before"));
}

TEST(History, ACaseThatNeedsAPastIsCalledTwice) {
  ScratchFolder f;
  const Campaign c = campaign(kStale, f, {"n: 37\nx: normal seed=5\n", "n: 37\nx: normal seed=6\n"});
  EXPECT_THAT(c.finding.text, HasSubstr("calls: 2\n"));
  EXPECT_THAT(c.run.errors, HasSubstr("\n  history      made to call the kernel twice"));
  expect_replays(c.file);
}

// A campaign that starts from nothing.
TEST(History, AFoundCaseReplays) {
  for (const char* seed : {"-seed=1", "-seed=2", "-seed=3"}) {
    ScratchFolder f;
    const CommandResult r = run_command({kStale, seed, "-runs=2000", "-artifact_prefix=" + f.path().string() + "/"});
    EXPECT_EQ(r.exit_code, 77) << r.errors;
    const auto files = f.files(".wfz");
    ASSERT_EQ(files.size(), 1u);
    const Result<Finding> read = read_wfz(files[0].string());
    ASSERT_TRUE(read) << read.line();
    EXPECT_EQ(run_command({kStale, files[0].string()}).exit_code, 77) << r.errors;
  }
}

}  // namespace
}  // namespace warpfuzz::test
