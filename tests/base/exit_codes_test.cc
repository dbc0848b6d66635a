// The table of exit codes and its page say the same.
#include "base/exit_codes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace warpfuzz {
namespace {

TEST(ExitCodes, AscendInTheirRanges) {
  for (std::size_t i = 1; i < kExitCodeCount; ++i) EXPECT_LT(kExitCodes[i - 1].code, kExitCodes[i].code);
  for (const ExitCodeInfo& e : kExitCodes) {
    EXPECT_TRUE(e.code == 0 || e.code == 70 || e.code == 71 || e.code == 72 || e.code == 77 ||
                (e.code >= 80 && e.code <= 99))
        << e.code;
  }
}

TEST(ExitCodes, ThePageListsEachWithTheSameWords) {
  std::ifstream in(WARPFUZZ_EXIT_CODES_PAGE);
  ASSERT_TRUE(in) << WARPFUZZ_EXIT_CODES_PAGE;
  std::stringstream page;
  page << in.rdbuf();
  for (const ExitCodeInfo& e : kExitCodes) {
    const std::string row = "| " + std::to_string(e.code) + " | `" + e.name + "` | " + e.meaning;
    EXPECT_THAT(page.str(), ::testing::HasSubstr(row));
  }
}

}  // namespace
}  // namespace warpfuzz
