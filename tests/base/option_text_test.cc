// Option text: what is split is what was joined, whatever a path holds.
#include "base/option_text.h"

#include <gmock/gmock.h>

namespace warpfuzz {

bool operator==(const OptionPair& a, const OptionPair& b) { return a.name == b.name && a.value == b.value; }
void PrintTo(const OptionPair& p, std::ostream* out) { *out << p.name << '=' << p.value.value_or("(none)"); }

namespace {

using Pairs = std::vector<OptionPair>;
using testing::ElementsAre;
using testing::HasSubstr;

Pairs split(std::string_view text) { return split_options(text).value(); }
std::string mistake(std::string_view text) { return split_options(text).line(); }

TEST(OptionText, PairsStandBetweenColons) {
  EXPECT_THAT(split("a=1:b=x=y:c"), ElementsAre(OptionPair{"a", "1"}, OptionPair{"b", "x=y"}, OptionPair{"c", {}}));
  EXPECT_THAT(split("::a=::"), ElementsAre(OptionPair{"a", ""}));
  EXPECT_TRUE(split("").empty());
}

TEST(OptionText, AQuotedValueHoldsColonsAndADoubledQuote) {
  EXPECT_THAT(split("a='x:y':b=1"), ElementsAre(OptionPair{"a", "x:y"}, OptionPair{"b", "1"}));
  EXPECT_THAT(split("a=\"it's\""), ElementsAre(OptionPair{"a", "it's"}));
  EXPECT_THAT(split("a='it''s:b'"), ElementsAre(OptionPair{"a", "it's:b"}));
  EXPECT_THAT(split("a=it's:b=1"), ElementsAre(OptionPair{"a", "it's"}, OptionPair{"b", "1"}))
      << "a quote inside of a value is no quote";
}

TEST(OptionText, AQuoteThatDoesNotFitIsNamed) {
  EXPECT_EQ(mistake("b=1:a='x:y"), "a: expected a closing ' behind 'x:y");
  EXPECT_EQ(mistake("a='x'y:b=1"), "a: expected ':' behind the closing ', got 'y:b=1'");
}

TEST(OptionText, WhatIsJoinedIsSplitAgain) {
  const Pairs pairs = {{"a", "plain/path"}, {"b", "x:y"}, {"c", "'"}, {"d", "\"x':''"},
                       {"e", ""},           {"f", "a'b"}, {"g", {}}};
  EXPECT_EQ(split(join_options(pairs)), pairs) << join_options(pairs);
  EXPECT_EQ(join_options({{"a", "plain/path"}, {"b", "x:y"}}), "a=plain/path:b='x:y'");
}

TEST(OptionText, OursTakeThePlaceOfTheUsers) {
  EXPECT_EQ(with_options("known=stop:dtype=fp16:known=stop", {{"known", "continue"}, {"crashes", "a:b"}}),
            "dtype=fp16:known=continue:crashes='a:b'");
  EXPECT_EQ(with_options("", {{"a", "1"}}), "a=1");
  EXPECT_THAT(mistake(with_options("dtype='fp16", {{"a", "1"}})), HasSubstr("dtype: expected a closing '"))
      << "the reader of the whole says what the user's part lacks";
}

}  // namespace
}  // namespace warpfuzz
