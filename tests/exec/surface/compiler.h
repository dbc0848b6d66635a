// Runs the compiler on a source text, as the build does for kernels.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace warpfuzz {

struct Output {
  int status;
  std::string text;
};

inline Output run_command(const std::string& command) {
  Output out{-1, ""};
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return out;
  char buffer[4096];
  for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.text.append(buffer, n);
  out.status = pclose(pipe);
  return out;
}

// A folder for one test, removed at its end.
class SourceFolder {
 public:
  SourceFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "warpfuzz-surface-XXXXXX").string();
    path_ = mkdtemp(pattern.data()) ? pattern : "";
  }
  ~SourceFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  std::string write(const std::string& name, const std::string& text) const {
    const std::string file = path_ + "/" + name;
    std::ofstream(file) << text;
    return file;
  }

 private:
  std::string path_;
};

inline std::string kernel_flags() {
  return "'" WARPFUZZ_TEST_CXX "' -x c++ -std=c++20 -fdeclspec -ferror-limit=0 -w '-I" WARPFUZZ_TEST_SRC
         "' -isystem '" WARPFUZZ_TEST_SRC "/exec/cpu/include' -isystem '" WARPFUZZ_TEST_CUDA
         "' -include warpfuzz_cuda/cuda_on_cpu.h ";
}

}  // namespace warpfuzz
