// How often a campaign asks the reference: once for a case that passes, or fails in a way that is known.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/campaign.h"
#include "fake_target.h"

namespace warpfuzz::test {
namespace {

namespace fs = std::filesystem;

class CampaignEvidence : public testing::Test {
 protected:
  CampaignEvidence() {
    fs::create_directories(folder_);
    options_.crashes = (folder_ / "crashes").string();
    options_.shrink = options_.in_flight = false;
    options_.hang_seconds = options_.extra_run_one_in = 0;
    // Counted in a file: a finding ends the process that counts.
    target_.spec.reference(
        [file = count_, once = target_.spec.op().reference](const RefContext& c, std::vector<Reference>& refs) {
          std::ofstream(file, std::ios::app) << '.';
          once(c, refs);
        });
  }
  ~CampaignEvidence() override { fs::remove_all(folder_); }

  std::uintmax_t asked(const std::function<void()>& during) const {
    fs::remove(count_);
    during();
    return fs::exists(count_) ? fs::file_size(count_) : 0;
  }
  Bytes bytes(std::uint32_t n) const { return encode(target_.schema(), make_case(target_, n, Fill::small_int)); }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("campaign_evidence_" + std::to_string(getpid()));
  const fs::path count_ = folder_ / "asked";
  Target target_ = identity_target(1, 1);
  Options options_;
  Invocation invocation_;
  FakeBackend backend_{[](auto x, const FakeRun&) {  // right up to 8 elements
    if (x.size() > 8) x[0] += 8;
    return x;
  }};
};

TEST_F(CampaignEvidence, OnlyANewFindingIsMoreThanOneReference) {
  options_.known_continue = true;
  Campaign campaign(target_, backend_, options_, invocation_);
  EXPECT_EQ(asked([&] { EXPECT_EQ(campaign.test_one(bytes(5)), 0); }), 1u) << "it passes";
  EXPECT_EQ(asked([&] { EXPECT_EQ(campaign.test_one(bytes(9)), -1); }), 3u)
      << "judged to be counted; then, as it is new, once more, with one that repeats it";
  EXPECT_EQ(asked([&] { EXPECT_EQ(campaign.test_one(bytes(10)), -1); }), 1u) << "it is known";
}

TEST_F(CampaignEvidence, AFindingThatEndsTheProcessIsExplainedByThePassThatFoundIt) {
  EXPECT_EQ(asked([&] {
              EXPECT_DEATH(
                  {
                    Campaign campaign(target_, backend_, options_, invocation_);
                    campaign.test_one(bytes(9));
                  },
                  "SUMMARY: WarpFuzz: identity/value");
            }),
            2u)
      << "it judges, and repeats itself";
}

}  // namespace
}  // namespace warpfuzz::test
