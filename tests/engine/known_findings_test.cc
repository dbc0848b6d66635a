// What is known of a folder, by key and variant.
#include "engine/store/known_findings.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "findings/variant.h"

namespace warpfuzz {
namespace {

namespace fs = std::filesystem;

class Known : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/warpfuzz-known-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string save(const std::string& name, const std::string& variant) {
    Finding f;
    f.target = "low", f.op = "copy", f.fault = FaultClass::value, f.variant = variant;
    f.bytes = {1};
    const std::string path = folder_ + "/" + name;
    EXPECT_EQ(write_wfz(path, f), "");
    return path;
  }
  std::string folder_;
};

TEST_F(Known, FilesAreReadOnce) {
  const std::string first = save("a.wfz", kOrdinary);
  std::ofstream(folder_ + "/damaged.wfz") << "no finding";
  KnownFindings known;
  EXPECT_EQ(known.read(folder_).size(), 1u);
  EXPECT_EQ(known.read(folder_).size(), 0u);
  EXPECT_TRUE(known.has("low/value", kOrdinary));
  EXPECT_FALSE(known.has("low/value", kSpecial));
  EXPECT_FALSE(known.has("low/special"));
  EXPECT_EQ(known.file_of("low/value", kOrdinary), first);
  const std::string second = save("b.wfz", kSpecial);  // by another process
  known.read(folder_);
  EXPECT_EQ(known.file_of("low/value", kSpecial), second);
  EXPECT_EQ(known.file_of("low/value", kOrdinary), first);
}

TEST_F(Known, FourVariantsAreEnough) {
  KnownFindings known;
  EXPECT_TRUE(known.read(folder_ + "/nowhere").empty());
  for (const char* variant : {"a", "b", "c"}) known.add("low/value", variant, "");
  EXPECT_FALSE(known.is_full("low/value"));
  known.add("low/value", "d", "");
  EXPECT_TRUE(known.is_full("low/value"));
  EXPECT_FALSE(known.is_full("low/special"));
}

}  // namespace
}  // namespace warpfuzz
