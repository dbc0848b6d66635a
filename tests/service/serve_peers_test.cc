// Other tools' checks over the line protocol, with a scripted kernel: what each certifies and what it is asked for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fake_target.h"
#include "peers/peers.h"
#include "service/commands.h"

namespace warpfuzz::test {
namespace {

using nlohmann::json;

// gelu, with the tanh form, at most 64 elements where the target is narrow.
Target gelu_target(bool narrow = false) {
  TargetSpec spec = ops::gelu();
  spec.dtypes({f32, f16}).mixed({mixed_dtype(f16, f32)}).dialect("form=tanh");
  if (narrow) spec.where("n", at_most(64));
  return {"gelu", spec, [](const Launch&) {}};
}
float gelu(float v) {
  const double x = v;
  return static_cast<float>(0.5 * x * (1 + std::tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x))));
}
FakeKernel kernel(std::function<float(float)> f) {
  return [f](const std::vector<float>& x, const FakeRun&) {
    std::vector<float> y;
    for (const float v : x) y.push_back(f(v));
    return y;
  };
}

json ask(FakeBackend& backend, const Target& target, const char* cmd, json request) {
  Serving s{target, backend, Watchdog({}, {}), {}, {}, 0};
  request["cmd"] = cmd;
  for (const NamedCommand& c : peer_commands())
    if (std::string(c.name) == cmd) return c.run(s, request);
  throw std::runtime_error("no such command");
}
json peer(FakeBackend& backend, const Target& target, std::string_view oracle, const char* dtype = "fp32") {
  return ask(backend, target, "peer", {{"oracle", oracle}, {"dtype", dtype}, {"seed", 1}});
}

TEST(ServePeers, ARightKernelPassesEachAndAForgottenHalfFailsEach) {
  const Target t = gelu_target();
  FakeBackend right(kernel(gelu)), wrong(kernel([](float v) { return 2 * gelu(v); }));
  for (const PeerOracle& p : peer_oracles()) {
    const json a = peer(right, t, p.name), b = peer(wrong, t, p.name);
    EXPECT_EQ(a["verdict"], "pass") << a;
    EXPECT_GT(a["trials"], 0) << a;
    EXPECT_EQ(a["narrowed"], 0) << a;
    EXPECT_EQ(b["verdict"], "fail") << b;
    EXPECT_NE(b["detail"], "") << b;
  }
}
TEST(ServePeers, WhatACheckDoesNotRunItCertifies) {
  const Target t = gelu_target();
  FakeBackend negative(kernel([](float v) { return v < 0 ? 0 : gelu(v); }));
  EXPECT_EQ(peer(negative, t, "kernelbench")["verdict"], "pass") << "its inputs are not negative";
  const json a = peer(negative, t, "kernelbench-v0");
  EXPECT_EQ(a["verdict"], "fail");
  EXPECT_THAT(a["detail"].get<std::string>(), ::testing::StartsWith("trial 1, n=16384: y["));
  FakeBackend loose(kernel([](float v) { return gelu(v) + 1e-3f; }));
  EXPECT_EQ(peer(loose, t, "kernelbench-v0")["verdict"], "pass");
  EXPECT_EQ(peer(loose, t, "kernelbench")["verdict"], "fail");
  EXPECT_THAT(peer(loose, t, "tritonbench")["detail"].get<std::string>(), ::testing::HasSubstr("prints "));
}
TEST(ServePeers, NoRuleIsSaid) {
  const Target t = gelu_target();
  FakeBackend right(kernel(gelu));
  EXPECT_EQ(peer(right, t, "robust-kbench", "fp16")["verdict"], "no rule");
  EXPECT_EQ(peer(right, t, "kernelbench", "fp16->fp32")["verdict"], "no rule");
  const Target own = identity_target(0, 0);
  EXPECT_EQ(peer(right, own, "kernelbench")["verdict"], "no rule");
  EXPECT_EQ(right.runs, 0);
  EXPECT_THROW(peer(right, t, "nobody"), std::runtime_error);
  EXPECT_THROW(peer(right, t, "kernelbench", "fp8"), std::runtime_error);
}
// The paper allows a softmax 1e-5 and an attention 1e-3.
TEST(ServePeers, TheRuleIsThatOfTheOpWhateverTheTargetIsCalled) {
  TargetSpec spec = ops::softmax();
  spec.dtypes({f32}).where("rows", at_most(1)).where("cols", at_most(1));  // the softmax of one number is 1
  FakeBackend loose(kernel([](float) { return 1 + 2e-4f; }));
  for (const char* name : {"softmax", "flashy_softmax"}) {
    const Target t{name, spec, [](const Launch&) {}};
    EXPECT_EQ(peer(loose, t, "illusion-paper")["verdict"], "fail") << name;
    EXPECT_EQ(peer(loose, t, "kernelbench-v0")["verdict"], "pass") << name;
  }
}
TEST(ServePeers, RobustKbenchRunsTheCandidateTwice) {
  const Target t = gelu_target();
  FakeBackend right(kernel(gelu));
  const json a = peer(right, t, "robust-kbench");
  EXPECT_EQ(right.runs, 2 * a["trials"].get<int>());
  int calls = 0;
  FakeBackend tired([&calls](const std::vector<float>& x, const FakeRun&) {
    std::vector<float> y;
    for (const float v : x) y.push_back(calls % 2 ? 0 : gelu(v));
    ++calls;
    return y;
  });
  EXPECT_EQ(peer(tired, t, "robust-kbench")["verdict"], "fail") << "the second run is compared too";
}
TEST(ServePeers, AFaultWithoutOutputsFailsAndANarrowTargetIsNoted) {
  FakeBackend broken(kernel(gelu));
  broken.status = [](const RunInput&) {
    ExecStatus s;
    s.fault = FaultClass::divergence;
    s.message = "3 threads wait";
    return s;
  };
  const json a = peer(broken, gelu_target(), "assert_close");
  EXPECT_EQ(a["verdict"], "fail");
  EXPECT_THAT(a["detail"].get<std::string>(), ::testing::HasSubstr("3 threads wait"));
  FakeBackend right(kernel(gelu));
  EXPECT_EQ(peer(right, gelu_target(true), "kernelbench")["narrowed"], 5);
}
TEST(ServePeers, AdversarialCasesCountTheFalseAlarmsOfEachTolerance) {
  const Target t = gelu_target();
  FakeBackend right(kernel(gelu));
  const json a = ask(right, t, "adversarial", {{"cases", 60}, {"seed", 1}, {"dtype", "fp32"}});
  EXPECT_EQ(a["ours"], 0) << a["first"];
  EXPECT_EQ(a["cases"], 60);
  EXPECT_GT(a["judged"], 50);
  EXPECT_LE(a["judged"], 60);
  std::map<std::string, json> by;
  for (const json& o : a["oracles"]) by[o["oracle"]] = o;
  EXPECT_GT(by["illusion-paper"]["flagged"], 0) << "NaN and large magnitudes";
  EXPECT_LE(by["illusion-paper"]["flagged_finite"], by["illusion-paper"]["flagged"]);
  EXPECT_EQ(by["backendbench"]["flagged"], 0) << "NaN equals NaN there, and the relative part follows the magnitude";
  EXPECT_EQ(by["tritonbench"]["judged"], 0);
  FakeBackend wrong(kernel([](float v) { return 2 * gelu(v); }));
  EXPECT_GT(ask(wrong, t, "adversarial", {{"cases", 20}, {"seed", 1}, {"dtype", "fp32"}})["ours"], 10);
}
TEST(ServePeers, RandomDrawsAsThePaperDoes) {
  const Target t = gelu_target();
  float most = 0;
  std::vector<std::size_t> sizes;
  FakeBackend watched([&](const std::vector<float>& x, const FakeRun&) {
    std::vector<float> y;
    for (const float v : x) most = std::max(most, std::fabs(v)), y.push_back(gelu(v));
    sizes.push_back(x.size());
    return y;
  });
  Target held = t;
  Serving s{held, watched, Watchdog({}, {}), {}, {}, 0};
  for (const NamedCommand& c : measure_commands())
    if (std::string(c.name) == "random") {
      const json a = c.run(
          s,
          {{"cmd", "random"}, {"cases", 30}, {"seed", 5}, {"dtype", "fp32"}, {"sampling", "paper"}, {"stop", false}});
      EXPECT_EQ(a["executions"], 30);
      EXPECT_EQ(a["first_finding"], 0) << a;
      EXPECT_THROW(c.run(s, {{"cmd", "random"}, {"cases", 1}, {"seed", 5}, {"sampling", "dreams"}}),
                   std::runtime_error);
    }
  EXPECT_LE(most, 10);
  EXPECT_GT(most, 9.9f);
  for (const std::size_t n : sizes) EXPECT_LE(n, 32768u);
}

}  // namespace
}  // namespace warpfuzz::test
