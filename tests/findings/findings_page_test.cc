// The tables of fault classes and of the fields of a .wfz, and their page, say the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/fields/field_table.h"
#include "findings/finding_fields.h"
#include "schema/fault.h"

namespace warpfuzz {
namespace {

std::string page() {
  std::ifstream in(WARPFUZZ_FINDINGS_PAGE);
  EXPECT_TRUE(in) << WARPFUZZ_FINDINGS_PAGE;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(FindingsPage, ListsEachClassInItsOrderWithTheSameWords) {
  std::string table;
  for (std::size_t i = 1; i + 1 < kFaultClasses; ++i) {
    const FaultInfo& fault = fault_info(static_cast<FaultClass>(i));
    table += "| `" + std::string(fault.name) + "` | " + std::string(fault.meaning) + " |" +
             (fault.has_place ? " yes |" : " |") + "\n";
  }
  EXPECT_THAT(page(), ::testing::HasSubstr("|---|---|---|\n" + table + "\n"));
}

TEST(FindingsPage, ListsEachFieldOfAFile) {
  for (const std::string& table : {field_table<Finding>(), field_table<TensorSnapshot>()})
    EXPECT_NE(page().find("\n" + table + "\n"), std::string::npos) << "docs/findings.md lacks\n" << table;
}

}  // namespace
}  // namespace warpfuzz
