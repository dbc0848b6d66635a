// The rules of other tools, at their own edges.
#include "peers/peers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace warpfuzz {
namespace {

bool passes(const char* name, std::string_view op, DType t, double got, double ref) {
  const PeerOracle* p = peer_oracle(name);
  EXPECT_NE(p, nullptr) << name;
  const auto tolerance = peer_tolerance(*p, op, t);
  EXPECT_TRUE(tolerance.has_value()) << name;
  return tolerance && peer_accepts(*p, *tolerance, got, ref);
}

TEST(Peers, EachJudgesAMatmulAtItsEdge) {
  const auto edge = [](const char* name, DType t, double ref, double slack) {
    EXPECT_TRUE(passes(name, "matmul", t, ref + slack * 0.999, ref)) << name;
    EXPECT_FALSE(passes(name, "matmul", t, ref + slack * 1.001, ref)) << name;
    EXPECT_TRUE(passes(name, "matmul", t, ref - slack * 0.999, ref)) << name;
  };
  edge("kernelbench", DType::f32, 3, 1e-4 + 3e-4);
  edge("kernelbench", DType::bf16, 3, 1e-2 + 3e-2);
  edge("kernelbench-v0", DType::f32, 3, 1e-2 + 3e-2);
  edge("geak", DType::f32, 3, 1e-3 + 3e-1);
  edge("geak-runner", DType::f16, 3, 1e-2 + 3e-1);
  edge("robust-kbench", DType::f32, 3, 4e-5);
  edge("backendbench", DType::f16, 3, 4e-2);
  edge("assert_close", DType::f32, 3, 1e-5 + 3 * 1.3e-6);
  edge("assert_close", DType::f16, 3, 1e-5 + 3e-3);
  edge("assert_close", DType::bf16, 3, 1e-5 + 3 * 1.6e-2);
  edge("illusion-paper", DType::f32, 3, 5e-2);
  edge("flashinfer-bench", DType::f32, 3, 3e-2);    // the relative bound is the wider one
  edge("flashinfer-bench", DType::f32, 0.1, 1e-2);  // here the absolute one
}
TEST(Peers, TheRelativePartFollowsTheReferenceOnly) {
  EXPECT_FALSE(passes("kernelbench", "softmax", DType::f32, 1, 0));
  EXPECT_FALSE(passes("geak", "softmax", DType::f32, 100, 1));
  EXPECT_TRUE(passes("geak", "softmax", DType::f32, 100, 111));
}
TEST(Peers, PapersTable) {
  const PeerOracle& p = *peer_oracle("illusion-paper");
  EXPECT_EQ(peer_tolerance(p, "softmax", DType::f32)->atol, 1e-5);
  EXPECT_EQ(peer_tolerance(p, "softmax", DType::f16)->atol, 2e-2);
  EXPECT_EQ(peer_tolerance(p, "layernorm", DType::f16)->atol, 5e-2);
  EXPECT_FALSE(peer_tolerance(p, "matmul", DType::f16).has_value());
  EXPECT_FALSE(peer_tolerance(p, "matmul", DType::bf16).has_value());
  EXPECT_EQ(peer_tolerance(p, "softmax", DType::bf16)->atol, 2e-2) << "bf16 uses the column of fp16";
  EXPECT_FALSE(peer_tolerance(p, "conv", DType::f32).has_value());
}
TEST(Peers, NanAndInf) {
  for (const PeerOracle& p : peer_oracles()) {
    if (p.rule == PeerRule::printed) continue;
    const PeerTolerance t{1, 1};
    EXPECT_FALSE(peer_accepts(p, t, NAN, 1)) << p.name;
    EXPECT_FALSE(peer_accepts(p, t, 1, NAN)) << p.name;
    EXPECT_EQ(peer_accepts(p, t, NAN, NAN), p.name == "backendbench") << p.name;
    EXPECT_EQ(peer_accepts(p, t, INFINITY, INFINITY), p.name != "flashinfer-bench") << p.name;
    EXPECT_FALSE(peer_accepts(p, t, INFINITY, -INFINITY)) << p.name;
    EXPECT_FALSE(peer_accepts(p, t, 1e30, INFINITY)) << p.name;
  }
}
TEST(Peers, WholeTensors) {
  const PeerOracle& p = *peer_oracle("assert_close");
  const std::uint32_t shape[] = {3};
  const double ref[] = {1, 2 + 0x1p-13, 3}, good[] = {1, 2, 3}, bad[] = {1, 2.2, 3.1};
  EXPECT_TRUE(peer_compare(p, "matmul", DType::f16, shape, good, ref)->accepted) << "the reference is rounded first";
  const auto refused = peer_compare(p, "matmul", DType::f16, shape, bad, ref);
  EXPECT_FALSE(refused->accepted);
  EXPECT_EQ(refused->element, 1u);
  EXPECT_EQ(refused->refused, 2u);
  EXPECT_FALSE(peer_compare(p, "matmul", DType::f16, shape, std::span(good, 2), ref)->accepted);
  EXPECT_FALSE(peer_compare(*peer_oracle("robust-kbench"), "matmul", DType::f16, shape, good, ref).has_value());
}
TEST(Peers, PrintedTextComparesWhatIsShown) {
  const PeerOracle& p = *peer_oracle("tritonbench");
  EXPECT_FALSE(peer_tolerance(p, "softmax", DType::f32).has_value());
  EXPECT_TRUE(peer_has_rule(p, "softmax", DType::bf16));
  const std::uint32_t shape[] = {2};
  const double ref[] = {0.25, 0.75}, near[] = {0.25004, 0.75}, far[] = {0.2501, 0.75};
  EXPECT_TRUE(peer_compare(p, "softmax", DType::f32, shape, near, ref)->accepted);
  const auto refused = peer_compare(p, "softmax", DType::f32, shape, far, ref);
  EXPECT_FALSE(refused->accepted);
  EXPECT_EQ(refused->got_text, "0.2501");
  EXPECT_EQ(refused->reference_text, "0.2500");
  std::vector<double> many(2000, 1.5), hidden = many;
  hidden[1000] = 7;
  const std::uint32_t long_shape[] = {2000};
  EXPECT_TRUE(peer_compare(p, "softmax", DType::f32, long_shape, hidden, many)->accepted) << "the middle is not shown";
  hidden[1999] = 7;
  EXPECT_FALSE(peer_compare(p, "softmax", DType::f32, long_shape, hidden, many)->accepted);
}
TEST(Peers, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const PeerOracle& p : peer_oracles()) EXPECT_TRUE(names.insert(p.name).second) << p.name;
  EXPECT_EQ(peer_oracle("nobody"), nullptr);
}

}  // namespace
}  // namespace warpfuzz
