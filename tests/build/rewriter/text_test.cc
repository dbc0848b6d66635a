// The rewriter's text: what it must leave alone, line numbers, messages, speed. What the text does when it runs is
// tested by the *_test.cu files beside this one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string>

#include "toolchain/rewriter/lexer.h"
#include "toolchain/rewriter/rewrite.h"
#include "toolchain/rewriter/scopes.h"
#include "toolchain/rewriter/unsupported.h"

namespace warpfuzz::rewrite {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string error_of(const std::string& text) {
  try {
    rewrite(text);
  } catch (const RewriteError& e) { return e.what(); }
  return "";
}

std::ptrdiff_t lines(const std::string& s) { return std::count(s.begin(), s.end(), '\n'); }

// The line on which `needle` stands, from 1.
std::ptrdiff_t line_of(const std::string& text, const std::string& needle) {
  const std::size_t at = text.find(needle);
  return at == std::string::npos ? -1 : lines(text.substr(0, at)) + 1;
}

TEST(RewriterText, PlainCppIsUntouched) {
  for (const std::string text :
       {"int f(int a, int b) { return a << (b << 1) >> 2; }\n",
        "#include_next\nconst char* s = \"k<<<1, 2>>>(x)\"; // k<<<1,2>>>(x)\n",
        "const char* s = R\"(k<<<1, 2>>>(x) __warpfuzz_shared__ \")\"; char c = '\\\"'; /* k<<<1>>>(x) */\n",
        "template <class T> T operator<< <T>(T, int); auto x = operator<<<char>(a, b);\n",
        "std::vector<std::vector<std::vector<int>>> v; bool b = x<y>(z);\n",
        "int n = 1'000'000, h = 0x1p-3, big = 1e+5; auto c = a<=>b; p->*q;\n", "#pragma unroll\nfor (;;) {}\n"}) {
    EXPECT_EQ(rewrite(text).text, text);
  }
}

TEST(RewriterText, EveryLineStaysWhereItIs) {
  const std::string text =
      "# 1 \"k.cu\"\n__warpfuzz_global__ void k(int a,\n int b)\n{\n __warpfuzz_shared__\n float\n  s[4],\n  t;\n int after;\n}\n"
      "void f() {\n  k\n  <<<dim3(1,\n     2),\n     3>>>(\n  1,\n   {2},\n g(\n4)\n);\n int last;\n}\n";
  const Rewritten r = rewrite(text);
  EXPECT_EQ(r.launches, 1u);
  EXPECT_EQ(r.shared, 2u);
  EXPECT_EQ(lines(r.text), lines(text));
  for (const char* word : {"int after", "int last", "dim3", "float"})
    EXPECT_EQ(line_of(r.text, word), line_of(text, word)) << r.text;
}

TEST(RewriterText, Counts) {
  const Rewritten r = rewrite(
      "__warpfuzz_device__ int a, b; __warpfuzz_constant__ float c[3]; __warpfuzz_constant__ const float d = 1;\n"
      "__warpfuzz_device__ int* const p = nullptr; __warpfuzz_device__ const int* q; __warpfuzz_device__ constexpr int e = 2;\n"
      "__warpfuzz_device__ int f(int x); template <class T> __warpfuzz_device__ T g(T x) { return x; }\n"
      "struct S { __warpfuzz_device__ int operator()(int i) const { return i; } };\n"
      "__warpfuzz_managed__ __warpfuzz_device__ int m = 3; namespace n { static __warpfuzz_device__ int z[2] = {1, 2}; }\n");
  EXPECT_EQ(r.device_variables, 5u) << r.text;  // a, c, q, m, z
  EXPECT_THAT(r.text, Not(HasSubstr("__warpfuzz_")));
  EXPECT_THAT(r.text, HasSubstr("__attribute__((section(\"warpfuzz.device\"))) int a, b;"));
  EXPECT_THAT(r.text, HasSubstr("__attribute__((section(\"warpfuzz.managed\")))   int m = 3;"));
}

TEST(RewriterText, NamesTheKernelAsItIsWritten) {
  EXPECT_THAT(rewrite("void f() { ns::k<T, (3 >> 1)><<<g, b>>>(x); }").text, HasSubstr("\"ns::k<T, (3 >> 1)>\""));
  EXPECT_THAT(rewrite("void f() { table[i]<<<g, b>>>(x); }").text, HasSubstr("\"table[i]\""));
  EXPECT_THAT(rewrite("void f() { if (x) (k)<<<g, b>>>(x); else k<<<g, b>>>(); }").text, HasSubstr("if (x) ([&]"));
  EXPECT_THAT(rewrite("void f() { return ::k<<<g, b>>>(x); }").text, HasSubstr("return ([&]"));
}

TEST(RewriterText, UnsupportedConstructsAreOneLineWithTheirPlace) {
  const std::string head = "# 1 \"dir/k.cu\"\n\n";
  EXPECT_EQ(
      error_of(
          head +
          "__warpfuzz_device__ int f() { int r; asm volatile(\"mov.u32 %0, %laneid;\" : \"=r\"(r)); return r; }\n"),
      "dir/k.cu:2: error: warpfuzz: inline PTX (asm) is not supported by the CPU executor");
  EXPECT_THAT(error_of(head + "void f() { auto l = [] __warpfuzz_device__ () { asm(\"trap;\"); }; }\n"),
              HasSubstr("dir/k.cu:2: error: warpfuzz: inline PTX"));
  EXPECT_THAT(error_of(head + "__warpfuzz_global__ void k(cudaTextureObject_t t) {}\n"),
              HasSubstr("textures are not supported"));
  EXPECT_THAT(error_of(head + "texture<float, 2> t;\n"), HasSubstr("textures are not supported"));
  EXPECT_THAT(error_of(head + "__warpfuzz_global__ void k() { float x = tex2D<float>(t, 1, 2); }\n"),
              HasSubstr("textures"));
  EXPECT_THAT(error_of(head + "__warpfuzz_global__ void k() { j<<<1, 2>>>(); }\n"),
              HasSubstr("a kernel launch from device code is not supported"));
  EXPECT_THAT(error_of(head + "void f() { k<<<1, 2(); }\n"),
              HasSubstr("dir/k.cu:2: error: warpfuzz: '<<<' without a matching '>>>('"));
  EXPECT_THAT(error_of(head + "void k() { __warpfuzz_shared__ int a = 3; }\n"), HasSubstr("can't have an initialiser"));
  EXPECT_THAT(error_of(head + "void k() { (; }\n"),
              HasSubstr("dir/k.cu:2: error: warpfuzz: '}' without a matching '{'"));
}

// Any identifier can enter the table, whatever it begins with.
TEST(RewriterText, ANameInTheTableIsRefusedWhateverItBeginsWith) {
  for (const std::string name : {"wmma_load", "Zeta", "_Bulk", "q"}) {
    const UnsupportedName named[] = {{name, Refused::name, "these"}}, device[] = {{name, Refused::device, "these"}};
    const auto error_with = [](std::span<const UnsupportedName> names, const std::string& text) -> std::string {
      const TokenText t = tokenize(text);
      try {
        reject_unsupported(t, find_scopes(t), names);
      } catch (const RewriteError& e) { return e.what(); }
      return "";
    };
    const std::string host = "# 1 \"k.cu\"\n\nvoid f() { " + name + "(1); }\n";
    EXPECT_EQ(error_with(named, host), "k.cu:2: error: warpfuzz: these are not supported by the CPU executor");
    EXPECT_EQ(error_with(device, host), "");
    EXPECT_THAT(error_with(device, "__warpfuzz_global__ void k() { " + name + "(1); }\n"), HasSubstr("not supported"));
    EXPECT_EQ(error_with(named, "void f() { " + name + "2(1); }\n"), "");
    EXPECT_EQ(error_of(host), "") << "the table itself does not have it";
  }
}

TEST(RewriterText, APlaceNamesTheFileAsItIsOnDisk) {
  EXPECT_THAT(error_of("# 1 \"a clone/w\\303\\244rp/b\\\\c\\\"9.cu\"\ntexture<float, 2> t;\n"),
              HasSubstr("a clone/w\303\244rp/b\\c\"9.cu:1: error: "));
}

TEST(RewriterText, SupportedLookalikes) {
  for (const std::string text : {
           "void host() { asm volatile(\"nop\"); }\n",                                               // not device code
           "# 1 \"/usr/include/x.h\" 1 3\n__warpfuzz_device__ int f() { asm(\"x\"); return 0; }\n",  // a system header
           "__warpfuzz_global__ void k() { int texture = 1, surface = texture < 2, tex2Dish = 0; }\n",
       }) {
    EXPECT_EQ(error_of(text), "");
  }
}

TEST(RewriterText, LambdasCaptureSharedVariables) {
  const auto body = [](const std::string& lambda) {
    return rewrite("void k() { __warpfuzz_shared__ int s[4]; " + lambda + " }\n").text;
  };
  EXPECT_THAT(body("auto l = [=](int i) { return s[i]; };"), HasSubstr("[=, &s](int i)"));
  EXPECT_THAT(body("auto l = [](int i) { return s[i]; };"), HasSubstr("[&s](int i)"));
  EXPECT_THAT(body("auto l = [&](int i) { return s[i]; };"), HasSubstr("[&](int i)"));
  EXPECT_THAT(body("auto l = [=](int i) { return i; };"), HasSubstr("[=](int i)"));
  EXPECT_THAT(body("auto& [a, b] = s;"), HasSubstr("auto& [a, b]"));
}

TEST(RewriterText, TimeGrowsWithTheLength) {
  std::string text;
  for (int i = 0; i < 8000; ++i) {
    const std::string n = std::to_string(i);
    text += "template <class T> __warpfuzz_global__ void k" + n +
            "(T* p, int n) {\n  __warpfuzz_shared__ T s[32], t[8];\n" +
            "  if (n > 3) { s[0] = p[n << 1]; auto l = [=] { return s[1]; }; }\n}\n" + "void f" + n + "(float* x) { k" +
            n + "<float><<<1, 32>>>(x, 0); }\n";
  }
  ASSERT_GE(lines(text), 40000);
  const auto start = std::chrono::steady_clock::now();
  const Rewritten r = rewrite(text);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_EQ(r.launches, 8000u);
  EXPECT_EQ(r.shared, 16000u);
  EXPECT_LT(seconds, 2.0);  // 0.1 s on an idle machine; anything quadratic takes minutes
  RecordProperty("milliseconds", static_cast<int>(seconds * 1000));
}

}  // namespace
}  // namespace warpfuzz::rewrite
