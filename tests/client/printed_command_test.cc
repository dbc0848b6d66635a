// What is printed to be copied runs as it stands: from here, quoted, with the folder of the binaries where they lie elsewhere.
#include "client/printed_command.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;

TEST(PrintedCommand, PathsAreRelativeBelowTheCurrentFolderOnly) {
  const std::string here = fs::current_path().string();
  EXPECT_EQ(as_typed(here + "/a/b.wfz"), "a/b.wfz");
  EXPECT_EQ(as_typed("./a/../c.wfz"), "c.wfz");
  EXPECT_EQ(as_typed("/usr/../proc"), "/proc");
  EXPECT_EQ(as_typed(here + "/-x"), "./-x");  // no option
}

TEST(PrintedCommand, IsReadByAShellAsItWasMeant) {
  const std::string odd = "a folder/it's;here.wfz";
  const std::string line = printed_command({own_folder(), 0, false}, {"show", odd});
  const std::string words =
      "set -- " + line + "; test $# = 3 && test \"$2\" = show && test \"$3\" = \"a folder/it's;here.wfz\"";
  EXPECT_EQ(std::system(words.c_str()), 0) << line;
  EXPECT_EQ(line.find("--bin"), std::string::npos) << line;
}

TEST(PrintedCommand, NamesTheBinariesThatLieElsewhere) {
  const std::string line = printed_command({"/usr/bin", 0, false}, {"list"});
  EXPECT_THAT(line, ::testing::MatchesRegex(".*/warpfuzz'? --bin /usr/bin list"));
}

}  // namespace
}  // namespace warpfuzz::cli
