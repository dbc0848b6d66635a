// What the pass makes of device code: PTX of small kernels, compiled here, and ptxas's opinion of it. No GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "exec/cuda/state_block.h"

namespace warpfuzz::cuda {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

struct Ran {
  int status;
  std::string output;
};
Ran run(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string output;
  for (std::array<char, 4096> part; std::size_t n = std::fread(part.data(), 1, part.size(), pipe);)
    output.append(part.data(), n);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

struct Ptx {
  std::string text;
  std::map<std::string, std::string> bodies;  // by a part of the function's name
  std::vector<std::uint32_t> counts;

  const std::string& body(const std::string& part) const {
    for (const auto& [name, text] : bodies) {
      if (name.find(part) != std::string::npos && name.find("wf_device") == std::string::npos) return text;
    }
    static const std::string none;
    ADD_FAILURE() << "no function " << part;
    return none;
  }
  std::uint32_t count(CountIndex i) const { return i < counts.size() ? counts[i] : 0; }
};

int occurrences(const std::string& text, const std::string& pattern) {
  const std::regex r(pattern);
  return static_cast<int>(std::distance(std::sregex_iterator(text.begin(), text.end(), r), std::sregex_iterator()));
}

std::string compiler(const std::string& arch, const std::string& defines) {
  return std::string(WARPFUZZ_CXX) +
         " -x cuda -nocudainc -nocudalib -Wno-unknown-cuda-version --cuda-gpu-arch=" + arch +
         " -std=c++20 -O2 -gline-tables-only -w -I" WARPFUZZ_SRC " -fpass-plugin=" WARPFUZZ_PLUGIN
         " -include " WARPFUZZ_HEADER " " +
         defines;
}

Ptx compile(const std::string& source, const std::string& defines, const std::string& arch = "sm_90") {
  const Ran r = run(compiler(arch, defines) + " --cuda-device-only -S -o - " + source);
  EXPECT_EQ(r.status, 0) << r.output;
  Ptx ptx{r.output, {}, {}};
  // A function: from its line to the closing brace in the first column.
  std::istringstream lines(ptx.text);
  std::string name, body;
  const std::regex head(R"(\.(entry|func)\s+(\(.*?\)\s*)?([\w$]+))");
  for (std::string line; std::getline(lines, line);) {
    std::smatch m;
    if (name.empty() && std::regex_search(line, m, head)) name = m[3], body.clear();
    if (!name.empty()) body += line + "\n";
    if (!name.empty() && line == ";") name.clear();
    if (line == "}") ptx.bodies[name] = body, name.clear();
  }
  std::smatch m;
  if (std::regex_search(ptx.text, m, std::regex(R"(wf_countsE\[32\] = \{([^}]*)\})"))) {
    std::istringstream bytes(m[1].str());
    std::vector<unsigned> b;
    for (std::string one; std::getline(bytes, one, ',');) b.push_back(static_cast<unsigned>(std::stoul(one)));
    b.resize(32);
    for (std::size_t i = 0; i < 32; i += 4)
      ptx.counts.push_back(b[i] | b[i + 1] << 8 | b[i + 2] << 16 | b[i + 3] << 24);
  }
  EXPECT_THAT(ptx.text, HasSubstr("wf_countsE[32]"));
  ptx.counts.resize(kCountSize);  // all 0: no initialiser
  return ptx;
}
std::string sample(const std::string& name) { return std::string(WARPFUZZ_SAMPLES "/") + name; }
const std::string kCoverage = "-DWARPFUZZ_DEVICE_COVERAGE=1", kChecks = "-DWARPFUZZ_DEVICE_CHECKS=1";

void expect_assembles(const std::string& ptx, const std::string& arch) {
  const std::string stem = ::testing::TempDir() + "warpfuzz_ptx_" + std::to_string(getpid());
  std::ofstream(stem + ".ptx") << ptx;
  const Ran r = run(WARPFUZZ_PTXAS " -arch=" + arch + " -o " + stem + ".cubin " + stem + ".ptx");
  EXPECT_EQ(r.status, 0) << r.output;
  std::filesystem::remove(stem + ".ptx");
  std::filesystem::remove(stem + ".cubin");
}

TEST(DevicePass, FlushesBeforeEveryReturn) {
  const Ptx ptx = compile(sample("flow.cu"), kCoverage);
  EXPECT_EQ(ptx.count(kCountMode), kModeCoverage);
  for (const char* name : {"flow", "straight", "collatz", "pick"}) {
    const std::string& body = ptx.body(name);
    EXPECT_EQ(occurrences(body, "\n\\s*ret;"), 1) << name;
    EXPECT_EQ(occurrences(body, "activemask"), 1) << name;
    EXPECT_GE(occurrences(body, "redux\\.sync\\.or"), 1) << name;
    // The vote comes before the return; what follows it may stand out of line, behind.
    EXPECT_LT(body.find("activemask"), body.find("vote.sync.any")) << name;
    EXPECT_LT(body.find("vote.sync.any"), body.rfind("ret;")) << name;
    EXPECT_GT(body.find("redux.sync.or"), body.find("vote.sync.any")) << name;
    EXPECT_GE(occurrences(body, "red\\.global\\.or"), 1) << name;
  }
  // An edge alone: its bit and nothing else, no load in the way of the kernel's own.
  EXPECT_EQ(occurrences(ptx.body("straight"), "red\\.global\\.or"), 1);
  EXPECT_EQ(occurrences(ptx.body("straight"), "bfind"), 0);
}

TEST(DevicePass, CountsWhatItNumbers) {
  const Ptx ptx = compile(sample("flow.cu"), kCoverage);
  // straight 1 edge; flow, pick and collatz have branches of their own.
  EXPECT_GE(ptx.count(kCountEdgeSites), 16u);
  EXPECT_GE(ptx.count(kCountEdges), ptx.count(kCountEdgeSites));
  EXPECT_LT(ptx.count(kCountEdges), 128u);
  EXPECT_GE(ptx.count(kCountCompares), 7u);  // i < n, j < kind twice, four cases, n <= 1
  EXPECT_EQ(ptx.count(kCountLocalCompares), ptx.count(kCountCompares));
  EXPECT_EQ(ptx.count(kCountAccesses), 0u);
  EXPECT_EQ(ptx.count(kCountFloatAtomics), 0u);
  // Every number below is used: the last compare's class word is the last word before the pairs.
  const std::uint32_t last = class_offset(ptx.count(kCountEdges)) + 4 * ptx.count(kCountCompares) - 4;
  EXPECT_THAT(ptx.text, ContainsRegex("\\+" + std::to_string(last) + "\\]"));
  EXPECT_GE(occurrences(ptx.body("collatz"), "bfind\\.u64"), 1);
  EXPECT_EQ(occurrences(ptx.body("pick"), "bfind\\.u64"), 0);
}

TEST(DevicePass, BarriersStayWhereTheyWere) {
  for (const std::string& defines : {kCoverage, kChecks, kCoverage + " " + kChecks}) {
    EXPECT_EQ(occurrences(compile(sample("flow.cu"), defines).body("flow"), "barrier|bar\\.sync"), 1) << defines;
  }
}

TEST(DevicePass, ShufflesWhereThereIsNoRedux) {
  const Ptx old = compile(sample("flow.cu"), kCoverage, "sm_75"),
            recent = compile(sample("flow.cu"), kCoverage, "sm_80");
  EXPECT_THAT(old.text, Not(HasSubstr("redux")));
  EXPECT_THAT(old.body("straight"), HasSubstr("shfl.sync.idx"));
  EXPECT_THAT(old.body("straight"), HasSubstr("vote.sync.any"));
  EXPECT_THAT(recent.text, HasSubstr("redux.sync.or"));
  EXPECT_THAT(recent.text, Not(HasSubstr("shfl")));
}

TEST(DevicePass, ManyComparesAndEdgesGoToMemory) {
  const Ptx registers = compile(sample("flow.cu"), kCoverage);
  const Ptx memory = compile(sample("flow.cu"), kCoverage + " -DWARPFUZZ_COMPARE_REGISTERS=0 -DWARPFUZZ_EDGE_WORDS=0");
  EXPECT_EQ(memory.count(kCountCompares), registers.count(kCountCompares));
  EXPECT_EQ(memory.count(kCountEdges), registers.count(kCountEdges));
  EXPECT_EQ(memory.count(kCountLocalCompares), 0u);
  expect_assembles(memory.text, "sm_90");
}

TEST(DevicePass, ChecksGlobalAccessesAndNoOthers) {
  const Ptx ptx = compile(sample("memory.cu"), kChecks);
  const auto checks = [&](const char* name) {
    return occurrences(ptx.body(name), "call\\.uni[^;]*\n?[^;]*wf_outside");
  };
  EXPECT_EQ(checks("vectors"), 2);
  EXPECT_EQ(checks("atomics"), 3);
  EXPECT_EQ(checks("private_memory"), 1);
  EXPECT_EQ(checks("variables"), 2);
  EXPECT_EQ(checks("generic"), 1);
  EXPECT_EQ(checks("either"), 1);
  EXPECT_EQ(checks("fields"), 2);
  EXPECT_THAT(ptx.body("fields"), HasSubstr("ld.global.v4"));
  EXPECT_EQ(ptx.count(kCountAccesses), 12u);
  EXPECT_EQ(ptx.count(kCountEdges), 0u);
  EXPECT_EQ(ptx.count(kCountFloatAtomics), 1u);
  EXPECT_THAT(ptx.body("vectors"), HasSubstr("ld.global.v4"));  // still one vector, still known to be global
  EXPECT_THAT(ptx.body("private_memory"), HasSubstr("ld.shared"));
  EXPECT_THAT(ptx.text, Not(HasSubstr("activemask")));
}

TEST(DevicePass, SaysWhereAnAccessIs) {
  const Ptx ptx = compile(sample("memory.cu"), kChecks);
  std::string text;
  const std::regex string(R"(wf_where\S*\[\d+\] = \{([^}]*)\})");
  for (std::sregex_iterator i(ptx.text.begin(), ptx.text.end(), string), end; i != end; ++i) {
    std::istringstream bytes((*i)[1].str());
    for (std::string one; std::getline(bytes, one, ',');) text += static_cast<char>(std::stoul(one));
    text += '\n';
  }
  EXPECT_THAT(text, HasSubstr("samples/memory.cu:9: vectors"));
  EXPECT_THAT(text, HasSubstr("samples/memory.cu:13: atomics"));
  EXPECT_THAT(text, HasSubstr("samples/memory.cu:32: generic"));
}

TEST(DevicePass, TakesWhatKernelsRarelyHave) {
  const Ptx ptx = compile(sample("odd.cu"), kCoverage);
  EXPECT_THAT(ptx.body("traps"), HasSubstr("trap;"));
  EXPECT_EQ(occurrences(ptx.body("endless"), "\n\\s*ret;"), 0);  // nowhere to merge
  EXPECT_EQ(occurrences(ptx.body("returns"), "\n\\s*ret;"), 1);
  EXPECT_EQ(occurrences(ptx.body("empty"), "red\\.global"), 1);
  EXPECT_EQ(occurrences(ptx.body("uses"), "bar\\.sync|barrier"), 1);
  EXPECT_EQ(occurrences(ptx.body("pointers"), "call "), 1);
}

TEST(DevicePass, FindsFloatAtomics) {
  EXPECT_EQ(compile(sample("quiet_atomics.cu"), kCoverage).count(kCountFloatAtomics), 0u);
  EXPECT_EQ(compile(sample("swap_add.cu"), kCoverage).count(kCountFloatAtomics), 1u);
  EXPECT_EQ(compile(sample("asm_add.cu"), kCoverage).count(kCountFloatAtomics), 1u);
}

TEST(DevicePass, LimitsRegistersWhereTheBlockSizeIsNotStated) {
  const Ptx ptx = compile(sample("limits.cu"), kCoverage + " -DWARPFUZZ_REGISTER_LIMIT=64");
  EXPECT_THAT(ptx.body("unstated"), HasSubstr(".maxnreg 64"));
  EXPECT_THAT(ptx.body("stated"), HasSubstr(".maxntid 128"));
  EXPECT_THAT(ptx.body("stated"), Not(HasSubstr(".maxnreg")));
  EXPECT_THAT(compile(sample("limits.cu"), kCoverage).text, Not(HasSubstr(".maxnreg")));
}

TEST(DevicePass, EverySourceIsAModuleOfItsOwn) {
  // Two sources link: what the header defines is static, and each registers its own variables.
  const std::string stem = ::testing::TempDir() + "warpfuzz_two_" + std::to_string(getpid());
  std::ofstream(stem + ".cc")
      << "#include \"exec/cuda/state_block.h\"\n#include <cstdio>\nstatic int n;\n"
         "void warpfuzz_cuda_register_module(const warpfuzz::cuda::ModuleSymbols& m) { n += m.state && m.slot_base && m.counts; }\n"
         "int main() { std::printf(\"%d modules\", n); }\n";
  const std::string flags = " -c --cuda-host-only ";
  Ran r = run(compiler("sm_90", kCoverage) + flags + sample("quiet_atomics.cu") + " -o " + stem + ".1.o && " +
              compiler("sm_90", kCoverage) + flags + sample("swap_add.cu") + " -o " + stem + ".2.o");
  EXPECT_EQ(r.status, 0) << r.output;
  // The runtime's registration of kernels and variables isn't wanted here.
  std::ofstream(stem + ".3.cc")
      << "extern \"C\" {\n#define F(N) void* N(...) { return nullptr; }\nF(__cudaRegisterFatBinary) F(__cudaRegisterFatBinaryEnd)"
         " F(__cudaUnregisterFatBinary) F(__cudaRegisterFunction) F(__cudaRegisterVar) F(__cudaPushCallConfiguration)"
         " F(__cudaPopCallConfiguration) F(cudaLaunchKernel) F(cudaSetupArgument) F(cudaConfigureCall) F(cudaLaunch)\n}\n";
  r = run(std::string(WARPFUZZ_CXX) + " -std=c++20 -w -I" WARPFUZZ_SRC " " + stem + ".cc " + stem + ".3.cc " + stem +
          ".1.o " + stem + ".2.o -o " + stem + ".exe && " + stem + ".exe");
  EXPECT_EQ(r.output, "2 modules");
  for (const char* end : {".cc", ".3.cc", ".1.o", ".2.o", ".exe"}) std::filesystem::remove(stem + end);
}

class Architectures : public ::testing::TestWithParam<const char*> {};
TEST_P(Architectures, PtxasTakesIt) {
  for (const char* name : {"flow.cu", "memory.cu", "swap_add.cu", "odd.cu"}) {
    expect_assembles(compile(sample(name), kCoverage + " " + kChecks, GetParam()).text, GetParam());
  }
}
INSTANTIATE_TEST_SUITE_P(DevicePass, Architectures,
                         ::testing::Values("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"),
                         [](const auto& info) { return std::string(info.param); });

TEST(DevicePass, WithoutARequestNothingChanges) {
  const Ptx ptx = compile(sample("flow.cu"), "");
  EXPECT_EQ(ptx.count(kCountMode), 0u);
  EXPECT_THAT(ptx.text, Not(HasSubstr("activemask")));
  EXPECT_THAT(ptx.text, Not(HasSubstr("wf_outside")));
}

TEST(DevicePass, AnotherVersionOfTheHeaderIsAnError) {
  const std::string header = ::testing::TempDir() + "warpfuzz_old_" + std::to_string(getpid()) + ".cu";
  std::ofstream(header)
      << "namespace wf_device { extern \"C\" { static __attribute__((device, used)) unsigned wf_counts[8] = {1, 1}; } }\n";
  const Ran r = run(
      std::string(WARPFUZZ_CXX) +
      " -x cuda -nocudainc -nocudalib -Wno-unknown-cuda-version --cuda-gpu-arch=sm_90 -O2 -fpass-plugin=" WARPFUZZ_PLUGIN
      " --cuda-device-only -S -o /dev/null " +
      header);
  EXPECT_NE(r.status, 0);
  EXPECT_THAT(r.output,
              HasSubstr("error: warpfuzz: the device header and the compiler pass are of different versions"));
  std::filesystem::remove(header);
}

}  // namespace
}  // namespace warpfuzz::cuda
