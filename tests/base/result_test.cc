// A value, or why there is none.
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

namespace warpfuzz {
namespace {

Result<std::string> greeting(bool works) {
  if (!works) return Error{"no greeting: expected one", kExitUsage};
  return "hello";
}

TEST(Result, HoldsAValue) {
  Result<std::string> r = greeting(true);
  ASSERT_TRUE(r);
  EXPECT_EQ(*r, "hello");
  EXPECT_EQ(r->size(), 5u);
  EXPECT_EQ(r.line(), "");
  *r += "!";
  EXPECT_EQ(r.value(), "hello!");
  EXPECT_EQ(greeting(true).value_or("other"), "hello");
}

TEST(Result, OrSaysWhyThereIsNone) {
  const Result<std::string> r = greeting(false);
  EXPECT_FALSE(r.ok());
  EXPECT_EQ(r.line(), "no greeting: expected one");
  EXPECT_EQ(r.error().exit_code, kExitUsage);
  EXPECT_EQ(greeting(false).value_or("other"), "other");
}

TEST(Result, TheValueOfAnErrorIsAnExceptionThatSaysTheLine) {
  Result<std::string> r = greeting(false);
  try {
    (void)*r;
    FAIL() << "there is no value";
  } catch (const std::runtime_error& e) { EXPECT_STREQ(e.what(), "no greeting: expected one"); }
  EXPECT_THROW((void)r->size(), std::runtime_error);
  EXPECT_THROW((void)greeting(false).value(), std::runtime_error);
}

TEST(Result, MovesWhatItHolds) {
  Result<std::unique_ptr<int>> r = std::make_unique<int>(7);
  const std::unique_ptr<int> p = *std::move(r);
  EXPECT_EQ(*p, 7);
}

// JSON is made of nearly everything: an error must not become a value.
TEST(Result, AnErrorOfJsonIsAnError) {
  const Result<nlohmann::json> r = Error{"not valid JSON"};
  EXPECT_FALSE(r);
  const Result<nlohmann::json> null = nlohmann::json();
  EXPECT_TRUE(null);
  EXPECT_TRUE(null->is_null());
}

}  // namespace
}  // namespace warpfuzz
