// Every planted bug is found from an empty corpus, under a key and with the attributes that its source declares, small,
// and its file replays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "command.h"
#include "findings/finding.h"
#include "target_files.h"

namespace targets_test {
namespace {

constexpr int kExecutions = 300, kSubtleExecutions = 3000;  // what the slowest of 20 seeds may need
constexpr int kFinding = 77;
constexpr std::size_t kLargestFile = 2048;

class PlantedBug : public testing::TestWithParam<std::string> {};

int executions(const std::string& target) {
  const auto subtle = subtle_bugs();
  return std::count(subtle.begin(), subtle.end(), target) ? kSubtleExecutions : kExecutions;
}

// Fuzzes from nothing; the shrunk finding that the run left in `folder`.
warpfuzz::Finding hunt(const std::string& target, int seed, const ScratchFolder& folder) {
  const auto run =
      run_command({binary(target), "-seed=" + std::to_string(seed), "-runs=" + std::to_string(executions(target)),
                   "-artifact_prefix=" + folder.path().string() + "/", folder.make("corpus").string()});
  EXPECT_EQ(run.exit_code, kFinding) << target << " seed " << seed << "\n" << run.all();
  const auto files = folder.files(".wfz");
  if (files.size() != 1) throw std::runtime_error(target + ": expected one .wfz, got " + std::to_string(files.size()));
  EXPECT_LE(std::filesystem::file_size(files[0]), kLargestFile);
  warpfuzz::Finding finding = warpfuzz::read_wfz(files[0].string()).value();
  EXPECT_THAT(run.all(), testing::HasSubstr("DEDUP_TOKEN: " + bucket_key(finding)));
  return finding;
}

std::string attribute(const warpfuzz::Finding& f, const char* name) {
  const auto found = f.attributes.find(name);
  return found == f.attributes.end() ? "" : found->second;
}

TEST_P(PlantedBug, DeclaresWhatToExpect) {
  const KernelNotes notes = kernel_notes(GetParam());
  EXPECT_TRUE(notes.bug) << "no line `// BUG:`";
  EXPECT_FALSE(notes.correct_if.empty()) << "no line `// correct-if:`";
  EXPECT_FALSE(notes.keys.empty()) << "no line `// expect-keys:`";
  EXPECT_FALSE(notes.kinds.empty()) << "no line `// expect-kind:`";
  EXPECT_FALSE(notes.locations.empty()) << "no line `// expect-location:`";
}

TEST_P(PlantedBug, IsFoundFromAnEmptyCorpus) {
  const KernelNotes notes = kernel_notes(GetParam());
  for (int seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(GetParam() + " seed " + std::to_string(seed));
    ScratchFolder folder;
    const warpfuzz::Finding f = hunt(GetParam(), seed, folder);
    EXPECT_EQ(f.target, GetParam());
    EXPECT_THAT(notes.keys, testing::Contains(std::string(warpfuzz::fault_name(f.fault))));
    EXPECT_THAT(notes.kinds, testing::Contains(attribute(f, "kind"))) << f.summary;
    EXPECT_THAT(notes.locations, testing::Contains(attribute(f, "location"))) << f.summary;
  }
}

TEST_P(PlantedBug, FindingReplays) {
  ScratchFolder folder;
  const warpfuzz::Finding f = hunt(GetParam(), 4, folder);
  const auto replay = run_command({binary(GetParam()), folder.files(".wfz")[0].string()});
  EXPECT_EQ(replay.exit_code, kFinding) << replay.all();
  EXPECT_THAT(replay.all(), testing::HasSubstr("DEDUP_TOKEN: " + bucket_key(f)));
}

INSTANTIATE_TEST_SUITE_P(Targets, PlantedBug, testing::ValuesIn(planted_bugs()),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Subtle, PlantedBug, testing::ValuesIn(subtle_bugs()),
                         [](const auto& info) { return info.param; });

const warpfuzz::TensorSnapshot& tensor(const warpfuzz::Finding& f, const std::string& name) {
  for (const auto& t : f.inputs)
    if (t.name == name) return t;
  throw std::runtime_error("no input " + name);
}

TEST(Shrinking, LeavesAtMostFourElementsOfTheTailMask) {
  ScratchFolder folder;
  const auto f = hunt("softmax_tail_mask", 1, folder);
  const auto& shape = tensor(f, "x").shape;
  EXPECT_LE(shape[0] * shape[1], 4u) << f.summary;
}

TEST(Shrinking, LeavesOneElementPastABlockOfTheOverwrite) {
  ScratchFolder folder;
  const auto f = hunt("matmul_overwrite", 1, folder);
  EXPECT_THAT(tensor(f, "a").shape, testing::ElementsAre(1, 33)) << f.summary;
  EXPECT_THAT(tensor(f, "b").shape, testing::ElementsAre(33, 1)) << f.summary;
}

}  // namespace
}  // namespace targets_test
