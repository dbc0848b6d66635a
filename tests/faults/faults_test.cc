// Every fault class is found by running one case, with its key, kernel, thread and the user's source line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "command.h"
#include "findings/finding.h"

namespace warpfuzz::test {
namespace {

using targets_test::CommandResult;
using targets_test::run_command;
using targets_test::ScratchFolder;
using testing::HasSubstr;

const std::string kBin = WARPFUZZ_TEST_BIN, kZoo = kBin + "/fuzz_fault_zoo";

// The line of the kernel's body that is marked FAULT; 0 where none is.
int marked_line(const std::string& kernel) {
  std::ifstream in(std::string(WARPFUZZ_TEST_FAULTS_DIR) + "/fault_zoo.cu");
  int number = 0;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    number++;
    if (line.starts_with("__global__")) inside = line.find(" " + kernel + "(") != std::string::npos;
    if (inside && line.ends_with("// FAULT")) return number;
  }
  return 0;
}

int line_that_ends_with(const std::string& mark, const std::string& file = "fault_zoo.cu") {
  std::ifstream in(std::string(WARPFUZZ_TEST_FAULTS_DIR) + "/" + file);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    number++;
    if (line.ends_with(mark)) return number;
  }
  return 0;
}

struct Expected {
  int which;
  const char* fault;
  const char* kernel;   // in the key; empty: the class has no place
  const char* message;  // part of the report
};
void PrintTo(const Expected& e, std::ostream* out) { *out << e.kernel << " " << e.fault; }

class Faults : public testing::TestWithParam<Expected> {};

std::string case_text(int which) {
  return "n: 40\nx: small_int seed=3\ncalls: 2\nwhich: " + std::to_string(which) + "\n";
}

CommandResult run_which(const ScratchFolder& folder, int which) {
  const auto file = folder.path() / "fault.case";
  std::ofstream(file) << case_text(which);
  return run_command({kZoo, file.string()});
}

TEST_P(Faults, AreFoundWithTheirPlace) {
  const Expected e = GetParam();
  ScratchFolder folder;
  CommandResult r = run_which(folder, e.which);
  EXPECT_EQ(r.exit_code, 77);
  r.errors = r.errors.substr(0, r.errors.find("deadly signal"));  // the report; libFuzzer's part is long
  std::string key = std::string("fault_zoo/") + e.fault;
  if (*e.kernel) key += std::string("/") + e.kernel;
  EXPECT_THAT(r.errors, HasSubstr("SUMMARY: WarpFuzz: " + key + "\n"));
  EXPECT_THAT(r.errors, HasSubstr("DEDUP_TOKEN: " + key + "\n"));
  EXPECT_THAT(r.errors, HasSubstr(e.message));
  if (*e.kernel) EXPECT_THAT(r.errors, HasSubstr(std::string("kernel ") + e.kernel + ", block (0,0,0), thread ("));
  if (const int line = *e.kernel ? marked_line(e.kernel) : 0)
    EXPECT_THAT(r.errors, HasSubstr("fault_zoo.cu:" + std::to_string(line)));
}

INSTANTIATE_TEST_SUITE_P(Zoo, Faults,
                         testing::Values(Expected{1, "oob-read", "read_past_end", "tensor x"},
                                         Expected{2, "oob-write", "write_past_end", "tensor y"},
                                         Expected{3, "oob-write", "write_before_start", "before the start of tensor y"},
                                         Expected{4, "oob-write", "write_past_static_shared", "tile"},
                                         Expected{5, "oob-read", "read_past_dynamic_shared", "dynamic shared"},
                                         Expected{6, "oob-write", "write_past_local_array", "local"},
                                         Expected{7, "oob-read", "read_null", "null pointer"},
                                         Expected{8, "misaligned", "load_misaligned_vector", "16"},
                                         Expected{9, "divergence", "meet_different_barriers", "two different barriers"},
                                         Expected{10, "divergence", "shuffle_with_absent_lanes", "shfl"},
                                         Expected{11, "assert", "fail_an_assertion", "i + 1 < n"},
                                         Expected{12, "assert", "divide_by_zero", "division by zero"},
                                         Expected{14, "unwritten", "", "y[39]"},
                                         Expected{15, "input-changed", "", "input x[39]"},
                                         Expected{16, "race", "", "order"}, Expected{17, "special", "", "nan"},
                                         Expected{18, "value", "", "second call"},
                                         Expected{19, "oob-write", "overflow_the_stack", "stack overflow"},
                                         Expected{21, "launch", "", "1025"}, Expected{22, "launch", "", "shared"},
                                         Expected{23, "launch", "", "65536"},
                                         Expected{24, "launch", "", "ended the process with exit"},
                                         Expected{25, "assert", "fail_an_assertion", "ended the process with abort"},
                                         Expected{28, "special", "", "nan"}, Expected{38, "special", "", "40 of 40"},
                                         Expected{29, "oob-read", "use_an_unset_index", "in no tensor of the case"},
                                         Expected{32, "oob-write", "write_past_large_workspace",
                                                  "4 bytes past the end of a launcher allocation of 2300000004 bytes"}),
                         [](const auto& info) {
                           return std::to_string(info.param.which) + "_" +
                                  (*info.param.kernel ? info.param.kernel : std::string("launcher"));
                         });

TEST(Faults, ARightKernelHasNone) {
  ScratchFolder folder;
  const CommandResult r = run_which(folder, 0);
  EXPECT_EQ(r.exit_code, 0) << r.errors;
  EXPECT_THAT(r.errors, HasSubstr("no finding"));
}

TEST(Faults, HostCodeThatTouchesDeviceMemoryIsNamedWithItsLine) {
  const char* const what[] = {"writes 4 bytes at element 39 of tensor y (40 elements)",
                              "reads 160 bytes at element 0 of tensor x (40 elements)",
                              "writes 160 bytes at byte 0 of a cudaMalloc of 160 bytes",
                              "writes 4 bytes at a __device__ or __constant__ variable"};
  for (int how = 0; how < 4; ++how) {
    SCOPED_TRACE(how);
    ScratchFolder folder;
    const CommandResult r = run_which(folder, 34 + how);
    EXPECT_EQ(r.exit_code, 77) << r.errors;
    EXPECT_THAT(r.errors, HasSubstr("SUMMARY: WarpFuzz: fault_zoo/host-access\n"));
    EXPECT_THAT(r.errors,
                HasSubstr(std::string("the launcher's host code ") + what[how] + ", which is device memory, at "));
    EXPECT_THAT(r.errors,
                HasSubstr("fault_zoo.cu:" + std::to_string(line_that_ends_with("// HOST " + std::to_string(how)))));
  }
}

// The preprocessor puts a launcher that is an argument of WARPFUZZ_TARGET on one line; the rewriter gives it its lines back.
TEST(Faults, ALauncherInsideOfTheMacroIsNamedWithItsLines) {
  const char* const what[] = {"host-access: the launcher's host code writes 4 bytes at element 0 of tensor y",
                              "host-access: the launcher's host code reads 4 bytes at element 0 of tensor x",
                              "heap-buffer-overflow",
                              "host-access: the launcher's host code reads 4 bytes at element 1 of tensor y"};
  for (int which = 1; which <= 4; ++which) {
    SCOPED_TRACE(which);
    const int line = line_that_ends_with("// FAULT " + std::to_string(which), "fuzz_launcher_lines.cc");
    ASSERT_GT(line, 0);
    ScratchFolder folder;
    const auto file = folder.path() / "fault.case";
    std::ofstream(file) << case_text(which);
    const CommandResult r = run_command({kBin + "/fuzz_launcher_lines", file.string()});
    EXPECT_EQ(r.exit_code, 77) << r.errors;
    EXPECT_THAT(r.errors, HasSubstr(what[which - 1]));
    EXPECT_THAT(r.errors, HasSubstr("fuzz_launcher_lines.cc:" + std::to_string(line)));
  }
}

TEST(Faults, HostCodeMayTouchManagedAndPinnedMemoryAndCopies) {
  ScratchFolder folder;
  const CommandResult r = run_which(folder, 33);
  EXPECT_EQ(r.exit_code, 0) << r.errors;
  EXPECT_THAT(r.errors, HasSubstr("no finding"));
}

TEST(Faults, MemoryThatIsNotUsedCostsNothing) {
  ScratchFolder folder;
  const auto file = folder.path() / "large.case";
  std::ofstream(file) << case_text(31);
  const CommandResult r = run_command({kZoo, "-rss_limit_mb=400", file.string()});
  EXPECT_EQ(r.exit_code, 0) << r.errors;
  EXPECT_THAT(r.errors, HasSubstr("no finding"));
}

TEST(Faults, ALauncherThatExitsWithoutAFaultIsNamed) {
  ScratchFolder folder;
  const CommandResult r = run_which(folder, 26);
  EXPECT_THAT(r.errors, HasSubstr("target error: the launcher called exit in the middle of a case"));
  EXPECT_THAT(r.errors, testing::Not(HasSubstr("SUMMARY: WarpFuzz")));
}

TEST(Faults, LeaksOfTheLauncherAreCounted) {
  ScratchFolder folder;
  const auto text = folder.path() / "leak.case", corpus = folder.make("corpus");
  std::ofstream(text) << case_text(27);
  ASSERT_EQ(run_command({kBin + "/warpfuzz", "encode", "fault_zoo", text.string(), "-o", (corpus / "leak").string()})
                .exit_code,
            0);
  const CommandResult r =
      run_command({kZoo, "-runs=0", "-artifact_prefix=" + folder.path().string() + "/", corpus.string()});
  EXPECT_EQ(r.exit_code, 0) << r.errors;
  EXPECT_THAT(r.errors, HasSubstr("did not free all it allocated in 1 case ("));
}

TEST(Faults, AnEndlessLoopIsAHangWithItsLine) {
  ScratchFolder folder;
  const auto file = folder.path() / "fault.case";
  std::ofstream(file) << case_text(13);
  const CommandResult r = run_command({"/usr/bin/env", "WARPFUZZ_OPTIONS=hang=1", kZoo, file.string()});
  EXPECT_EQ(r.exit_code, 77) << r.errors;
  EXPECT_THAT(r.errors, HasSubstr("SUMMARY: WarpFuzz: fault_zoo/hang/loop_for_ever\n"));
  EXPECT_THAT(r.errors, HasSubstr("volatile"));
  EXPECT_THAT(r.errors, HasSubstr("fault_zoo.cu:"));
}

// Asleep it uses no processor time: -timeout ends it, in the same way, with the launcher's line.
TEST(Faults, HostCodeThatWaitsForEverIsAHang) {
  ScratchFolder folder;
  const auto text = folder.path() / "wait.case", corpus = folder.make("corpus");
  std::ofstream(text) << case_text(30);
  ASSERT_EQ(run_command({kBin + "/warpfuzz", "encode", "fault_zoo", text.string(), "-o", (corpus / "wait").string()})
                .exit_code,
            0);
  const CommandResult r =
      run_command({kZoo, "-timeout=2", "-runs=0", "-artifact_prefix=" + folder.path().string() + "/", corpus.string()});
  EXPECT_EQ(r.exit_code, 77) << r.errors;
  EXPECT_THAT(r.errors, HasSubstr("SUMMARY: WarpFuzz: fault_zoo/hang\n"));
  EXPECT_THAT(r.errors, HasSubstr("took more than 2 s (-timeout), most of it asleep"));
  EXPECT_THAT(r.errors, HasSubstr("fault_zoo.cu:" + std::to_string(line_that_ends_with("// WAITS"))));
  EXPECT_EQ(folder.files(".wfz").size(), 1u) << r.errors;
}

TEST(Faults, ASpinOnAnAtomicIsNamedAsUnsupported) {
  ScratchFolder folder;
  const CommandResult r = run_which(folder, 20);
  EXPECT_EQ(r.exit_code, 88) << r.errors;
  EXPECT_THAT(r.errors,
              HasSubstr("fault_zoo.cu:" + std::to_string(marked_line("spin_on_an_atomic")) + ": error: warpfuzz: "));
  EXPECT_THAT(r.errors, HasSubstr("spin"));
}

// The faults that the process survives leave nothing behind: right cases after them are right.
TEST(Faults, TheNextCaseIsUntouched) {
  std::string requests;
  const auto encode = [](int which) {
    const CommandResult r =
        run_command({kZoo, "--warpfuzz-serve"},
                    "{\"cmd\":\"encode\",\"text\":\"n: 40\\nwhich: " + std::to_string(which) + "\\n\"}\n");
    const std::size_t at = r.output.find("\"bytes\":\"") + 9;
    return r.output.substr(at, r.output.find('"', at) - at);
  };
  const std::string right = encode(0);
  int expected = 0;
  for (int which : {7, 8, 9, 10, 11, 12, 14, 15, 19, 21, 22}) {
    requests +=
        "{\"cmd\":\"run\",\"bytes\":\"" + encode(which) + "\"}\n{\"cmd\":\"run\",\"bytes\":\"" + right + "\"}\n";
    expected++;
  }
  const CommandResult r = run_command({kZoo, "--warpfuzz-serve"}, requests);
  EXPECT_EQ(r.exit_code, 0) << r.errors;
  int clean = 0;
  for (std::size_t at = 0; (at = r.output.find("\"fault\":\"none\"", at)) != std::string::npos; at++) clean++;
  EXPECT_EQ(clean, expected) << r.output;
}

}  // namespace
}  // namespace warpfuzz::test
