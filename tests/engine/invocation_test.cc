#include "engine/invocation.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace warpfuzz {
namespace {

TEST(Invocation, FlagsAndInputs) {
  const Invocation in =
      parse_invocation({"-runs=5", "corpus", "-artifact_prefix=out/", "-timeout=7", "-seed=12", "-fork=2"});
  EXPECT_EQ(in.inputs, std::vector<std::string>{"corpus"});
  EXPECT_EQ(in.artifact_prefix, "out/");
  EXPECT_EQ(in.timeout, 7);
  EXPECT_TRUE(in.has_timeout);
  EXPECT_FALSE(in.has_value_profile);
  EXPECT_EQ(in.seed, 12u);
  EXPECT_TRUE(in.fork_parent);
  EXPECT_FALSE(in.merge || in.minimize || in.serve || in.help);
}

TEST(Invocation, FilesAloneAreAReplayFoldersAreNot) {
  const std::string folder = testing::TempDir();
  EXPECT_TRUE(parse_invocation({"some-file"}).replay);
  EXPECT_FALSE(parse_invocation({folder}).replay);
  EXPECT_FALSE(parse_invocation({"some-file", folder}).replay);
  EXPECT_FALSE(parse_invocation({}).replay);
  EXPECT_FALSE(parse_invocation({"-minimize_crash=1", "some-file"}).replay);
}

TEST(Invocation, MergeAndMinimize) {
  EXPECT_TRUE(parse_invocation({"-merge=1", "a", "b"}).merge);
  EXPECT_FALSE(parse_invocation({"-merge=0"}).merge);
  EXPECT_TRUE(parse_invocation({"-minimize_crash_internal_step=1"}).minimize);
}

TEST(Substitutes, FilesLiveAsLongAsTheObject) {
  std::string path;
  {
    Substitutes s;
    path = s.add("dir/value-1234.wfz", {1, 2, 3});
    EXPECT_EQ(std::filesystem::file_size(path), 3u);
    EXPECT_NE(path.find("value-1234"), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(path).parent_path()));
}

}  // namespace
}  // namespace warpfuzz
