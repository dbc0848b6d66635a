// Lists of fields, visited by what writes JSON, what reads it and what prints tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/fields/field_table.h"
#include "base/fields/json_reader.h"
#include "base/fields/json_writer.h"

namespace warpfuzz {
namespace {

using nlohmann::json;
using testing::HasSubstr;

enum class Colour : std::uint8_t { red, green };
constexpr NameTable<Colour, 2> kColours{"colour", {{Colour::red, "red"}, {Colour::green, "dark green"}}};
constexpr const auto& names_of(Colour) { return kColours; }

struct Inner {
  int n = 0;
  std::vector<double> xs;
};
template <class V, MaybeConst<Inner> I>
void fields(V& v, I& i) {
  v("n", i.n, "a number");
  v("xs", i.xs, "numbers");
}

struct Extra {
  std::string word;
};
template <class V, MaybeConst<Extra> E>
void fields(V& v, E& e) {
  v("word", e.word, "");
}

struct Outer {
  std::string text, path;
  Bytes bytes;
  Colour colour = Colour::red;
  std::uint8_t small = 0;
  std::uint32_t triple[3] = {0, 0, 0};
  std::vector<Inner> inner;
  std::map<std::string, std::uint64_t> counts;
  std::uint64_t hash = 0, rare = 0;
  std::optional<double> maybe;
  std::optional<Extra> extra;
};
template <class V, MaybeConst<Outer> O>
void fields(V& v, O& o) {
  v.constant("kind", "outer");
  v("text", o.text, "one line");
  v.path("path", o.path, "a file");
  v("bytes", o.bytes, "bytes");
  v("colour", o.colour, "a word");
  v("small", o.small, "at most 255");
  v("triple", o.triple, "three");
  v("inner", o.inner, "");
  v("counts", o.counts, "by name");
  v.hash("hash", o.hash, "64 bits");
  v.count("rare", o.rare, "seldom there");
  v("maybe", o.maybe, "a number");
  v.merged("word", o.extra);
}

Outer sample() {
  Outer o;
  o.text = "one", o.path = "a\tb", o.bytes = {0, 255}, o.colour = Colour::green, o.small = 7;
  o.triple[2] = 3;
  o.inner = {{1, {0.5, INFINITY}}, {2, {}}};
  o.counts = {{"k", 4}};
  o.hash = 0xabcdef, o.maybe = -0.0, o.extra = {{"w"}};
  return o;
}

std::string error_of(const json& j, Form form = Form::whole) {
  Outer o;
  return read_message(j, o, "", form);
}
// The sample with one field replaced.
std::string error_with(const std::string& key, const json& value) {
  json j = to_message(sample());
  j[key] = value;
  return error_of(j);
}

TEST(Fields, WhatIsWrittenIsReadAgain) {
  const json j = json::parse(to_message(sample()).dump());
  EXPECT_EQ(j.dump(),
            R"({"bytes":"00ff","colour":"dark green","counts":{"k":4},"hash":"0000000000abcdef",)"
            R"("inner":[{"n":1,"xs":[0.5,"inf"]},{"n":2,"xs":[]}],"kind":"outer","maybe":-0.0,"path":"a\tb","small":7,)"
            R"("text":"one","triple":[0,0,3],"word":"w"})");
  Outer back;
  ASSERT_EQ(read_message(j, back), "");
  EXPECT_EQ(to_message(back), j);
  EXPECT_EQ(back.path, "a\tb") << "a path is kept byte for byte";
}

TEST(Fields, TheCompactFormLeavesDefaultsOut) {
  JsonWriter writer(Form::compact);
  Outer o;
  o.triple[1] = 2;
  fields(writer, o);
  EXPECT_EQ(writer.take().dump(), R"({"kind":"outer","triple":[0,2]})");
  EXPECT_EQ(error_of({{"kind", "outer"}}, Form::compact), "");
}

TEST(Fields, WhatIsWrongIsOneLineThatNamesTheField) {
  EXPECT_THAT(error_of(json::array()), HasSubstr("expected a JSON object, got array"));
  EXPECT_THAT(error_of(nullptr), HasSubstr("got null"));
  EXPECT_EQ(error_with("kind", "inner"), "field 'kind': expected 'outer'");
  EXPECT_EQ(error_with("text", 5), "field 'text': expected text, got number");
  EXPECT_EQ(error_with("bytes", "0"), "field 'bytes': expected pairs of hexadecimal digits, got '0'");
  EXPECT_EQ(error_with("colour", "blue\x1b"), "field 'colour': 'blue?' is no colour that this build knows");
  EXPECT_EQ(error_with("small", 256u), "field 'small': expected a whole number of 0..255");
  EXPECT_EQ(error_with("small", -1), "field 'small': expected a whole number of 0..255");
  EXPECT_EQ(error_with("triple", {1u, 2u, 3u, 4u}), "field 'triple': expected at most 3 entries, got 4");
  EXPECT_EQ(error_with("inner", json::parse(R"([{"n":1,"xs":[]},{"n":1,"xs":[0,"Infinity"]}])")),
            "field 'inner[1].xs[1]': expected a number");
  EXPECT_EQ(error_with("inner", json::parse(R"([{"n":1}])")), "field 'inner[0].xs': missing");
  EXPECT_EQ(error_with("counts", {{"k", -1}}), "field 'counts.k': expected a whole number of 0.." +
                                                   std::to_string(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_EQ(error_with("hash", "abc"), "field 'hash': expected 16 hexadecimal digits");
  EXPECT_EQ(error_with("maybe", "much"), "field 'maybe': expected a number");
  json j = to_message(sample());
  j.erase("text");
  EXPECT_EQ(error_of(j), "field 'text': missing");
}

TEST(Fields, AnythingInTheirPlaceIsOneLineAndNeverThrows) {
  const json good = to_message(sample());
  const std::vector<json> things{nullptr, true, -1, 1e300, "text", json::array(), {1, "a"}, json::object(), {{"n", 1}}};
  for (const auto& [key, value] : good.items())
    for (const json& thing : things) {
      json j = good;
      j[key] = thing;
      std::string error;
      EXPECT_NO_THROW(error = error_of(j)) << j;
      EXPECT_EQ(error.find('\n'), std::string::npos) << error;
      if (!error.empty()) EXPECT_THAT(error, testing::StartsWith("field '" + key));
    }
}

TEST(Fields, ATableHasARowAField) {
  EXPECT_EQ(field_table<Outer>(),
            "| field | type | meaning |\n|---|---|---|\n"
            "| `kind` | `\"outer\"` |  |\n| `text` | text | one line |\n| `path` | text | a file |\n"
            "| `bytes` | hex | bytes |\n| `colour` | `red`, `dark green` | a word |\n"
            "| `small` | whole number | at most 255 |\n| `triple[3]` | whole number | three |\n"
            "| `inner[].n` | whole number | a number |\n| `inner[].xs[]` | number | numbers |\n"
            "| `counts{}` | whole number | by name |\n| `hash` | 16 hex digits | 64 bits |\n"
            "| `rare?` | whole number | seldom there |\n| `maybe?` | number | a number |\n"
            "|  |  | all of the following, or (where there is no `word`) none of them: |\n| `word` | text |  |\n");
}

}  // namespace
}  // namespace warpfuzz
