// Pieces of source: code, comments, literals, directives.
#include "base/text/cpp_scanner.h"

#include <gtest/gtest.h>

#include <string>

namespace warpfuzz {
namespace {

std::string pieces(std::string_view source) {
  std::string out;
  for (const Piece& p : pieces_of(source)) {
    if (p.kind == PieceKind::blank) continue;
    out += "_cdwnstp"[static_cast<int>(p.kind)];
    out += "(" + std::string(p.text) + ")";
  }
  return out;
}

TEST(CppScanner, TellsCodeFromCommentsLiteralsAndDirectives) {
  EXPECT_EQ(pieces("a // b\n/* c\n#x */ d"), "w(a)c(// b)c(/* c\n#x */)w(d)");
  EXPECT_EQ(pieces("a // b \\\n c\nd"), "w(a)c(// b \\\n c)w(d)");
  EXPECT_EQ(pieces("f(\"a\\\"b\", 'c')"), "w(f)p(()s(\"a\\\"b\")p(,)t('c')p())");
  EXPECT_EQ(pieces("R\"x(\")\")x\"; u8\"y\"_s L'z'"), "s(R\"x(\")\")x\")p(;)s(u8\"y\"_s)t(L'z')");
  EXPECT_EQ(pieces("#define A \\\n  b\n #if X\r\n1'000 #"), "d(#define A \\\n  b\n)d(#if X\r\n)n(1'000)p(#)");
  EXPECT_EQ(pieces("#define A \\\r\n  b\r\nc"), "d(#define A \\\r\n  b\r\n)w(c)");
  EXPECT_EQ(pieces("1e+5 .5f 0x1p-3 x.y a+1"), "n(1e+5)n(.5f)n(0x1p-3)w(x)p(.)w(y)w(a)p(+)n(1)");
  EXPECT_EQ(pieces("v<v<int>>=k<<<1>>>(x->y::z...)"),
            "w(v)p(<)w(v)p(<)w(int)p(>)p(>=)w(k)p(<<)p(<)n(1)p(>)p(>)p(>)p(()w(x)p(->)w(y)p(::)w(z)p(...)p())");
}

TEST(CppScanner, WhatIsCutOffEndsWithItsLineOrTheSource) {
  EXPECT_EQ(pieces("\"no end\nx"), "s(\"no end)w(x)");
  EXPECT_EQ(pieces("'\\"), "t('\\)");
  EXPECT_EQ(pieces("a /* b"), "w(a)c(/* b)");
  EXPECT_EQ(pieces("#x"), "d(#x)");
  EXPECT_EQ(pieces("R\"no paren"), "w(R)s(\"no paren)");
  const auto raw = pieces_of("R\"x(y");
  ASSERT_EQ(raw.size(), 1u);
  EXPECT_FALSE(raw[0].whole);
  EXPECT_EQ(pieces_of("").size(), 0u);
}

TEST(CppScanner, LosesNothing) {
  const std::string source = "a(\"x\") /* */ \\ # ?\xc3\xa4\n#y\n // z\n R\"(";
  std::string all;
  for (const Piece& p : pieces_of(source)) all += p.text;
  EXPECT_EQ(all, source);
}

}  // namespace
}  // namespace warpfuzz
