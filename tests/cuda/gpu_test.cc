// On a GPU: every fault that a device can show gets its class, its kernel and, where the checked build knows it, its place; a
// correct kernel passes; servers that die do not harm other workers. Skips loudly where there is no GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "base/exit_codes.h"
#include "command.h"

namespace {

using namespace targets_test;
using ::testing::HasSubstr;
using ::testing::Not;

std::string binary(const std::string& name) { return std::string(WARPFUZZ_TEST_BIN) + "/" + name; }

class Gpu : public ::testing::Test {
 protected:
  void SetUp() override {
    static const bool there = run_command({binary("fuzz_softmax"), "-runs=1"}).exit_code != warpfuzz::kExitNoDevice;
    if (!there) GTEST_SKIP() << "NO GPU: nothing of the CUDA backend's device side was tested on this machine";
  }
  // Replays a case of the fault zoo; `options`: of WARPFUZZ_OPTIONS.
  CommandResult zoo(int which, int n, const std::string& options = "hang=2") {
    const auto file = folder_.path() / ("zoo-" + std::to_string(which) + ".case");
    std::ofstream(file) << "dtype: fp32\nn: " << n << "\nwhich: " << which << "\nx: normal seed=1\n";
    return run_command({"/usr/bin/env", "WARPFUZZ_OPTIONS=" + options, binary("fuzz_fault_zoo"), file.string()});
  }
  ScratchFolder folder_;
};

struct Expected {
  const char* name;
  int which, n;
  const char *key, *says;
};
class Fault : public Gpu, public ::testing::WithParamInterface<Expected> {};

TEST_P(Fault, GetsItsClassAndPlace) {
  const Expected& e = GetParam();
  const CommandResult r = zoo(e.which, e.n);
  EXPECT_EQ(r.exit_code, warpfuzz::kExitFinding) << r.all();
  EXPECT_THAT(r.errors, HasSubstr(std::string("DEDUP_TOKEN: fault_zoo/") + e.key + "\n"));
  EXPECT_THAT(r.errors, HasSubstr(e.says));
}

// n = 36: the tensors end where their memory ends; n = 37: 12 bytes before it, so that only the checked build sees one element more.
const Expected kFaults[] = {
    {"ReadOnePastTheEnd", 1, 36, "oob-read/read_past_end", "4 bytes past the end of tensor x[36]"},
    {"ReadOnePastTheEndInsideTheMemory", 1, 37, "oob-read/read_past_end", "4 bytes past the end of tensor x[37]"},
    {"WriteOnePastTheEnd", 2, 36, "oob-write/write_past_end", "4 bytes past the end of tensor y[36]"},
    {"WriteOnePastTheEndInsideTheMemory", 2, 37, "oob-write/write_past_end", "4 bytes past the end of tensor y[37]"},
    {"WriteBeforeTheStart", 3, 37, "oob-write/write_before_start", "4 bytes before the start of tensor y[37]"},
    {"NullPointer", 7, 37, "oob-read/read_null", "address 0x0, which belongs to no tensor"},
    {"MisalignedVector", 8, 37, "misaligned/load_misaligned_vector", "misaligned address"},
    {"Assertion", 11, 37, "assert/fail_an_assertion", "failed assertion"},
    {"EndlessLoop", 13, 37, "hang/loop_for_ever", "did not end within 2 s"},
    {"UnwrittenOutput", 14, 37, "unwritten", "never written"},
    {"ChangedInput", 15, 37, "input-changed", "input x[36] was changed"},
    {"UninitialisedShared", 17, 37, "special", ""},
    {"TooManyThreads", 21, 37, "launch", "launch refused"},
    {"TooMuchSharedMemory", 22, 37, "launch", "launch refused"},
    {"TooLargeAGrid", 23, 37, "launch", "launch refused"},
    {"LauncherThatEndsTheProcessAfterARefusedLaunch", 24, 37, "launch", "launch refused"},
    {"LauncherThatEndsTheProcessAfterAFault", 25, 37, "assert/fail_an_assertion", "failed assertion"},
};
INSTANTIATE_TEST_SUITE_P(OfTheZoo, Fault, ::testing::ValuesIn(kFaults),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(Gpu, AMissingBarrierIsWrongInOneOfThreeWays) {
  const CommandResult r = zoo(16, 37);
  EXPECT_EQ(r.exit_code, warpfuzz::kExitFinding);
  EXPECT_THAT(r.errors, ::testing::AnyOf(HasSubstr("fault_zoo/value"), HasSubstr("fault_zoo/race"),
                                         HasSubstr("fault_zoo/nondeterministic")));
}

TEST_F(Gpu, ACorrectKernelPassesAndDeviceVariablesAreRestored) {
  EXPECT_EQ(zoo(0, 37).exit_code, 0);
  for (int i = 0; i < 2; i++) EXPECT_EQ(zoo(18, 37).exit_code, 0);  // counts its calls in a device variable
}

TEST_F(Gpu, ALauncherThatEndsTheProcessWithoutAFaultIsATargetError) {
  const CommandResult r = zoo(26, 37);
  EXPECT_EQ(r.exit_code, warpfuzz::kExitTargetError);
  EXPECT_THAT(r.errors, HasSubstr("the launcher ended the process"));
}

TEST_F(Gpu, AFindingIsConfirmedOnThePlainBuild) {
  if (!std::filesystem::exists(binary("fuzz_fault_zoo.plain"))) GTEST_SKIP() << "built without nvcc";
  EXPECT_THAT(zoo(14, 37).errors, HasSubstr("confirmed (nvcc)"));
}

TEST_F(Gpu, WorkersGoOnWhileTheServerDiesForAnother) {
  std::vector<std::thread> threads;
  std::vector<CommandResult> results(4);
  for (int w = 0; w < 4; w++)
    threads.emplace_back([&, w] {
      if (w) results[w] = zoo(0, 32 + w);
      else
        results[w] = run_command(
            {binary("fuzz_fault_zoo"), "-runs=20", "-seed=3", "-artifact_prefix=" + folder_.path().string() + "/"});
    });
  for (std::thread& t : threads) t.join();
  for (int w = 1; w < 4; w++) EXPECT_EQ(results[w].exit_code, 0) << results[w].all();
}

// Ends the servers of a target the hard way; how many there were.
int kill_servers(const std::string& target) {
  int killed = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string pid = entry.path().filename().string();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string command = read_text(entry.path() / "cmdline");
    if (command.find(target + '\0') == std::string::npos || command.find("--warpfuzz-gpu-server") == std::string::npos)
      continue;
    killed += kill(std::atoi(pid.c_str()), SIGKILL) == 0;
  }
  return killed;
}

TEST_F(Gpu, ACampaignSurvivesAServerThatIsKilled) {
  int killed = 0;
  std::thread killer([&] {
    for (int i = 0; i < 3; i++) {
      std::this_thread::sleep_for(std::chrono::milliseconds(700));
      killed += kill_servers("fuzz_layernorm");
    }
  });
  const CommandResult r = run_command(
      {binary("fuzz_layernorm"), "-max_total_time=4", "-seed=1", "-artifact_prefix=" + folder_.path().string() + "/"});
  killer.join();
  EXPECT_EQ(r.exit_code, 0) << r.errors.substr(r.errors.size() > 2000 ? r.errors.size() - 2000 : 0);
  EXPECT_GE(killed, 2);
}

TEST_F(Gpu, EdgesComparesAndOperandsReachTheEngine) {
  const CommandResult one =
      run_command({binary("fuzz_softmax"), "--warpfuzz-serve"},
                  "{\"cmd\":\"encode\",\"text\":\"dtype: fp32\\nrows: 1\\ncols: 1\\nx: ones\\n\"}\n");
  const auto hex_at = one.output.find("\"bytes\":\"");
  ASSERT_NE(hex_at, std::string::npos) << one.all();
  const std::string bytes = one.output.substr(hex_at + 9, one.output.find('"', hex_at + 9) - hex_at - 9);
  const CommandResult r =
      run_command({binary("fuzz_softmax"), "--warpfuzz-serve"}, "{\"cmd\":\"features\",\"bytes\":\"" + bytes + "\"}\n");
  EXPECT_THAT(r.output, HasSubstr("1677721"));  // numbers from 2^24 on are the device's
}

TEST_F(Gpu, ACampaignOfACorrectKernelFindsNothing) {
  for (const char* target : {"fuzz_softmax", "fuzz_matmul", "fuzz_layernorm"}) {
    const CommandResult r =
        run_command({binary(target), "-runs=2000", "-seed=1", "-artifact_prefix=" + folder_.path().string() + "/"});
    EXPECT_EQ(r.exit_code, 0) << target << r.errors.substr(r.errors.size() > 2000 ? r.errors.size() - 2000 : 0);
  }
}

}  // namespace
