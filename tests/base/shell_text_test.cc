// What is printed for a shell: words that sh reads back as they were, paths as a person types them.
#include "base/shell_text.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

namespace warpfuzz {
namespace {

namespace fs = std::filesystem;

// What sh makes of a word.
std::string read_by_shell(const std::string& word) {
  std::string out;
  std::FILE* pipe = ::popen(("printf %s " + word).c_str(), "r");
  for (int c = 0; pipe && (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
  if (pipe) ::pclose(pipe);
  return out;
}

TEST(ShellWord, IsQuotedWhereAShellWouldReadMoreThanAName) {
  EXPECT_EQ(shell_word("crashes/new/softmax/value-1e1241d2.wfz"), "crashes/new/softmax/value-1e1241d2.wfz");
  EXPECT_EQ(shell_word("a folder/x.wfz"), "'a folder/x.wfz'");
  EXPECT_EQ(shell_word("x;rm -rf $HOME`id`"), "'x;rm -rf $HOME`id`'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_line({"warpfuzz", "show", "a b"}), "warpfuzz show 'a b'");
}

TEST(ShellWord, ShReadsBackWhatItWas) {
  for (const std::string text : {"plain", "a b", "it's", "$HOME `id` \"q\" \\n", "-x", "*?[a]", "line\nbreak",
                                 "\x1b[31mred\x1b[0m 100%s\\'", "\xff broken",
                                 "gr\xc3\xbc\xc3\x9f"
                                 "e"}) {
    const std::string word = shell_word(text);
    EXPECT_EQ(read_by_shell(word), text);
    EXPECT_EQ(word.find_first_of("\n\x1b\xff"), std::string::npos) << word;
  }
}

class PathAsTyped : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/warpfuzz_paths_XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = fs::canonical(name);
    fs::create_directories(folder_ / "here/below");
    fs::create_directory_symlink(folder_ / "here", folder_ / "link");
    before_ = fs::current_path();
    fs::current_path(folder_ / "here");
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }
  fs::path folder_, before_;
};

TEST_F(PathAsTyped, RelativeBelowTheCurrentFolderElseFromTheRoot) {
  const std::string folder = folder_.string();
  EXPECT_EQ(as_typed("below/x.wfz"), "below/x.wfz");
  EXPECT_EQ(as_typed("./below//x.wfz"), "below/x.wfz");
  EXPECT_EQ(as_typed(folder + "/here/below/x.wfz"), "below/x.wfz");
  EXPECT_EQ(as_typed(folder + "/link/below/x.wfz"), "below/x.wfz");  // the same folder under another name
  EXPECT_EQ(as_typed("below/../x.wfz"), "x.wfz");
  EXPECT_EQ(as_typed("../x.wfz"), folder + "/x.wfz");
  EXPECT_EQ(as_typed(folder + "/hereafter/x.wfz"), folder + "/hereafter/x.wfz");
  EXPECT_EQ(as_typed("-x.wfz"), "./-x.wfz");
  EXPECT_EQ(as_typed("."), ".");
}

TEST_F(PathAsTyped, ProgramsHaveASlash) {
  EXPECT_EQ(program_as_typed("fuzz_x"), "./fuzz_x");
  EXPECT_EQ(program_as_typed("below/fuzz_x"), "./below/fuzz_x");
  EXPECT_EQ(program_as_typed("../fuzz_x"), folder_.string() + "/fuzz_x");
}

}  // namespace
}  // namespace warpfuzz
