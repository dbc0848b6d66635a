// `warpfuzz export`: files, exit codes, and the .npz as Python reads it.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/exit_codes.h"
#include "cli_fixture.h"

namespace warpfuzz::testing_cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Export : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    file("src/k.cu", "__global__ void k(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x] + SHIFT; }\n");
    for (const char* mode : {"value", "oob", "clean"})
      file(
          std::string("src/fuzz_") + mode + ".cc",
          std::string("#include \"k.cu\"\n#include \"warpfuzz/target.h\"\nWARPFUZZ_TARGET(") + mode +
              ", ops::fake(), [](const Launch& l) { k<<<1, l.dim(\"cols\"), 0, l.stream()>>>(l.in<float>(\"x\"), l.out<float>(\"y\")); });\n");
    std::string entries;
    for (const char* mode : {"value", "oob", "clean", "mixed"})
      entries += std::string(entries.empty() ? "" : ", ") + "{\"name\": \"" + mode + "\", \"sources\": [\"" +
                 in("src/fuzz_") + mode + ".cc\"], \"includes\": [], \"defines\": [\"SHIFT=1.0f\"]}";
    file("bin/targets.json", "{\"targets\": [" + entries + "]}");
  }
  void file(const std::string& name, const std::string& text) { save_bytes(name, Bytes(text.begin(), text.end())); }
  void fails(const std::string& arguments, int code, const std::string& text) {
    const Output o = run("export " + arguments);
    EXPECT_EQ(o.code, code) << arguments << ": " << o.err;
    EXPECT_THAT(o.err, HasSubstr(text));
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  }
  std::string text(const std::string& name) {
    std::ifstream stream(in(name));
    std::stringstream s;
    s << stream.rdbuf();
    return s.str();
  }
};

TEST_F(Export, WritesTheProgram) {
  save("v.wfz", fake("value", FaultClass::value, 1, 4));
  std::filesystem::create_directory(in("out"));
  const Output o = run("export v.wfz --cu out/v.cu");
  EXPECT_EQ(o.code, kExitOk) << o.err;
  EXPECT_THAT(o.out, HasSubstr("nvcc -std=c++20 -arch=native out/v.cu -o repro && ./repro"));
  const std::string cu = text("out/v.cu");
  EXPECT_THAT(cu, HasSubstr("// v.cu: reproduces on a GPU what WarpFuzz found: value/value\n"));
  EXPECT_THAT(cu, HasSubstr("#define SHIFT 1.0f\n"));
  EXPECT_THAT(cu, HasSubstr("__global__ void k(const float* x, float* y)"));
  EXPECT_THAT(cu, HasSubstr("const auto launcher = [](const Launch& l) { k<<<1, l.dim(\"cols\"), 0, l.stream()>>>"));
  EXPECT_THAT(cu, HasSubstr("// x: 1 1 1 1\n    {0, 0, \"3f800000*4\"}"));
  EXPECT_THAT(cu, HasSubstr("{\"y\", Role::out, DType::f32, {4}, {1}, 0, 4, true, {0xffd0ffd0, 0x7fe87fe8}"));
  EXPECT_THAT(cu, HasSubstr("constexpr const char* kTitle = \"value/value\";"));
  EXPECT_THAT(cu, Not(HasSubstr("#include \"")));
}

TEST_F(Export, OfWhatEndsTheProcessAndOfWhatIsRight) {
  save("o.wfz", fake("oob", FaultClass::oob_read, 1, 3));
  const Output o = run("export o.wfz --cu o.cu --json");
  EXPECT_EQ(o.code, kExitOk) << o.err;
  EXPECT_EQ(o.json()["key"], "oob/oob-read/fake_kernel");
  EXPECT_THAT(text("o.cu"), HasSubstr("see also compute-sanitizer --tool memcheck ./repro"));
  save_bytes("corpus/clean/x", {1, 1, 4});
  EXPECT_EQ(run("export corpus/clean/x --cu c.cu").code, kExitOk);
  EXPECT_THAT(text("c.cu"), HasSubstr("a case of WarpFuzz on which clean is right"));
}

TEST_F(Export, ErrorsAreOneLine) {
  save("v.wfz", fake("value", FaultClass::value, 1, 4));
  fails("v.wfz", kExitUsage, "expected --cu FILE, --npz FILE or both");
  fails("none.wfz --cu x.cu", kExitBadFile, "none.wfz");
  fails("v.wfz --cu src/k.cu/x.cu", kExitCannotWrite, "src/k.cu");
  save("m.wfz", fake("mixed", FaultClass::value, 1, 3));
  fails("m.wfz --cu x.cu", kExitNoTarget, "field 'calls.outputs.rules': expected 3 bytes, got 0");
  std::remove(in("src/fuzz_value.cc").c_str());
  fails("v.wfz --cu x.cu", kExitBadFile, "where it has moved, configure and build again");
  file("bin/targets.json", "{\"targets\": []}");
  fails("v.wfz --cu x.cu", kExitNoTarget, "no entry for target 'value'");
  EXPECT_FALSE(exists("x.cu"));
  std::remove(in("bin/targets.json").c_str());
  fails("v.wfz --cu x.cu", kExitNoTarget, "targets.json");
}

// Whatever the name that is given for it: the finding and the target's sources are read, and stay.
TEST_F(Export, NeverOverwritesWhatItReads) {
  save("v.wfz", fake("value", FaultClass::value, 1, 4));
  std::filesystem::create_symlink("v.wfz", in("link"));
  std::filesystem::create_hard_link(in("v.wfz"), in("twin.wfz"));
  const std::string finding = text("v.wfz"), kernel = text("src/k.cu");
  for (const char* to : {"v.wfz", "./v.wfz", "link", "twin.wfz"})
    for (const char* option : {"--cu", "--npz"})
      fails(std::string("v.wfz ") + option + " " + to, kExitUsage, "is the file that is read");
  fails("v.wfz --cu src/k.cu", kExitUsage, "is the file that is read");
  fails("v.wfz --cu x --npz x", kExitUsage, "--cu and --npz both name 'x'");
  fails("v.wfz --cu no/x.cu", kExitCannotWrite, "there is no folder 'no'; make it first");
  EXPECT_EQ(text("v.wfz"), finding);
  EXPECT_EQ(text("src/k.cu"), kernel);
  EXPECT_FALSE(exists("x"));
  EXPECT_FALSE(exists("no"));
  const Output standard = run("export v.wfz --cu -");
  EXPECT_EQ(standard.code, kExitOk) << standard.err;
  EXPECT_THAT(standard.out, HasSubstr("__global__ void k("));
  EXPECT_FALSE(exists("-"));
}

TEST_F(Export, RefusesWhatNoCompilerWants) {
  // Every element differs: nothing is packed.
  save("v.wfz", fake("value", FaultClass::value, 1, 4));
  file("src/k.cu", std::string(9 << 20, ' '));
  const Output o = run("export v.wfz --cu x.cu");
  EXPECT_EQ(o.code, kExitUsage);
  EXPECT_THAT(o.err, HasSubstr("shrink the case first"));
}

TEST_F(Export, NpzIsAZipOfNumpyArrays) {
  save("v.wfz", fake("value", FaultClass::value, 1, 4));
  EXPECT_EQ(run("export v.wfz --npz v.npz").code, kExitOk);
  file("read.py", R"(import ast, struct, zipfile
archive = zipfile.ZipFile("v.npz")
assert archive.testzip() is None
for name in archive.namelist():
    data = archive.read(name)
    if not name.endswith(".npy"):
        print(name, data.splitlines()[0].decode())
        continue
    assert data[:8] == b"\x93NUMPY\x01\x00", name
    length = struct.unpack("<H", data[8:10])[0]
    assert (10 + length) % 64 == 0 and data[9 + length:10 + length] == b"\n"
    head = ast.literal_eval(data[10:10 + length].decode())
    form = {"<f4": "f", "<f8": "d", "|u1": "B"}[head["descr"]]
    print(name, head["descr"], head["fortran_order"], head["shape"], struct.unpack("<%d%s" % (head["shape"][0], form), data[10 + length:]))
try:
    import numpy
    loaded = numpy.load("v.npz")
    assert loaded["call1.x"].shape == (4,) and loaded["call1.y.reference"].dtype == numpy.float64
except ImportError:
    pass
)");
  ASSERT_EQ(std::system(("cd '" + folder_ + "' && python3 read.py >read.txt 2>&1").c_str()), 0) << text("read.txt");
  EXPECT_EQ(text("read.txt"),
            "case.txt value/value\n"
            "call1.x.npy <f4 False (4,) (1.0, 1.0, 1.0, 1.0)\n"
            "call1.y.got.npy <f4 False (4,) (1.0, 1.0, 1.0, 1.0)\n"
            "call1.y.lo.npy <f4 False (4,) (1.0, 1.0, 1.0, 1.0)\n"
            "call1.y.hi.npy <f4 False (4,) (1.0, 1.0, 1.0, 1.0)\n"
            "call1.y.reference.npy <f8 False (4,) (1.0, 1.0, 1.0, 1.0)\n"
            "call1.y.rules.npy |u1 False (4,) (0, 0, 0, 0)\n");
}

}  // namespace
}  // namespace warpfuzz::testing_cli
