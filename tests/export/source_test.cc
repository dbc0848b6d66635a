// Taking a target's source apart: declarations, the launcher, local includes.
#include <gmock/gmock.h>

#include "cli_fixture.h"
#include "client/context.h"
#include "export/declarations.h"
#include "export/target_source.h"

namespace warpfuzz::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

TEST(Declarations, HaveTheNamesThatTheyDeclare) {
  const auto name = [](const char* source) {
    const std::vector<Declaration> d = declarations_of(source);
    return d.size() == 1 && d[0].names.size() == 1 ? d[0].names[0] : "? " + std::to_string(d.size());
  };
  EXPECT_EQ(name("static const float open_value = f(\"x\");"), "open_value");
  EXPECT_EQ(name("template <class T, int N = (3 > 2)> void call(const T* x, int n) { g<T>(x); }"), "call");
  EXPECT_EQ(name("struct alignas(16) Config : Base { int a; };"), "Config");
  EXPECT_EQ(name("enum class Kind : int { a, b };"), "Kind");
  EXPECT_EQ(name("using Vector = std::vector<float>;"), "Vector");
  EXPECT_EQ(name("namespace cg = cooperative_groups;"), "cg");
  EXPECT_EQ(name("constexpr int table[] = {1, 2};"), "table");
  EXPECT_EQ(name("auto twice = [](int x) { return 2 * x; };"), "twice");
  EXPECT_EQ(declarations_of("int a; void f() {} struct S {}; // end").size(), 3u);
}

TEST(Declarations, OnlyWhatIsNeededStays) {
  std::vector<Declaration> all = declarations_of(R"(
#include <cmath>
using namespace std;
static int unused() { return helper2(); }
namespace { namespace inner {
// counts
int helper2() { return 2; }
warpfuzz::Reference r;
} }
static int helper() { return inner::helper2(); }
)");
  std::set<std::string, std::less<>> wanted{"helper"};
  keep_needed(all, wanted);
  std::string text;
  for (const Declaration& d : all) text += d.text;
  EXPECT_THAT(text, HasSubstr("#include <cmath>"));
  EXPECT_THAT(text, HasSubstr("using namespace std;"));
  EXPECT_THAT(text, HasSubstr("// counts\nint helper2() { return 2; }"));
  EXPECT_THAT(text, HasSubstr("namespace { namespace inner {"));
  EXPECT_THAT(text, Not(HasSubstr("unused")));
  EXPECT_THAT(text, Not(HasSubstr("Reference")));
}

TEST(Launcher, IsTheLastArgument) {
  EXPECT_EQ(
      launcher_of(
          "// WARPFUZZ_TARGET(a, b, c)\nWARPFUZZ_TARGET(a, ops::x().dtypes({f32, f16}), [](const Launch& l) { f(\",)\", l); });",
          "a"),
      "[](const Launch& l) { f(\",)\", l); }");
  EXPECT_EQ(launcher_of("WARPFUZZ_TARGET(a, x, launch_it);", "a"), "launch_it");
  EXPECT_EQ(launcher_of("WARPFUZZ_TARGET(b, x, launch_it);", "a"), "");
  EXPECT_EQ(launcher_of("WARPFUZZ_TARGET(a, x,\n     [](const Launch& l) {\n       f(l);\n     });", "a"),
            "[](const Launch& l) {\n  f(l);\n}");
  EXPECT_THAT(arguments_of("F(a<b, (c, d), \"e,f\" /* , */)"), ElementsAre("a<b", " (c, d)", " \"e,f\" /* , */"));
}

class Sources : public testing_cli::CliTest {
 protected:
  void file(const std::string& name, const std::string& text) { save_bytes(name, Bytes(text.begin(), text.end())); }
  TargetSource read() { return read_target_source({"t", {in("src/fuzz_t.cc")}, {in("include")}, {"A=1"}}); }
  std::string error() {
    try {
      read();
    } catch (const Failure& f) { return f.what(); }
    return "";
  }
};

TEST_F(Sources, LocalIncludesStandInTheirPlaces) {
  file("include/k.cu",
       "#pragma once\n#include <cuda_runtime.h>\n#include \"part.cuh\"\n#include \"part.cuh\"\nint k;\n");
  file("include/part.cuh", "#pragma once\nint part;");
  file("include/twice.inc", "int x_macro;\n");
  file(
      "src/fuzz_t.cc",
      "#define N 3\nstruct Config { int a; };\n#include \"k.cu\"\n#ifdef X\n#include \"late.cuh\"\n#endif\n#include \"late.cuh\"\n"
      "#include \"twice.inc\"\n#include \"twice.inc\"\n#include \"warpfuzz/target.h\"\n#include \"ops/value_reference.h\"\n"
      "static void ref(const warpfuzz::RefContext& c) {}\nstatic int extra(int v) { return v; }\n"
      "WARPFUZZ_TARGET(t, TargetSpec::custom(\"t\").reference(ref), [](const Launch& l) { k = extra(l.dim(\"n\")); });\n");
  file("src/late.cuh", "#pragma once\nConfig late;\n");
  const TargetSource s = read();
  const auto count = [&](const std::string& text) {
    int n = 0;
    for (std::size_t at = s.before.find(text); at != std::string::npos; at = s.before.find(text, at + 1)) ++n;
    return n;
  };
  EXPECT_THAT(
      s.before,
      HasSubstr(
          "#define N 3\nstruct Config { int a; };\n// ---- k.cu\n#include <cuda_runtime.h>\n// ---- part.cuh\nint part;\nint k;\n"));
  EXPECT_EQ(count("int part;"), 1);
  EXPECT_EQ(count("Config late;"), 2);              // behind #ifdef it may not count
  EXPECT_EQ(count("#ifndef REPRO_INCLUDED_0"), 2);  // nor may both count
  EXPECT_EQ(count("int x_macro;"), 2);              // no #pragma once: as often as it is included
  EXPECT_EQ(s.after, "static int extra(int v) { return v; }\n");
  EXPECT_THAT(s.before + s.after, Not(HasSubstr("warpfuzz")));
  EXPECT_THAT(s.before, Not(HasSubstr("pragma")));
}

// What targets share may stand in a header of theirs: specs, which an export does without, and helpers of launchers.
TEST_F(Sources, AHeaderThatIncludesWarpFuzzBelongsToTheTarget) {
  file("include/kernel.cuh", "#pragma once\ntemplate <class T> __global__ void k(T* p) {}\n");
  file("include/inner.h", "#pragma once\n#include <warpfuzz/target.h>\nusing namespace warpfuzz;\n");
  file("include/shared.h",
       "#ifndef SHARED\n#define SHARED\n#include <vector>\n#include \"kernel.cuh\"\n#include \"inner.h\"\n"
       "inline TargetSpec spec() { return warpfuzz::ops::softmax(); }\n"
       "inline void rows(const Launch& l) { k<float><<<1, 1>>>(l.out<float>(\"y\")); }\n#endif\n");
  file("src/fuzz_t.cc",
       "#include \"shared.h\"\n#include \"inner.h\"\n#include \"kernel.cuh\"\n"
       "WARPFUZZ_TARGET(t, spec(), [](const Launch& l) { rows(l); });\n");
  const TargetSource s = read();
  EXPECT_EQ(s.before,
            "#ifndef SHARED\n#define SHARED\n#include <vector>\n"
            "#ifndef REPRO_INCLUDED_0\n#define REPRO_INCLUDED_0\n// ---- kernel.cuh\n"
            "template <class T> __global__ void k(T* p) {}\n#endif\n");
  EXPECT_EQ(s.after,
            "using namespace warpfuzz;\n"
            "inline void rows(const Launch& l) { k<float><<<1, 1>>>(l.out<float>(\"y\")); }\n#endif\n"
            "#ifndef REPRO_INCLUDED_0\n#define REPRO_INCLUDED_0\n// ---- kernel.cuh\n"
            "template <class T> __global__ void k(T* p) {}\n#endif\n");
  EXPECT_THAT(s.files, IsSupersetOf({in("include/kernel.cuh"), in("include/inner.h"), in("include/shared.h")}));

  file("include/shared.h",
       "#include \"inner.h\"\ninline int edge(const Launch& l) { return warpfuzz::at_most(3).max; }\n");
  file("src/fuzz_t.cc", "#include \"shared.h\"\nWARPFUZZ_TARGET(t, x, [](const Launch& l) { edge(l); });\n");
  EXPECT_THAT(error(), HasSubstr("uses warpfuzz::at_most, which a .cu without WarpFuzz does not have"));
}

TEST_F(Sources, ErrorsSayWhatToDo) {
  EXPECT_THAT(error(), HasSubstr("src/fuzz_t.cc"));
  EXPECT_THAT(error(), HasSubstr("a source of target 't'; where it has moved, configure and build again"));
  file("src/fuzz_t.cc", "int x;\n");
  EXPECT_THAT(error(), HasSubstr("expected WARPFUZZ_TARGET(t, OP, LAUNCHER), found none"));
  file(
      "src/fuzz_t.cc",
      "static int f() { return warpfuzz::ops::all().size(); }\nWARPFUZZ_TARGET(t, x, [](const Launch& l) { f(); });\n");
  EXPECT_THAT(error(), HasSubstr("uses warpfuzz::ops, which a .cu without WarpFuzz does not have"));
  file("src/fuzz_t.cc", "#include \"loop.h\"\nWARPFUZZ_TARGET(t, x, y);\n");
  file("src/loop.h", "#include \"loop.h\"\n");
  EXPECT_THAT(error(), HasSubstr("more than 64 levels of #include"));
}

}  // namespace
}  // namespace warpfuzz::cli
