// How often the reference is asked for each command of the line protocol.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "base/hex.h"
#include "fake_target.h"
#include "service/commands.h"

namespace warpfuzz::test {
namespace {

using nlohmann::json;

class ServedReferences : public testing::Test {
 protected:
  json ask(const char* cmd, json request) {
    request["cmd"] = cmd;
    calls_ = 0;
    Serving s{target_, *backend_, Watchdog({}, {}), {}, {}, 0};
    for (const auto& list : {case_commands(), measure_commands(), error_commands(), tensor_commands()})
      for (const NamedCommand& c : list)
        if (std::string(c.name) == cmd) return c.run(s, request);
    throw std::runtime_error("no such command");
  }
  std::string bytes(int calls = 0) const {
    return to_hex(encode(target_.schema(), make_case(target_, 9, Fill::small_int, calls)));
  }
  void make_wrong() { backend_ = &wrong_; }

  int calls_ = 0;
  const Target target_ = counted(identity_target(1, 1), calls_);
  FakeBackend right_{[](const auto& x, const FakeRun&) { return x; }};
  FakeBackend wrong_{[](auto x, const FakeRun&) {
    x[0] += 8;
    return x;
  }};
  FakeBackend* backend_ = &right_;
};

TEST_F(ServedReferences, ARunAsksOnceACallAndOnceMoreBeforeAFinding) {
  const json pass = ask("run", {{"bytes", bytes()}});
  EXPECT_EQ(pass["fault"], "none");
  EXPECT_EQ(pass["errors"]["elements"], 9);
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(ask("run", {{"bytes", bytes(1)}})["fault"], "none");
  EXPECT_EQ(calls_, 2) << "two calls";
  make_wrong();
  const json finding = ask("run", {{"bytes", bytes()}});
  EXPECT_EQ(finding["fault"], "value");
  EXPECT_EQ(finding["errors"]["over"], 1);
  EXPECT_EQ(calls_, 2) << "it judges, and repeats itself";
}

TEST_F(ServedReferences, AReplayAlwaysHasItRepeatItself) {
  const std::string path = testing::TempDir() + "serve_evidence_" + std::to_string(getpid()) + ".case";
  std::ofstream(path) << to_text(target_.schema(), make_case(target_, 9, Fill::small_int));
  EXPECT_EQ(ask("replay", {{"path", path}})["fault"], "none");
  EXPECT_EQ(calls_, 2);
  EXPECT_EQ(ask("stats", {{"paths", {path}}})["executions"], 1);
  EXPECT_EQ(calls_, 1);
  make_wrong();
  EXPECT_EQ(ask("replay", {{"path", path}})["fault"], "value");
  EXPECT_EQ(calls_, 2);
  std::remove(path.c_str());
}

TEST_F(ServedReferences, TensorsShowTheReferenceThatJudged) {
  EXPECT_EQ(ask("tensors", {{"bytes", bytes()}})["calls"][0]["outputs"][0]["reference"].get<std::string>().size(),
            9u * 16);
  EXPECT_EQ(calls_, 1);
  ask("tensors", {{"bytes", bytes(1)}});
  EXPECT_EQ(calls_, 2);
  ask("tensors", {{"bytes", bytes()}, {"run", false}});
  EXPECT_EQ(calls_, 1);
  make_wrong();
  const json finding = ask("tensors", {{"bytes", bytes(1)}});
  EXPECT_EQ(finding["bound"], "every order");
  EXPECT_EQ(calls_, 3) << "the first call judges and repeats itself; the second is not reached, and shown all the same";
}

TEST_F(ServedReferences, SweepsAndTimesAskOnceAnExecution) {
  ask("stats", {{"cases", 5}, {"seed", 1}});
  const int calls = calls_;
  EXPECT_GE(calls, 5);
  EXPECT_LE(calls, 10) << "at most two calls a case";
  ask("profile", {{"cases", {bytes()}}, {"repeat", 3}});
  EXPECT_EQ(calls_, 4) << "and one that warms up";
}

}  // namespace
}  // namespace warpfuzz::test
