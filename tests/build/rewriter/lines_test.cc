// Lines of macro arguments: the text after the preprocessor, broken as the user's file has it. What is expected names each line of it;
// the preprocessed texts are clang's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "toolchain/rewriter/lexer.h"
#include "toolchain/rewriter/macro_lines.h"
#include "toolchain/rewriter/rewrite.h"

namespace warpfuzz::rewrite {
namespace {

// What `text`, whose markers name "a.cc", becomes where that file has the text `source`.
std::string spread(const std::string& source, const std::string& text) {
  return spread_macro_lines("# 1 \"a.cc\"\n" + text,
                            [&](std::string_view path) -> std::optional<std::string> {
                              if (path != "a.cc") return std::nullopt;
                              return source;
                            })
      .substr(11);
}

std::vector<std::string> tokens(const std::string& text) {
  const TokenText t = lex(text);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < t.size(); ++i) out.emplace_back(t.str(i));
  return out;
}

TEST(MacroLines, ALauncherHasItsLines) {
  EXPECT_EQ(spread(R"y(#define TARGET(NAME, ...) static const Target target{#NAME, __VA_ARGS__}; static_assert(true, "")
TARGET(copy, ops().where("n", 4),
       [](const Launch& l) {
         first(l);

         // a comment, with a ) and a "
         if (l.n)
           second(l);
       });
int after;
)y",
                   R"y(
static const Target target{"copy", ops().where("n", 4), [](const Launch& l) { first(l); if (l.n) second(l); }}; static_assert(true, "");







int after;
)y"),
            R"y(
static const Target target{"copy", ops().where("n", 4), 
[](const Launch& l) { 
first(l); 


if (l.n) 
second(l); 
}}; static_assert(true, "");







# 10 "a.cc"
int after;
)y");
}

TEST(MacroLines, MacrosInsideOfAnArgument) {
  EXPECT_EQ(spread(R"y(#define ID(...) __VA_ARGS__
#define CHECK(X) do { if ((X) != 0) fail(#X, __LINE__); } while (false)
ID(void f() {
  CHECK(one(1));
  CHECK(two(2));
  three(3);
})
)y",
                   R"y(

void f() { do { if ((one(1)) != 0) fail("one(1)", 4); } while (false); do { if ((two(2)) != 0) fail("two(2)", 5); } while (false); three(3);}
)y"),
            R"y(

void f() { 
do { if ((one(1)) != 0) fail("one(1)", 4); } while (false); 
do { if ((two(2)) != 0) fail("two(2)", 5); } while (false); 
three(3);
}
)y");
}

// What the macro does after the argument belongs to its line, not to the next one.
TEST(MacroLines, AMacroEndsAtItsOwnSemicolon) {
  EXPECT_EQ(spread(R"y(#define ID(...) __VA_ARGS__
#define CHECK(X) do { int e = (X); if (e) { print(e); stop(); } } while (0)
ID(void f() {
  CHECK(one(1));
  CHECK(two(2));
  CHECK(three(3));
  four(4);
})
)y",
                   R"y(

void f() { do { int e = (one(1)); if (e) { print(e); stop(); } } while (0); do { int e = (two(2)); if (e) { print(e); stop(); } } while (0); do { int e = (three(3)); if (e) { print(e); stop(); } } while (0); four(4);}
)y"),
            R"y(

void f() { 
do { int e = (one(1)); if (e) { print(e); stop(); } } while (0); 
do { int e = (two(2)); if (e) { print(e); stop(); } } while (0); 
do { int e = (three(3)); if (e) { print(e); stop(); } } while (0); 
four(4);
}
)y");
}

TEST(MacroLines, NestedInvocations) {
  EXPECT_EQ(spread(R"y(#define ID(...) __VA_ARGS__
#define CHECK(X) do { if ((X) != 0) fail(#X); } while (false)
ID(ID(void f() {
  CHECK(one(
      1,
      two(2)));
  three(3);
}) int g;
   int h;)
)y",
                   R"y(

void f() { do { if ((one( 1, two(2))) != 0) fail("one( 1, two(2))"); } while (false); three(3);} int g; int h;
)y"),
            R"y(

void f() { 
do { if ((one( 
1, 
two(2))) != 0) fail("one( 1, two(2))"); } while (false); 
three(3);
} int g; 
int h;
)y");
}

TEST(MacroLines, CommentsAndRawStrings) {
  EXPECT_EQ(spread(R"y(#define ID(...) __VA_ARGS__
ID(/* one
      two */ const char* a = R"x(
  # 7 "no marker"
  )" /* no comment
  )x"; int b; // three
  int c = '"';
  int d;)
int e;
)y",
                   R"y(
const char* a = R"x(
  # 7 "no marker"
  )" /* no comment
  )x"; int b; int c = '"'; int d;






int e;
)y"),
            R"y(

const char* a = R"x(
  # 7 "no marker"
  )" /* no comment
  )x"; int b; 
int c = '"'; 
int d;






# 9 "a.cc"
int e;
)y");
}

// Outside of macros too clang forgets to count the lines of a raw string.
TEST(MacroLines, WhatFollowsARawString) {
  const std::string source = "const char* s = R\"(\n\n)\"; int a;\nint b;\n\nint c;\n";
  EXPECT_EQ(spread(source, "const char* s = R\"(\n\n)\"; int a;\n\n\nint b;\n\nint c;\n"),
            "const char* s = R\"(\n\n)\"; int a;\n\n\n# 4 \"a.cc\"\nint b;\n\nint c;\n");
  EXPECT_EQ(spread(source, source), source);  // a preprocessor that counts them
}

TEST(MacroLines, ASecondInvocationOnTheLine) {
  EXPECT_EQ(spread(R"y(#define ID(...) __VA_ARGS__
ID(int a;
   int b;) int c; ID(int d;
   int e;) int f;
int g;
)y",
                   R"y(
int a; int b; int c; int d;
                  int e; int f;

int g;
)y"),
            R"y(
int a; 
int b; int c; int d;
                  int e; int f;

# 5 "a.cc"
int g;
)y");
}

TEST(MacroLines, AnArgumentThatComesTwice) {
  EXPECT_EQ(spread(R"y(#define TWICE(A, B) B A B
TWICE(int first = alpha + beta;,
      void second() { gamma(1);
        delta(2, 3, 4); })
)y",
                   R"y(
void second() { gamma(1); delta(2, 3, 4); } int first = alpha + beta; void second() { gamma(1); delta(2, 3, 4); }
)y"),
            R"y(

void second() { gamma(1); 
delta(2, 3, 4); } 
# 2 "a.cc"
int first = alpha + beta; 
void second() { gamma(1); 
delta(2, 3, 4); }
)y");
}

TEST(MacroLines, DirectivesInsideOfAnArgument) {
  EXPECT_EQ(spread("#define ID(...) __VA_ARGS__\nID(int a;\n#if 1\n   int b;\n#define LONG(x) \\\n  (x\n#else\n"
                   "   long c;\n#endif\n   int d;)\n",
                   "\nint a; int b; int d;\n"),
            "\nint a; \n\nint b; \n\n\n\n\n\nint d;\n");
  // _Pragma is a line of its own; a marker follows it.
  EXPECT_EQ(spread("ID(void f(int* a) {\n  _Pragma(\"unroll\")\n  for (;;)\n    a[0] = 1;\n})\n",
                   "void f(int* a) {\n# 1 \"a.cc\"\n#pragma unroll\n# 1 \"a.cc\"\n for (;;) a[0] = 1;}\n"),
            "void f(int* a) {\n# 1 \"a.cc\"\n#pragma unroll\n# 1 \"a.cc\"\n \n\nfor (;;) \na[0] = 1;\n}\n");
}

TEST(MacroLines, CarriageReturns) {
  EXPECT_EQ(spread("#define ID(...) \\\r\n  __VA_ARGS__\r\nID(int a;\r\n   int \\\r\n   b;\r\n   int c;)\r\nint d;\r\n",
                   "\n\nint a; int b; int c;\n\n\n\nint d;\n"),
            "\n\nint a; \nint \nb; \nint c;\n\n\n\n# 7 \"a.cc\"\nint d;\n");
}

// A newline in these places would make an operator or a directive out of something else.
TEST(MacroLines, NoTokenIsTorn) {
  const std::string out = spread("ID(a &\n&b, #\n#x,\nimport\nexport x)\n", "a &&b, # #x, import export x\n");
  EXPECT_THAT(out, testing::HasSubstr("&&"));
  for (const char* word : {"\n#x", "\nimport", "\nexport"}) EXPECT_THAT(out, testing::Not(testing::HasSubstr(word)));
}

TEST(MacroLines, OtherLinesAreLeftAlone) {
  for (const std::string text : {
           "call(1,\n     2,\n     3);\nint a;\n",
           "if (x &&\n    y)\n  f([] {\n    g();\n  });\n",
           "f(R\"(\n)\", 1); int a;\n",
       }) {
    EXPECT_EQ(spread(text, text), text);
  }
}

TEST(MacroLines, AFileThatIsGoneOrAnother) {
  const std::string text = "int a; int b;\n\n\nint c;\n";
  const auto gone = [](std::string_view) -> std::optional<std::string> { return std::nullopt; };
  EXPECT_EQ(spread_macro_lines("# 1 \"a.cc\"\n" + text, gone), "# 1 \"a.cc\"\n" + text);
  EXPECT_EQ(spread_macro_lines(text, gone), text);
  for (const std::string source : {"", "\n\n\n\n", "ID(something,\n else)\n", "ID(R\"(no end\n", "ID((((\n", ")\n)\n"})
    EXPECT_EQ(spread(source, text), text);
  // Not the user's: a system header, and what the command line says.
  for (const std::string marker : {"# 1 \"a.cc\" 3\n", "# 1 \"<built-in>\"\n"}) {
    EXPECT_EQ(spread("ID(int a;\n   int b;)\nint c;\n", marker + text), marker + text);
  }
}

TEST(MacroLines, AFileOfAnyContentKeepsTheTokens) {
  const std::string text =
      "int a = x->y >> 2; f(R\"(\n)\", \"s\" \"t\", 1.5e+3f, 'c'); # % : import module; a+++b; p->*q; x<=>y; [[z]] auto w;\n"
      "#pragma unroll\n# 4 \"a.cc\"\n g(a, b, c); int d;\n\n\nint last;\n";
  const std::string source =
      "ID(int a = x->y >> 2;\nf(R\"(\n)\", \"s\"\n\"t\", 1.5e+3f,\n'c');\n#\n%:\nimport module;\na++\n+b;"
      "\np->*\nq;\nx<=>y; [[\nz]] auto w;\ng(a,\nb, c); int d;)\nint last;\n";
  for (std::size_t i = 0; i < source.size(); ++i) {
    std::string other = source;
    std::rotate(other.begin(), other.begin() + static_cast<std::ptrdiff_t>(i), other.end());
    const std::string out = spread("ID(" + other + ")\n", text);
    ASSERT_EQ(tokens(out), tokens(text)) << other;
    // Newlines apart, only markers are added.
    ASSERT_EQ(lex(out).size(), lex(text).size());
  }
}

TEST(MacroLines, TheRewritersOwnMessagesNameThem) {
  const auto read = [](std::string_view) -> std::optional<std::string> {
    return "ID(__device__ int f() {\n  int r;\n  asm(\"mov.u32 %0, %laneid;\");\n  return r;\n})\n";
  };
  const std::string text =
      "# 1 \"a.cc\"\n__warpfuzz_device__ int f() { int r; asm(\"mov.u32 %0, %laneid;\"); return r;}\n";
  try {
    rewrite(text, read);
    FAIL() << "expected an error";
  } catch (const RewriteError& e) {
    EXPECT_STREQ(e.what(), "a.cc:3: error: warpfuzz: inline PTX (asm) is not supported by the CPU executor");
  }
}

}  // namespace
}  // namespace warpfuzz::rewrite
