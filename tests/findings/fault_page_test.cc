// The table of fault classes and its page say the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "schema/fault.h"

namespace warpfuzz {
namespace {

TEST(FaultPage, ListsEachClassInItsOrderWithTheSameWords) {
  std::ifstream in(WARPFUZZ_FINDINGS_PAGE);
  ASSERT_TRUE(in) << WARPFUZZ_FINDINGS_PAGE;
  std::stringstream page;
  page << in.rdbuf();
  std::string table;
  for (std::size_t i = 1; i + 1 < kFaultClasses; ++i) {
    const FaultInfo& fault = fault_info(static_cast<FaultClass>(i));
    table += "| `" + std::string(fault.name) + "` | " + std::string(fault.meaning) + " |" +
             (fault.has_place ? " yes |" : " |") + "\n";
  }
  EXPECT_THAT(page.str(), ::testing::HasSubstr("|---|---|---|\n" + table + "\n"));
}

}  // namespace
}  // namespace warpfuzz
