// The scripts' promises that need no build of their own: clear errors, the list of targets, the include rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "command.h"
#include "target_files.h"

namespace targets_test {
namespace {

std::string script(const std::string& name) { return (source_root() / "scripts" / name).string(); }

TEST(Scripts, FuzzNamesTheTargetsWhenAskedForAnUnknownOne) {
  const auto run = run_command({script("fuzz"), "no_such_kernel"});
  EXPECT_EQ(run.exit_code, 80);
  std::string names;
  for (const auto& target : all_targets()) names += (names.empty() ? "" : " ") + target;
  EXPECT_EQ(run.all(), "fuzz: unknown target 'no_such_kernel'; expected one of: " + names + "\n");
}

TEST(Scripts, FuzzWithoutATargetIsAnError) { EXPECT_EQ(run_command({script("fuzz")}).exit_code, 80); }

TEST(Scripts, EveryTargetHasKernelSeedsAndIntent) {
  for (const auto& target : all_targets()) {
    EXPECT_TRUE(std::filesystem::exists(source_root() / "kernels" / (target + ".cu"))) << target;
    EXPECT_FALSE(files_in("seeds/" + target, ".case").empty()) << target;
    const std::string text = read_text(source_root() / "fuzz_targets" / ("fuzz_" + target + ".cc"));
    EXPECT_TRUE(text.starts_with("// fuzz_" + target + ": ")) << target << ": the first line says what the target is";
  }
}

// A tree with one file, against the rules.
CommandResult check(const std::string& path, const std::string& text) {
  ScratchFolder folder;
  const auto file = folder.path() / path;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
  return run_command({script("check-includes"), folder.path().string()});
}

TEST(IncludeRule, AcceptsWhatALayerMayUse) {
  EXPECT_EQ(check("src/ops/x.cc", "#include \"numeric/round.h\"\n#include \"schema/codec/codec.h\"\n").exit_code, 0);
  EXPECT_EQ(check("src/exec/cpu/x.cc", "#include <cuda_fp16.h>\n").exit_code, 0);
  EXPECT_EQ(check("src/findings/x.cc", "#include <zstd.h>\n").exit_code, 0);
}

TEST(IncludeRule, RefusesTheRestWithFileAndLine) {
  const auto upward = check("src/schema/x.cc", "// x\n#include \"oracle/judge.h\"\n");
  EXPECT_EQ(upward.exit_code, 1);
  EXPECT_THAT(upward.output, testing::HasSubstr("src/schema/x.cc:2: \"oracle/judge.h\": schema may include only"));
  EXPECT_EQ(check("src/exec/x.cc", "#include \"oracle/judge.h\"\n").exit_code, 1);
  EXPECT_EQ(check("src/cli/x.cc", "#include \"exec/backend.h\"\n").exit_code, 1);
  EXPECT_EQ(check("src/schema/x.cc", "#include <zstd.h>\n").exit_code, 1);
  EXPECT_EQ(check("src/engine/x.cc", "#include <cuda_runtime.h>\n").exit_code, 1);
  EXPECT_EQ(check("src/ops/x.cc", "#include \"../schema/codec.h\"\n").exit_code, 1);
  EXPECT_EQ(check("src/brandnew/x.cc", "").exit_code, 1);
  EXPECT_EQ(check("kernels/x.cu", "#include \"warpfuzz/target.h\"\n").exit_code, 1);
}

TEST(IncludeRule, ExitCodesHaveNames) {
  for (const char* line : {"std::exit(83);", "_exit(77);", "std::_Exit( 95 );", "int f() { return 80; }",
                           "return failed ? 77 : 0;", "constexpr int kUsageExit = 80;", "exit_code = 84;"}) {
    const auto refused = check("src/schema/x.cc", std::string("// x\n") + line + "\n");
    EXPECT_EQ(refused.exit_code, 1) << line;
    EXPECT_THAT(refused.output, testing::HasSubstr("src/schema/x.cc:2: the exit code ")) << line;
  }
  for (const char* line : {"_exit(127);", "return kExitUsage;", "return x < 77 ? -0.0f : 0.0f;", "return 80.5;"})
    EXPECT_EQ(check("src/schema/x.cc", std::string(line) + "\n").exit_code, 0) << line;
  EXPECT_EQ(check("scripts/x", "exit_usage=80\nexit $exit_usage\n").exit_code, 0);
  EXPECT_EQ(check("scripts/x", "EXIT_FINDING, EXIT_BAD_FILE = 77, 81  # both\n").exit_code, 0);
  for (const char* line : {"exit 80", "exit_usage=81", "exit_nonsense=80", "EXIT_FINDING, EXIT_BAD_FILE = 77, 82"})
    EXPECT_EQ(check("scripts/x", std::string(line) + "\n").exit_code, 1) << line;
}

TEST(IncludeRule, RefusesAFolderOfManyFiles) {
  ScratchFolder folder;
  const auto ops = folder.path() / "src/ops";
  std::filesystem::create_directories(ops);
  for (int i = 0; i < 26; ++i) std::ofstream(ops / ("x" + std::to_string(i) + ".cc")) << "// x\n";
  const auto refused = run_command({script("check-includes"), folder.path().string()});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.output, testing::HasSubstr("src/ops:1: 26 files, expected at most 25"));
}

TEST(IncludeRule, RefusesLongFilesAndAnEmptyTree) {
  std::string lines;
  for (int i = 0; i < 401; ++i) lines += "\n";
  EXPECT_EQ(check("src/ops/x.cc", lines).exit_code, 1);
  ScratchFolder empty;
  EXPECT_EQ(run_command({script("check-includes"), empty.path().string()}).exit_code, 1);
}

}  // namespace
}  // namespace targets_test
