// `warpfuzz run` with real targets: what it finds, what it counts, and what it loses when it is killed: nothing.
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "base/exit_codes.h"
#include "base/process/process.h"
#include "campaign/index.h"
#include "command.h"

namespace targets_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using warpfuzz::cli::FindingRow;
using warpfuzz::cli::Index;
using warpfuzz::cli::TargetRow;

const std::string kCommand = std::string(WARPFUZZ_TEST_BIN) + "/warpfuzz";

// A supervisor in a folder of its own, away from the source tree, whose crashes/ makes keys known.
class RunCampaign : public testing::Test {
 protected:
  void TearDown() override { process_.kill(); }
  CommandResult run(std::vector<std::string> arguments) {
    std::vector<std::string> argv{"/usr/bin/env", "-C", folder().string(), kCommand, "run"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return run_command(argv);
  }
  void start(std::vector<std::string> arguments) {
    const std::string log = (folder() / "output").string();
    std::string line = "cd '" + folder().string() + "' && exec '" + kCommand + "' run";
    for (const std::string& a : arguments) line += " " + a;
    line += " >'" + log + "' 2>&1";
    using Kind = warpfuzz::Stream::Kind;
    ASSERT_EQ(process_.start({{"/bin/sh", "-c", line}, {}, {Kind::ours}, {Kind::ours}, {Kind::ours}}), "");
    pid_ = process_.pid();
  }
  int finish(int number) {
    process_.signal(number);
    const auto status = process_.wait(warpfuzz::in_seconds(120));
    if (!status) return -1;
    return status->signal ? 128 + status->signal : status->code;
  }
  static bool wait_for(const std::function<bool()>& test, int seconds = 20) {
    for (int i = 0; i < seconds * 20; ++i) {
      if (test()) return true;
      usleep(50000);
    }
    return false;
  }
  std::vector<pid_t> children() const {
    std::stringstream text(read_text("/proc/" + std::to_string(pid_) + "/task/" + std::to_string(pid_) + "/children"));
    std::vector<pid_t> pids;
    for (pid_t p; text >> p;) pids.push_back(p);
    return pids;
  }
  // Executions that processes have counted in their own files, and those in the index, whatever it holds of them.
  std::uint64_t counted() const {
    std::uint64_t sum = 0;
    std::error_code ec;
    for (const auto& e : fs::directory_iterator(folder() / "campaign", ec)) {
      if (e.path().filename().string().starts_with("counts-"))
        sum += warpfuzz::read_counts(e.path().string()).value_or({}).executions;
    }
    return sum;
  }
  static std::uint64_t executions(Index& index) {
    std::uint64_t sum = 0;
    for (const TargetRow& t : index.targets()) sum += t.executions;
    return sum;
  }
  std::size_t inputs(const std::string& target) const {
    std::size_t n = 0;
    std::error_code ec;
    for (fs::directory_iterator it(folder() / "corpus" / target, ec), end; !ec && it != end; it.increment(ec)) ++n;
    return n;
  }
  const fs::path& folder() const { return scratch_.path(); }

  ScratchFolder scratch_;
  warpfuzz::Process process_;
  pid_t pid_ = -1;
};

TEST_F(RunCampaign, TwoBugsOfDifferentClassesGiveTwoKeysEach) {
  const CommandResult first = run({"pair_relu", "pair_tanh", "--workers", "2", "--time", "6", "--seed", "1"});
  EXPECT_EQ(first.exit_code, warpfuzz::kExitFinding) << first.all();
  std::uint64_t before = 0;
  {
    Index index(folder().string(), false);
    std::vector<std::string> keys;
    for (const FindingRow& f : index.findings()) {
      keys.push_back(f.key);
      EXPECT_TRUE(fs::exists(folder() / f.path)) << f.path;
      if (f.target == "pair_relu" || f.fault == "oob-read") EXPECT_EQ(f.shrunk, f.fault != "oob-read") << f.key;
      if (f.shrunk) EXPECT_LE(f.elements, f.fault == "unwritten" ? 257u : 3u) << f.key << " " << f.summary;
      before += f.count;
    }
    EXPECT_THAT(keys, ElementsAre("pair_relu/unwritten", "pair_relu/value", "pair_tanh/oob-read/pair_tanh_kernel",
                                  "pair_tanh/special"));
    EXPECT_GT(before, 50u);
    EXPECT_GE(index.target("pair_tanh").deaths, 1u);
    EXPECT_TRUE(index.open_slices().empty());
  }
  EXPECT_THAT(first.output, HasSubstr("new: pair_relu/value"));
  // A tenth of so short a run is too little to shrink the one that ended its process; the command that does it runs as it stands.
  EXPECT_THAT(first.output, HasSubstr("left undone: "));
  const std::string kShrink = "shrink it: ";
  bool shrinks_it = false;
  for (std::size_t at = 0; (at = first.output.find(kShrink, at)) != std::string::npos;) {
    at += kShrink.size();
    const std::string command = first.output.substr(at, first.output.find('\n', at) - at);
    if (command.find("oob-read") == std::string::npos) continue;
    shrinks_it = true;
    EXPECT_EQ(run_command({"/bin/sh", "-c", "cd '" + folder().string() + "' && " + command}).exit_code, 0) << command;
  }
  EXPECT_TRUE(shrinks_it) << first.output;
  // Told once; counted on.
  const CommandResult second = run({"pair_relu", "pair_tanh", "--workers", "2", "--time", "2", "--json"});
  EXPECT_EQ(second.exit_code, warpfuzz::kExitOk) << second.all();
  EXPECT_THAT(second.output, HasSubstr("\"new_keys\": 0"));
  Index index(folder().string(), false);
  std::uint64_t after = 0;
  for (const FindingRow& f : index.findings()) {
    after += f.count;
    if (f.fault == "oob-read") EXPECT_LE(f.elements, 3u) << f.summary;
  }
  EXPECT_GT(after, before);
  EXPECT_EQ(index.runs().size(), 2u);
}

TEST_F(RunCampaign, ACorrectKernelIsFuzzedMergedAndMeasured) {
  start({"softmax", "--workers", "2", "--recycle", "2", "--merge-every", "1", "--chores", "90"});
  // Once a process runs, the index is whole.
  ASSERT_TRUE(wait_for([&] { return fs::exists(folder() / "campaign/counts-1"); })) << read_text(folder() / "output");
  const auto merged_and_measured = [&] {
    Index index(folder().string(), false);
    return index.target("softmax").last_merge > 0 && !index.errors("softmax").empty() &&
           !index.history("softmax").empty();
  };
  EXPECT_TRUE(wait_for(merged_and_measured, 150));
  EXPECT_EQ(finish(SIGTERM), warpfuzz::kExitOk) << read_text(folder() / "output");
  Index index(folder().string(), false);
  const TargetRow t = index.target("softmax");
  EXPECT_TRUE(index.findings().empty());
  EXPECT_GT(t.executions, 50u);
  EXPECT_GT(t.edges, 10u);
  EXPECT_GT(t.features, t.edges);
  EXPECT_THAT(read_text(folder() / "output"), HasSubstr("softmax: merged, "));
  EXPECT_EQ(t.corpus, inputs("softmax"));
  EXPECT_GT(t.corpus, 0u);
  EXPECT_EQ(t.op, "softmax");
}

TEST_F(RunCampaign, AKilledSupervisorLosesNothingAndItsWorkersEndWithIt) {
  start({"softmax_padded", "pair_relu", "--workers", "2"});
  ASSERT_TRUE(wait_for([&] { return counted() > 300 && inputs("pair_relu") > 5; })) << read_text(folder() / "output");
  const std::vector<pid_t> workers = children();
  EXPECT_EQ(workers.size(), 2u);
  EXPECT_EQ(finish(SIGKILL), 128 + SIGKILL);
  EXPECT_TRUE(wait_for(
      [&] { return std::all_of(workers.begin(), workers.end(), [](pid_t p) { return kill(p, 0) != 0; }); }, 5));
  const std::uint64_t expected = counted();
  const std::size_t corpus = inputs("pair_relu");
  ASSERT_GT(expected, 300u);
  const CommandResult r = run({"softmax_padded", "pair_relu", "--workers", "2", "--time", "1"});
  EXPECT_EQ(r.exit_code, warpfuzz::kExitFinding) << r.all();  // found before the kill, told now
  Index index(folder().string(), false);
  EXPECT_GE(executions(index), expected);
  EXPECT_GE(inputs("pair_relu"), corpus);
  EXPECT_TRUE(index.open_slices().empty());
  EXPECT_EQ(counted(), 0u);
  EXPECT_THAT(r.output, HasSubstr("executions of a run that was killed are counted"));
}

TEST_F(RunCampaign, AKilledWorkerIsReplacedAndItsCaseKept) {
  start({"softmax"});
  ASSERT_TRUE(wait_for([&] { return counted() > 50; })) << read_text(folder() / "output");
  const std::vector<pid_t> workers = children();
  ASSERT_EQ(workers.size(), 1u);
  kill(workers[0], SIGKILL);
  ASSERT_TRUE(wait_for([&] { return children().size() == 1 && children()[0] != workers[0] && counted() > 10; }))
      << read_text(folder() / "output");
  EXPECT_EQ(finish(SIGTERM), warpfuzz::kExitOk) << read_text(folder() / "output");
  EXPECT_THAT(read_text(folder() / "campaign/log"), HasSubstr("ended by signal 9"));
  Index index(folder().string(), false);
  EXPECT_EQ(index.target("softmax").deaths, 1u);
  EXPECT_GT(executions(index), 60u);
  for (const auto& e :
       fs::directory_iterator(folder() / "crashes/new/softmax"))  // a stop in order leaves nothing in flight
    EXPECT_FALSE(e.path().filename().string().starts_with(".inflight")) << e.path();
}

TEST_F(RunCampaign, ASecondSupervisorIsRefusedAndAnInterruptEndsTheFirst) {
  start({"softmax"});
  ASSERT_TRUE(wait_for([&] { return counted() > 10; })) << read_text(folder() / "output");
  const CommandResult second = run({"softmax", "--time", "1"});
  EXPECT_EQ(second.exit_code, warpfuzz::kExitInUse);
  EXPECT_EQ(std::count(second.errors.begin(), second.errors.end(), '\n'), 1) << second.errors;
  EXPECT_THAT(second.errors, HasSubstr("works in '.'"));
  EXPECT_EQ(finish(SIGINT), warpfuzz::kExitOk);
  EXPECT_THAT(read_text(folder() / "campaign/log"), HasSubstr("interrupted: stopping"));
}

// libFuzzer ends where its corpus folder is missing; the target goes on.
TEST_F(RunCampaign, ACorpusThatIsRemovedIsMadeAgain) {
  start({"softmax"});
  ASSERT_TRUE(wait_for([&] { return counted() > 50 && inputs("softmax") > 5; })) << read_text(folder() / "output");
  fs::rename(folder() / "corpus/softmax", folder() / "removed");  // at once: a process writes into it meanwhile
  ASSERT_TRUE(wait_for(
      [&] { return read_text(folder() / "campaign/log").find("was removed and is made again") != std::string::npos; }));
  ASSERT_TRUE(wait_for([&] { return inputs("softmax") > 0; })) << read_text(folder() / "output");
  EXPECT_EQ(finish(SIGTERM), warpfuzz::kExitOk) << read_text(folder() / "output");
}

// Whoever asks for counts and cannot have them must not get executions that nobody counted.
TEST_F(RunCampaign, AProcessThatCannotCountRunsNothing) {
  const CommandResult r =
      run_command({"/usr/bin/env", "-C", folder().string(), "WARPFUZZ_OPTIONS=counts=/nonexistent/counts",
                   std::string(WARPFUZZ_TEST_BIN) + "/fuzz_softmax", "-runs=20"});
  EXPECT_EQ(r.exit_code, warpfuzz::kExitCannotWrite) << r.errors;
  EXPECT_THAT(
      r.errors,
      HasSubstr(
          "cannot create the file of counts '/nonexistent/counts': No such file or directory; no case is executed\n"));
}

TEST_F(RunCampaign, AKeptKeyIsCountedAndNotNew) {
  ASSERT_EQ(run({"softmax_padded", "--time", "2"}).exit_code, warpfuzz::kExitFinding);
  fs::create_directories(folder() / "crashes/softmax_padded");
  for (const auto& e : fs::directory_iterator(folder() / "crashes/new/softmax_padded"))
    if (e.path().extension() == ".wfz") fs::rename(e.path(), folder() / "crashes/softmax_padded" / e.path().filename());
  fs::remove_all(folder() / "campaign");  // a new index: only crashes/ knows the key
  const CommandResult r = run({"softmax_padded", "--time", "2"});
  EXPECT_EQ(r.exit_code, warpfuzz::kExitOk) << r.all();
  Index index(folder().string(), false);
  ASSERT_EQ(index.findings().size(), 1u);
  EXPECT_TRUE(index.findings()[0].kept);
  EXPECT_GT(index.findings()[0].count, 10u);
  EXPECT_THAT(index.findings()[0].path, HasSubstr("crashes/softmax_padded/value-"));
}

}  // namespace
}  // namespace targets_test
