// Which of a shrinking's cases is kept, with scripted answers in the place of fresh processes.
#include "engine/store/fresh_run.h"

#include <gtest/gtest.h>

#include <vector>

namespace warpfuzz::test {
namespace {

struct Asked {
  LastWord word;
  std::vector<std::size_t> asked;
};
// The first `good` cases fail afresh.
Asked ask(std::size_t count, std::size_t good) {
  Asked a;
  a.word = last_word(count, [&](std::size_t i) {
    a.asked.push_back(i);
    return i < good ? Afresh::fails : Afresh::passes;
  });
  return a;
}

TEST(LastWord, TheSimplestCaseThatFailsAfreshIsKeptWithoutAWord) {
  for (const std::size_t count : {1, 2, 20}) {
    const Asked a = ask(count, count);
    EXPECT_EQ(a.word.kept, count - 1);
    EXPECT_EQ(a.word.history, "");
    EXPECT_EQ(a.asked, (std::vector<std::size_t>{count - 1})) << "one process is enough";
  }
}

TEST(LastWord, ABisectionFindsTheLastStepThatFailsAfresh) {
  for (std::size_t good = 1; good < 40; ++good) {
    const Asked a = ask(40, good);
    EXPECT_EQ(a.word.kept, good - 1);
    EXPECT_EQ(a.word.history, "shrunk by " + std::to_string(good - 1) +
                                  " of 39 steps: what came of the others failed only after other cases");
    EXPECT_LE(a.asked.size(), 8u);
    EXPECT_EQ(a.asked[1], 0u) << "the unshrunk case has to fail before anything else is tried";
  }
}

TEST(LastWord, WhatNeedsTheCasesBeforeItIsKeptUnshrunk) {
  for (const std::size_t count : {1, 2, 20}) {
    const Asked a = ask(count, 0);
    EXPECT_EQ(a.word.kept, 0u);
    EXPECT_EQ(a.word.history,
              "depends on what ran before: alone in a fresh process this case does not fail in this way");
    EXPECT_EQ(a.asked.size(), count == 1 ? 1u : 2u);
  }
}

// Failing need not be monotone along the way; what is kept has been seen to fail.
TEST(LastWord, WhatIsKeptWasSeenToFail) {
  for (unsigned mask = 1; mask < 256; mask += 2) {
    std::vector<bool> seen(9);
    const LastWord w = last_word(9, [&](std::size_t i) {
      const bool fails = mask >> i & 1;
      seen[i] = fails;
      return fails ? Afresh::fails : Afresh::passes;
    });
    EXPECT_TRUE(seen[w.kept]) << mask;
  }
}

TEST(LastWord, WhereNoProcessCanBeStartedTheShrunkCaseStaysAndSaysSo) {
  const LastWord w = last_word(5, [](std::size_t) { return Afresh::unknown; });
  EXPECT_EQ(w.kept, 4u);
  EXPECT_EQ(w.history, "not run in a fresh process");
}

}  // namespace
}  // namespace warpfuzz::test
