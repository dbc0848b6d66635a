// The printed form of declared dialects.
#include "numeric/tolerance.h"

#include <gtest/gtest.h>

namespace warpfuzz {
namespace {

TEST(Dialects, Describe) {
  Dialects d;
  EXPECT_EQ(describe(d), "none");
  d.form = "tanh";
  d.fast = true;
  EXPECT_EQ(describe(d), "form=tanh fast");
  d = {};
  d.tf32 = d.tf32_truncated = d.naive_variance = d.no_ftz = true;
  EXPECT_EQ(describe(d), "tf32=truncated var=naive ftz=never");
}

}  // namespace
}  // namespace warpfuzz
