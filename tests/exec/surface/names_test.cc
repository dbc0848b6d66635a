// Completeness: each function that the installed CUDA headers declare for device code is called, with its declared parameter
// types, in a source compiled as kernels are. The list comes from the headers themselves.
#include <map>
#include <regex>
#include <set>
#include <vector>

#include "compiler.h"

namespace warpfuzz {
namespace {

struct Declaration {
  std::string name, parameters, text;
};

bool mentions(const std::string& path, const std::vector<std::string>& headers) {
  for (const std::string& h : headers) {
    if (path.size() > h.size() && path.compare(path.size() - h.size() - 1, h.size() + 1, "/" + h) == 0) return true;
  }
  return false;
}

// The preprocessed text of the headers, as nvcc's device pass sees it, without what else they include.
std::string device_text(const std::vector<std::string>& headers, const std::string& before) {
  SourceFolder folder;
  std::string source =
      "#include <cuda_runtime_api.h>\n#include <vector_functions.h>\n" + before +
      "#undef __device__\n#undef __host__\n#define __device__\n#define __host__\n#define __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__\n";
  for (const std::string& h : headers) source += "#include <" + h + ">\n";
  const Output out = run_command(
      std::string(WARPFUZZ_TEST_CXX) +
      " -x c++ -std=c++20 -w -E -U__clang__ -D__CUDACC__ -D__CUDACC_VER_MAJOR__=12 -D__CUDACC_VER_MINOR__=9 "
      "-D__CUDA_ARCH__=900 -I" WARPFUZZ_TEST_CUDA " " +
      folder.write("list.cc", source));
  std::istringstream lines(out.text);
  std::string text, line;
  for (bool wanted = false; std::getline(lines, line);) {
    if (line.rfind("# ", 0) == 0) {
      const auto open = line.find('"'), close = line.find('"', open + 1);
      wanted = open != std::string::npos && mentions(line.substr(open + 1, close - open - 1), headers);
      text += ";\n";
    } else if (wanted) {
      text += line + "\n";
    }
  }
  return text;
}

// `text` without `word(...)`, parentheses balanced.
std::string without(std::string text, const std::string& word) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;) {
    std::size_t end = at + word.size();
    while (end < text.size() && std::isspace(static_cast<unsigned char>(text[end]))) ++end;
    if (end < text.size() && text[end] == '(') {
      int depth = 0;
      do depth += (text[end] == '(') - (text[end] == ')'), ++end;
      while (end < text.size() && depth > 0);
    }
    text.replace(at, end - at, " ");
  }
  return text;
}

std::vector<Declaration> declarations(std::string text) {
  for (const char* word :
       {"__attribute__", "noexcept", "throw()", "extern \"C\"", "__inline__", "static", "inline", "constexpr"})
    text = without(text, word);
  std::vector<Declaration> found;
  std::set<std::string> seen;
  // Statement by statement: what stands between ; { and } and ends in a parameter list.
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(";{}", begin), text.size());
    std::string s = std::regex_replace(text.substr(begin, end - begin), std::regex("\\s+"), " ");
    begin = end + 1;
    s.erase(0, s.find_first_not_of(' '));
    while (!s.empty() && s.back() == ' ') s.pop_back();
    if (s.size() > 400 || s.empty() || s.back() != ')') continue;
    std::smatch m;
    static const std::regex form("([A-Za-z_][A-Za-z_0-9 *&]*[ *&])([A-Za-z_]\\w*) ?\\(([^()]*)\\)");
    if (!std::regex_match(s, m, form)) continue;
    static const std::regex statement("^(return|typedef|using|asm|else|case|goto|template|operator)\\b.*");
    if (std::regex_match(s, statement) || !seen.insert(s).second) continue;
    found.push_back({m[2], m[3], s});
  }
  return found;
}

// The types of a parameter list, as std::declval arguments.
std::string values_of(const std::string& parameters) {
  static const std::set<std::string> words = {"int",      "long",   "char", "short",  "float",  "double",
                                              "unsigned", "signed", "bool", "size_t", "__half", "__half2"};
  if (parameters.empty() || parameters == "void") return "";
  std::string values;
  std::istringstream list(parameters);
  for (std::string p; std::getline(list, p, ',');) {
    p = std::regex_replace(p, std::regex("=.*|\\b(struct|enum)\\b"), "");
    p.erase(0, p.find_first_not_of(' '));
    while (!p.empty() && p.back() == ' ') p.pop_back();
    std::smatch m;
    static const std::regex named("^(.*[ *&])(\\w+)$");
    if (std::regex_match(p, m, named) && !words.count(m[2])) p = m[1];
    values += (values.empty() ? "" : ", ") + ("std::declval<" + p + ">()");
  }
  return values;
}

// Names of the declarations whose call does not compile, each with the compiler's words.
std::map<std::string, std::string> not_callable(const std::vector<Declaration>& list) {
  SourceFolder folder;
  std::string source;
  for (std::size_t i = 0; i < list.size(); ++i) {
    source += "# " + std::to_string(i + 1) + " \"LIST\"\nusing t" + std::to_string(i) +
              " = decltype(::" + list[i].name + "(" + values_of(list[i].parameters) + "));\n";
  }
  const Output out =
      run_command(kernel_flags() + "-fsyntax-only -fno-caret-diagnostics " + folder.write("calls.cc", source));
  std::map<std::string, std::string> bad;
  static const std::regex error("LIST:(\\d+):\\d+: error: ([^\n]*)");
  for (std::sregex_iterator i(out.text.begin(), out.text.end(), error), end; i != end; ++i) {
    const Declaration& d = list.at(std::stoul((*i)[1]) - 1);
    bad.emplace(d.name, d.text + ": " + (*i)[2].str());
  }
  if (bad.empty()) EXPECT_EQ(out.status, 0) << out.text.substr(0, 2000);
  return bad;
}

void expect_complete(const std::vector<std::string>& headers, const std::string& before, std::size_t at_least,
                     const std::regex& not_offered) {
  std::vector<Declaration> list;
  for (Declaration& d : declarations(device_text(headers, before))) {
    if (!std::regex_match(d.name, not_offered)) list.push_back(std::move(d));
  }
  EXPECT_GE(list.size(), at_least) << "the headers were not understood";
  for (const auto& [name, why] : not_callable(list)) ADD_FAILURE() << why;
}

const std::regex kInternal("__internal_.*|__float_simpl.*|__h(sin|cos)_internal|operator.*");

TEST(Names, EveryFp16Intrinsic) { expect_complete({"cuda_fp16.h", "cuda_fp16.hpp"}, "", 200, kInternal); }
TEST(Names, EveryBf16Intrinsic) {
  expect_complete({"cuda_bf16.h", "cuda_bf16.hpp"}, "#include <cuda_fp16.h>\n", 200, kInternal);
}

TEST(Names, EveryDeviceFunction) {
  // Internals of the headers; what docs/cuda-surface.md lists as not supported; votes and shuffles that left with sm_70.
  const std::regex not_offered(
      "__internal_.*|__nv_.*|__cuda.*|__host_.*|_.?|_(F|D|ld|fd).*|__(is|signbit|finite|assert|FLOAT|DOUBLE).*|operator.*|"
      "__cluster.*|__threadfence_cluster|__barrier_sync_count|__pm\\d|__u128.*|"
      "__(any|all|ballot)|any|all|ballot|syncthreads_\\w+|_wassert|printf|malloc|free|cudaError_t.*");
  expect_complete({"crt/device_functions.h", "crt/device_double_functions.h", "crt/math_functions.h",
                   "device_atomic_functions.h", "sm_20_atomic_functions.h", "sm_20_intrinsics.h", "sm_30_intrinsics.h",
                   "sm_32_intrinsics.h", "sm_32_atomic_functions.h", "sm_35_intrinsics.h", "sm_60_atomic_functions.h",
                   "sm_61_intrinsics.h", "crt/sm_70_rt.h", "crt/sm_80_rt.h", "crt/sm_90_rt.h"},
                  "", 900, not_offered);
}

// The test itself must notice a missing name.
TEST(Names, AMissingNameIsSeen) {
  const auto bad =
      not_callable({{"__no_such_intrinsic", "const __half a", "__half __no_such_intrinsic(const __half a)"},
                    {"__hadd", "const __half a, const __half b", ""}});
  EXPECT_EQ(bad.size(), 1u);
  EXPECT_EQ(bad.count("__no_such_intrinsic"), 1u);
}

}  // namespace
}  // namespace warpfuzz
