// Small questions about text.
#include "base/text.h"

#include <gtest/gtest.h>

namespace warpfuzz {
namespace {

TEST(LastLine, IsTheLastThatHoldsSomething) {
  EXPECT_EQ(last_line("one\ntwo\n"), "two");
  EXPECT_EQ(last_line("one\ntwo"), "two");
  EXPECT_EQ(last_line("one\n\n\n"), "one");
  EXPECT_EQ(last_line("\none"), "one");
  EXPECT_EQ(last_line("\n\n"), "");
  EXPECT_EQ(last_line(""), "");
}

}  // namespace
}  // namespace warpfuzz
