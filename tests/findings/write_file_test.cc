// Writing findings: atomic, checked, with messages that say what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "samples.h"

namespace warpfuzz {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class WriteFile : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/warpfuzz_write_XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string in(const std::string& name) const { return folder_ + "/" + name; }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
  }

  std::string folder_;
};

TEST_F(WriteFile, CreatesFoldersAndLeavesNothingElse) {
  const Finding f = samples::softmax_value();
  const std::string path = in("crashes/new/softmax_tail_mask/" + wfz_name(f));
  ASSERT_EQ(write_wfz(path, f), "");
  const Result<Finding> r = read_wfz(path);
  ASSERT_EQ(r.line(), "");
  EXPECT_EQ(r->bytes, f.bytes);
  EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(path).parent_path()), fs::directory_iterator{}), 1);
}

TEST_F(WriteFile, ReplacesAFileWhole) {
  ASSERT_EQ(write_file(in("f"), Bytes(5000, 1)), "");
  ASSERT_EQ(write_file(in("f"), Bytes(3, 2)), "");
  EXPECT_EQ(*read_file(in("f")), Bytes(3, 2));
  EXPECT_EQ(files(), 1u);
}

TEST_F(WriteFile, FullDisk) {
  const std::string error = write_file("/dev/full", Bytes(100, 1));
  EXPECT_THAT(error, HasSubstr("/dev/full"));
  EXPECT_THAT(error, HasSubstr("No space left"));
  EXPECT_THAT(error, HasSubstr("free some space"));
  EXPECT_THAT(error, Not(HasSubstr("\n")));
  EXPECT_EQ(write_file("/dev/null", Bytes(100, 1)), "");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(WriteFile, AWriteThatFailsHalfwayLeavesTheOldFileAndNoOther) {
  ASSERT_EQ(write_file(in("f"), Bytes(10, 7)), "");
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::_exit(write_file(in("f"), Bytes(100000, 1)).empty() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(*read_file(in("f")), Bytes(10, 7));
  EXPECT_EQ(files(), 1u);
}

// Whoever ends the process takes away what others are writing. Each of them ends up with a whole file, or with none.
TEST_F(WriteFile, WhatIsNotWholeYetIsRemovedAtTheEnd) {
  std::ofstream(in("half")) << "x";
  std::ofstream(in("done")) << "x";
  const pid_t child = ::fork();
  if (child == 0) {
    { const UnfinishedFile done(in("done")); }
    const UnfinishedFile half(in("half"));
    std::vector<std::string> errors(3);
    std::vector<std::thread> writers;
    for (std::size_t i = 0; i < errors.size(); ++i)
      writers.emplace_back([&, i] {
        while (errors[i].empty()) errors[i] = write_file(in("written" + std::to_string(i)), Bytes(1 << 20, 1));
      });
    while (!fs::exists(in("written0")) || !fs::exists(in("written1")) || !fs::exists(in("written2"))) ::usleep(1000);
    remove_unfinished_files();
    for (std::thread& w : writers) w.join();
    ::_exit(std::all_of(errors.begin(), errors.end(),
                        [](const std::string& e) { return e.ends_with("': the process is about to end"); })
                ? 0
                : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(fs::exists(in("half")));
  EXPECT_TRUE(fs::exists(in("done")));
  EXPECT_EQ(files(), 4u);
  for (const char* name : {"written0", "written1", "written2"}) EXPECT_EQ(fs::file_size(in(name)), 1u << 20);
}

TEST_F(WriteFile, AFileInPlaceOfAFolder) {
  ASSERT_EQ(write_file(in("crashes"), Bytes{1}), "");
  const std::string error = write_file(in("crashes/new/t/x.wfz"), Bytes{1});
  EXPECT_THAT(error, HasSubstr("crashes/new/t"));
  EXPECT_THAT(error, HasSubstr("a file stands where a folder is needed"));
  EXPECT_THAT(write_file(folder_, Bytes{1}), HasSubstr("it is a folder"));
  EXPECT_THAT(write_file("", Bytes{1}), HasSubstr("empty name"));
  EXPECT_THAT(write_file(in(std::string(300, 'n')), Bytes{1}), HasSubstr("cannot write"));
}

TEST_F(WriteFile, ReadingWhatIsNotThere) {
  EXPECT_THAT(read_wfz(in("none.wfz")).line(), HasSubstr("No such file"));
  EXPECT_THAT(read_wfz(folder_).line(), HasSubstr("folder"));
  EXPECT_THAT(read_wfz("/dev/zero").line(), HasSubstr("more than 128 MiB"));
  ASSERT_EQ(write_file(in("cut.wfz"), Bytes{0x28, 0xb5, 0x2f, 0xfd, 0x24}), "");
  const std::string error = read_wfz(in("cut.wfz")).line();
  EXPECT_THAT(error, HasSubstr("cut.wfz'"));
  EXPECT_THAT(error, Not(HasSubstr("\n")));
}

}  // namespace
}  // namespace warpfuzz
