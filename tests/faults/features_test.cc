// Features are a pure function of the case: a corpus gives the same ones in any order.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "command.h"
#include "schema/mutate/mutate.h"

namespace warpfuzz::test {
namespace {

using nlohmann::json;
using targets_test::run_command;

const std::string kBin = WARPFUZZ_TEST_BIN;

std::string hex(const Bytes& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (std::uint8_t b : bytes) out += {kDigits[b >> 4], kDigits[b & 15]};
  return out;
}

std::vector<json> features(const std::string& target, const std::vector<Bytes>& corpus,
                           const std::vector<std::size_t>& order) {
  std::string requests;
  for (std::size_t i : order) requests += json{{"cmd", "features"}, {"bytes", hex(corpus[i])}, {"id", i}}.dump() + "\n";
  const auto r = run_command({kBin + "/fuzz_" + target, "--warpfuzz-serve"}, requests, 250);
  EXPECT_EQ(r.exit_code, 0) << r.errors;
  std::vector<json> by_case(corpus.size());
  std::istringstream lines(r.output);
  for (std::string line; std::getline(lines, line);) {
    const json answer = json::parse(line);
    if (answer.contains("id")) by_case[answer["id"].get<std::size_t>()] = answer;
  }
  return by_case;
}

class Features : public testing::TestWithParam<const char*> {};

TEST_P(Features, DoNotDependOnWhatRanBefore) {
  std::vector<Bytes> corpus;
  for (std::uint64_t seed = 0; seed < 40; seed++) {
    Bytes b = random_case(seed);
    b[4] = static_cast<std::uint8_t>(seed % 5);  // few rows: the cases shall be quick
    b[5] = 0;
    corpus.push_back(b);
  }
  std::vector<std::size_t> forward, backward, twice;
  for (std::size_t i = 0; i < corpus.size(); i++) forward.push_back(i);
  backward.assign(forward.rbegin(), forward.rend());
  const std::vector<json> a = features(GetParam(), corpus, forward), b = features(GetParam(), corpus, backward);
  std::size_t most = 0;
  for (std::size_t i = 0; i < corpus.size(); i++) {
    ASSERT_TRUE(a[i].contains("features")) << a[i];
    EXPECT_EQ(a[i], b[i]) << "case " << i;
    most = std::max(most, a[i]["features"].size());
  }
  EXPECT_GT(most, 20u) << "edges of the kernel and counters of ours";
}

INSTANTIATE_TEST_SUITE_P(Targets, Features, testing::Values("softmax", "softmax_tail_mask", "matmul_overwrite"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace warpfuzz::test
