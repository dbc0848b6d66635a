// Every oracle has a plan for every op, and a plan gives the cases that it says.
#include "peers/peer_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "numeric/round.h"
#include "ops/spec.h"
#include "schema/fill/fill.h"

namespace warpfuzz {
namespace {

const std::vector<std::string_view> kPlanned = {"kernelbench",  "kernelbench-v0", "tritonbench",      "geak",
                                                "geak-runner",  "robust-kbench",  "flashinfer-bench", "backendbench",
                                                "assert_close", "illusion-paper"};

TEST(PeerPlan, EveryOracleHasOneForEveryOpOfTheRegistry) {
  std::set<std::string_view> oracles;
  for (const PeerOracle& p : peer_oracles()) oracles.insert(p.name);
  EXPECT_EQ(oracles, std::set(kPlanned.begin(), kPlanned.end()));
  for (const Op& op : ops::all())
    for (const PeerOracle& p : peer_oracles())
      EXPECT_GT(peer_trial_count(p.name, op.schema.op), 0u) << p.name << " " << op.schema.op;
  EXPECT_EQ(peer_trial_count("kernelbench", "conv"), 0u);
  EXPECT_EQ(peer_trial_count("nobody", "softmax"), 0u);
}
TEST(PeerPlan, FamiliesAreInTheOrderOfTheOpsAndEachHasAllItsPlans) {
  std::vector<std::string_view> names;
  for (const PeerFamily* f : peer_families()) {
    names.push_back(f->name);
    for (const PeerOracle& p : peer_oracles())
      EXPECT_EQ(f->plan_of(p.name) != nullptr, p.name != "geak-runner" && p.name != "illusion-paper")
          << f->name << " " << p.name;
    EXPECT_EQ(f->plans.size(), peer_oracles().size() - 2) << f->name << ": one plan an oracle";
  }
  EXPECT_EQ(names, (std::vector<std::string_view>{"elementwise", "softmax", "layernorm", "rmsnorm", "l2norm", "matmul",
                                                  "attention"}));
}
TEST(PeerPlan, TheFamiliesDimsAreThoseOfTheSchemas) {
  for (const Op& op : ops::all()) {
    const PeerFamily* f = peer_family(op.schema.op);
    ASSERT_NE(f, nullptr) << op.schema.op;
    EXPECT_EQ(f->dims.size(), op.schema.dims.size()) << op.schema.op;
    for (const std::string_view dim : f->dims) EXPECT_GE(op.schema.dim_index(dim), 0) << op.schema.op << " " << dim;
  }
}
TEST(PeerPlan, TrialsHaveThePlansShapesAndWholeTensors) {
  for (const Op& op : ops::all())
    for (const PeerOracle& p : peer_oracles()) {
      const auto trials = peer_trials(p.name, op.schema, &op.schema, "", 1);
      ASSERT_EQ(trials.size(), peer_trial_count(p.name, op.schema.op));
      for (const PeerTrial& t : trials) {
        EXPECT_FALSE(t.narrowed) << p.name << " " << op.schema.op;
        for (std::size_t k = 0; k < t.values.size(); ++k) {
          const bool input = op.schema.tensors[k].role == Role::in && t.test_case.tensors[k].present;
          EXPECT_EQ(t.values[k].size(), input ? tensor_layout(op.schema, t.test_case, static_cast<int>(k)).elements : 0)
              << op.schema.op;
        }
      }
    }
}
TEST(PeerPlan, InputsAreWhatTheOracleDraws) {
  const Op softmax = ops::softmax().op();
  const auto range = [&](std::string_view oracle) {
    float least = INFINITY, most = -INFINITY;
    for (const PeerTrial& t : peer_trials(oracle, softmax.schema, &softmax.schema, "", 3))
      for (const float v : t.values[0]) least = std::min(least, v), most = std::max(most, v);
    return std::pair(least, most);
  };
  EXPECT_GE(range("kernelbench").first, 0);
  EXPECT_LT(range("kernelbench").second, 1);
  EXPECT_GT(range("kernelbench").second, 0.99f);
  EXPECT_LT(range("kernelbench-v0").first, -3);
  EXPECT_GT(range("kernelbench-v0").second, 3);
  EXPECT_LT(range("illusion-paper").first, -9.9f);
  EXPECT_LE(range("illusion-paper").second, 10);
  double sum = 0, squares = 0, n = 0;
  for (const PeerTrial& t : peer_trials("kernelbench-v0", softmax.schema, &softmax.schema, "", 3))
    for (const float v : t.values[0]) sum += v, squares += v * v, ++n;
  EXPECT_NEAR(sum / n, 0, 0.01);
  EXPECT_NEAR(squares / n, 1, 0.02);
}
TEST(PeerPlan, WeightsStandWhereTheBenchmarkHasThem) {
  const Op norm = ops::layernorm().op();
  const int gamma = norm.schema.tensor_index("gamma"), beta = norm.schema.tensor_index("beta");
  const PeerTrial ones = peer_trials("kernelbench", norm.schema, &norm.schema, "", 1)[0];
  EXPECT_EQ(ones.values[gamma][5], 1);
  EXPECT_EQ(ones.values[beta][5], 0);
  const PeerTrial script = peer_trials("tritonbench", norm.schema, &norm.schema, "", 1)[0];
  EXPECT_NE(script.values[gamma][5], script.values[gamma][6]);
  EXPECT_FALSE(script.test_case.tensors[beta].present);
  TargetSpec needs = ops::layernorm();
  needs.require("beta");
  EXPECT_EQ(peer_trials("tritonbench", needs.schema(), &norm.schema, "", 1)[0].values[beta][0], 1);
}
TEST(PeerPlan, OnlyWhatTheTargetNarrowsIsNarrowed) {
  const Op norm = ops::rmsnorm().op();
  TargetSpec narrow = ops::rmsnorm();
  narrow.where("cols", multiple_of(4, 1024));
  const auto trials = peer_trials("geak", narrow.schema(), &norm.schema, "", 1),
             wide = peer_trials("geak", norm.schema, &norm.schema, "", 1);
  EXPECT_EQ(wide[5].test_case.dims[1], 65536u) << "the op's own limit is a budget of campaigns";
  EXPECT_EQ(trials[5].test_case.dims[1], 1024u);
  EXPECT_EQ(trials[1].test_case.dims[1], 8u);
  EXPECT_TRUE(trials[1].narrowed && trials[5].narrowed);
  EXPECT_FALSE(trials[0].narrowed);
}
TEST(PeerPlan, ValuesAreThoseOfTheDtypeAndFollowTheSeed) {
  TargetSpec half = ops::softmax();
  half.dtypes({f16});
  const Op op = ops::softmax().op();
  const auto a = peer_trials("assert_close", half.schema(), &op.schema, "", 1),
             b = peer_trials("assert_close", half.schema(), &op.schema, "", 1),
             c = peer_trials("assert_close", half.schema(), &op.schema, "", 2);
  EXPECT_EQ(a[0].values, b[0].values);
  EXPECT_NE(a[0].values, c[0].values);
  for (const float v : a[0].values[0]) ASSERT_EQ(v, static_cast<float>(round_to(DType::f16, v)));
}
TEST(PeerPlan, ThePapersDims) {
  const Op op = ops::matmul().op();
  std::set<std::uint32_t> k;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    k.insert(
        paper_case(op.schema, &op.schema, "", seed).test_case.dims[static_cast<std::size_t>(op.schema.dim_index("K"))]);
  EXPECT_EQ(k, (std::set<std::uint32_t>{1, 3, 16, 64, 127, 256}));
  EXPECT_EQ(axes_text(peer_family("rmsnorm")->sampling("")), "B{1,2,8} S{1,7,128} H{2,3,256,1025}");
  EXPECT_EQ(axes_text(peer_family("attention")->sampling("flash")), "M{1,2,8} N{1,3,16,64,128,256} D{8,16,64}");
  EXPECT_EQ(axes_text(peer_family("attention")->sampling("")), "M{1,2,8} N{1,3,16,256} D{8,16,64}");
}
TEST(PeerPlan, EveryAlgorithmOfAnOpHasASamplingAndNoOtherHas) {
  for (const Op& op : ops::all())
    for (const PaperSampling& s : peer_family(op.schema.op)->paper)
      EXPECT_TRUE(s.algorithm.empty() ||
                  std::find(op.algorithms.begin(), op.algorithms.end(), s.algorithm) != op.algorithms.end())
          << op.schema.op << " " << s.algorithm;
  const Op op = ops::attention().op();
  std::set<std::uint32_t> plain, flash;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto n = static_cast<std::size_t>(op.schema.dim_index("N"));
    plain.insert(paper_case(op.schema, &op.schema, "", seed).test_case.dims[n]);
    flash.insert(paper_case(op.schema, &op.schema, "flash", seed).test_case.dims[n]);
  }
  EXPECT_EQ(plain, (std::set<std::uint32_t>{1, 3, 16, 256}));
  EXPECT_EQ(flash, (std::set<std::uint32_t>{1, 3, 16, 64, 128, 256}));
}
TEST(PeerPlan, OpsOfATargetsOwnAreSampledFromTheBoundaryValues) {
  TargetSpec own = TargetSpec::custom("own");
  own.dtypes({f32}).dim("n", 64).input("x", {"n"}).output("y", {"n"});
  std::set<std::uint32_t> n;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    n.insert(paper_case(own.schema(), nullptr, "", seed).test_case.dims[0]);
  EXPECT_EQ(n, (std::set<std::uint32_t>{1, 3, 7, 64}));
}

}  // namespace
}  // namespace warpfuzz
