// Hooks: a call with the object that it is about.
#include "base/hook.h"

#include <gtest/gtest.h>

#include <string>

namespace warpfuzz {
namespace {

struct Counter {
  int add(int n) { return total += n; }
  void name(const std::string& text, std::string copy) { last = text + copy; }
  int total = 0;
  std::string last;
};

TEST(Hook, CallsTheObjectThatItWasMadeFor) {
  Counter first, second;
  Hook<int(int)> hook = Hook<int(int)>::to<&Counter::add>(first);
  EXPECT_EQ(hook(3), 3);
  EXPECT_EQ(hook(4), 7);
  hook = Hook<int(int)>::to<&Counter::add>(second);
  EXPECT_EQ(hook(1), 1);
  EXPECT_EQ(first.total, 7);
}

TEST(Hook, PassesReferencesAndValues) {
  Counter c;
  Hook<void(const std::string&, std::string)>::to<&Counter::name>(c)("a", "b");
  EXPECT_EQ(c.last, "ab");
}

TEST(Hook, IsEmptyUntilItIsTold) {
  Hook<void(int)> hook;
  EXPECT_FALSE(hook);
  int seen = 0;
  hook = {[](void* to, int n) { *static_cast<int*>(to) = n; }, &seen};
  ASSERT_TRUE(hook);
  hook(5);
  EXPECT_EQ(seen, 5);
  hook = {};
  EXPECT_FALSE(hook);
}

}  // namespace
}  // namespace warpfuzz
